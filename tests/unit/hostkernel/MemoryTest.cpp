// Shared memory, its addresses, asynchronous copies, atomics.
#include "Simulated.h"

#include <numeric>

namespace phobos {
namespace {

constexpr const char *kTwoArrays = R"(
  llvm.mlir.global external @first() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<100 x i32>
  llvm.mlir.global external @second() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<64 x i32>
  llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>)";

TEST(HostMemory, SharedArraysHavePlacesOfTheirOwn) {
  Simulated simulated(kernelText("%out: !llvm.ptr<1>", R"(
    %a = llvm.mlir.addressof @first : !llvm.ptr<3>
    %b = llvm.mlir.addressof @second : !llvm.ptr<3>
    %d = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
    %ai = llvm.ptrtoint %a : !llvm.ptr<3> to i32
    %bi = llvm.ptrtoint %b : !llvm.ptr<3> to i32
    %di = llvm.ptrtoint %d : !llvm.ptr<3> to i64
    %ds = llvm.trunc %di : i64 to i32
    %p1 = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %p2 = llvm.getelementptr %out[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %ai, %out : i32, !llvm.ptr<1>
    llvm.store %bi, %p1 : i32, !llvm.ptr<1>
    llvm.store %ds, %p2 : i32, !llvm.ptr<1>
    llvm.return)",
                                 kTwoArrays));
  ASSERT_TRUE(simulated);
  EXPECT_EQ(simulated.kernel().info.staticSharedBytes, 512u + 256);
  EXPECT_EQ(simulated.kernel().info.dynamicSharedOffset, 1024u);
  simulated.request.dynamicSharedBytes = 256 + 64;
  std::vector<uint32_t> words(3);
  void *address = words.data();
  simulated.run({1, 1, 1}, {1, 1, 1}, {&address});
  EXPECT_EQ(words, (std::vector<uint32_t>{0, 512, 1024})); // addresses in the window, from 0
}

TEST(HostMemory, ThreadsExchangeThroughIntegersThatAreAddresses) {
  std::vector<uint32_t> want(64);
  for (uint32_t i = 0; i < 64; ++i) {
    want[i] = 63 - i;
  }
  expectWords(kernelText("%out: !llvm.ptr<1>", R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %base = llvm.mlir.addressof @second : !llvm.ptr<3>
    %address = llvm.ptrtoint %base : !llvm.ptr<3> to i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %c63 = llvm.mlir.constant(63 : i32) : i32
    %offset = llvm.shl %tid, %c2 : i32
    %mine = llvm.add %address, %offset : i32
    %p = llvm.inttoptr %mine : i32 to !llvm.ptr<3>
    llvm.store %tid, %p : i32, !llvm.ptr<3>
    nvvm.barrier0
    %other = llvm.sub %c63, %tid : i32
    %generic = llvm.addrspacecast %base : !llvm.ptr<3> to !llvm.ptr
    %wide = llvm.zext %other : i32 to i64
    %q = llvm.getelementptr %generic[%wide] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    %value = llvm.load %q : !llvm.ptr -> i32
    %index = llvm.zext %tid : i32 to i64
    %o = llvm.getelementptr %out[%index] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %value, %o : i32, !llvm.ptr<1>
    llvm.return)",
                         kTwoArrays),
              {64, 1, 1}, want);
}

/// Each thread copies `size` bytes with `bytes` of them from the source, waits and gives the words of its slot.
std::vector<uint32_t> copied(unsigned size, unsigned bytes) {
  std::string text = kernelText("%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %bytes: i32",
                                R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %wide = llvm.zext %tid : i32 to i64
    %base = llvm.mlir.addressof @second : !llvm.ptr<3>
    %slot = llvm.getelementptr %base[%wide] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, vector<4xi32>
    %from = llvm.getelementptr %in[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4xi32>
    %ones = llvm.mlir.constant(dense<-1> : vector<4xi32>) : vector<4xi32>
    llvm.store %ones, %slot {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
    nvvm.cp.async.shared.global %slot, %from, )" +
                                    std::to_string(size) + ", cache = " + (size == 16 ? "cg" : "ca") +
                                    R"(, %bytes : !llvm.ptr<3>, !llvm.ptr<1>, i32
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    %got = llvm.load %slot {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
    %to = llvm.getelementptr %out[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4xi32>
    llvm.store %got, %to {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
    llvm.return)",
                                kTwoArrays);
  Simulated simulated(text);
  if (!simulated) {
    return {};
  }
  alignas(16) uint32_t in[64], out[64];
  std::iota(in, in + 64, 100);
  void *to = out, *from = in;
  simulated.run({1, 1, 1}, {16, 1, 1}, {&to, &from, &bytes});
  return {out + 4, out + 8}; // the second thread's
}

TEST(HostMemory, AsynchronousCopiesFillWithZeros) {
  EXPECT_EQ(copied(16, 16), (std::vector<uint32_t>{104, 105, 106, 107}));
  EXPECT_EQ(copied(16, 8), (std::vector<uint32_t>{104, 105, 0, 0}));
  EXPECT_EQ(copied(16, 0), (std::vector<uint32_t>{0, 0, 0, 0}));
  EXPECT_EQ(copied(8, 8), (std::vector<uint32_t>{104, 105, ~0u, ~0u}));
  EXPECT_EQ(copied(4, 4), (std::vector<uint32_t>{104, ~0u, ~0u, ~0u}));
}

TEST(HostMemory, AtomicsOfManyBlocksAddUp) {
  struct Case {
    const char *type, *op, *one;
    double want;
  };
  // 64 blocks of 32 threads.
  for (const Case &c : std::initializer_list<Case>{{"i32", "add", "llvm.mlir.constant(1 : i32) : i32", 2048},
                                                   {"i64", "add", "llvm.mlir.constant(1 : i64) : i64", 2048},
                                                   {"f32", "fadd", "llvm.mlir.constant(1.0 : f32) : f32", 2048},
                                                   {"f64", "fadd", "llvm.mlir.constant(1.0 : f64) : f64", 2048},
                                                   {"f16", "fadd", "llvm.mlir.constant(1.0 : f16) : f16", 2048},
                                                   {"i32", "umax", "llvm.mlir.constant(77 : i32) : i32", 77}}) {
    SCOPED_TRACE(std::string(c.op) + " " + c.type);
    Simulated simulated(
        kernelText("%out: !llvm.ptr<1>", std::string("\n%one = ") + c.one + "\n%old = llvm.atomicrmw " + c.op +
                                             " %out, %one syncscope(\"device\") monotonic : !llvm.ptr<1>, " + c.type +
                                             "\nllvm.return"));
    ASSERT_TRUE(simulated);
    EXPECT_FALSE(simulated.kernel().info.spins);
    alignas(8) char bytes[8] = {};
    void *address = bytes;
    simulated.run({64, 1, 1}, {32, 1, 1}, {&address});
    std::string type = c.type;
    double got = type == "i32"   ? *reinterpret_cast<uint32_t *>(bytes)
                 : type == "i64" ? double(*reinterpret_cast<uint64_t *>(bytes))
                 : type == "f32" ? *reinterpret_cast<float *>(bytes)
                 : type == "f64" ? *reinterpret_cast<double *>(bytes)
                                 : double(*reinterpret_cast<_Float16 *>(bytes));
    EXPECT_EQ(got, c.want);
  }
}

TEST(HostMemory, AnArrayOfTheThreadsOwnIsItsOwn) {
  std::vector<uint32_t> want(32);
  for (uint32_t i = 0; i < 32; ++i) {
    want[i] = 2 * i;
  }
  expectWords(kernelText("%out: !llvm.ptr<1>", R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %own = llvm.alloca %c1 x i32 : (i32) -> !llvm.ptr
    llvm.store %tid, %own : i32, !llvm.ptr
    %x = llvm.load %own : !llvm.ptr -> i32
    %value = llvm.add %x, %tid : i32
    %wide = llvm.zext %tid : i32 to i64
    %p = llvm.getelementptr %out[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %value, %p : i32, !llvm.ptr<1>
    llvm.return)"),
              {32, 1, 1}, want);
}

} // namespace
} // namespace phobos
