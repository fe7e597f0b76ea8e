// Special registers, with a loop over threads and with fibers.
#include "Simulated.h"

namespace phobos {
namespace {

/// Stores `value`, an i32 that `body` makes, at the thread's linear index.
std::string storing(const std::string &body, const std::string &attributes = "nvvm.kernel") {
  return kernelText("%out: !llvm.ptr<1>", body + R"(
    %tx = nvvm.read.ptx.sreg.tid.x : i32
    %ty = nvvm.read.ptx.sreg.tid.y : i32
    %tz = nvvm.read.ptx.sreg.tid.z : i32
    %nx = nvvm.read.ptx.sreg.ntid.x : i32
    %ny = nvvm.read.ptx.sreg.ntid.y : i32
    %zy = llvm.mul %tz, %ny : i32
    %zyy = llvm.add %zy, %ty : i32
    %row = llvm.mul %zyy, %nx : i32
    %linear = llvm.add %row, %tx : i32
    %wide = llvm.zext %linear : i32 to i64
    %p = llvm.getelementptr %out[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %value, %p : i32, !llvm.ptr<1>
    llvm.return)",
                    "", attributes);
}

TEST(HostRegisters, ThreadsOfABlockInThreeDimensions) {
  std::vector<uint32_t> want;
  for (uint32_t z = 0; z < 3; ++z) {
    for (uint32_t y = 0; y < 5; ++y) {
      for (uint32_t x = 0; x < 7; ++x) {
        want.push_back(x + 100 * y + 10000 * z);
      }
    }
  }
  expectWords(storing(R"(
    %x = nvvm.read.ptx.sreg.tid.x : i32
    %y = nvvm.read.ptx.sreg.tid.y : i32
    %z = nvvm.read.ptx.sreg.tid.z : i32
    %c100 = llvm.mlir.constant(100 : i32) : i32
    %c10000 = llvm.mlir.constant(10000 : i32) : i32
    %y100 = llvm.mul %y, %c100 : i32
    %z10000 = llvm.mul %z, %c10000 : i32
    %xy = llvm.add %x, %y100 : i32
    %value = llvm.add %xy, %z10000 : i32)"),
              {7, 5, 3}, want);
}

TEST(HostRegisters, LanesCountThroughAllDimensions) {
  std::vector<uint32_t> want;
  for (uint32_t i = 0; i < 7 * 5 * 3; ++i) {
    want.push_back(i % 32 | (i / 32) << 8);
  }
  expectWords(storing(R"(
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %warp = nvvm.read.ptx.sreg.warpid : i32
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %high = llvm.shl %warp, %c8 : i32
    %value = llvm.or %lane, %high : i32)"),
              {7, 5, 3}, want);
}

TEST(HostRegisters, LaneMasks) {
  std::vector<uint32_t> want;
  for (uint32_t i = 0; i < 32; ++i) {
    want.push_back((1u << i) ^ ((1u << i) - 1) ^ ~((1u << i) - 1));
  }
  expectWords(storing(R"(
    %eq = nvvm.read.ptx.sreg.lanemask.eq : i32
    %lt = nvvm.read.ptx.sreg.lanemask.lt : i32
    %ge = nvvm.read.ptx.sreg.lanemask.ge : i32
    %a = llvm.xor %eq, %lt : i32
    %value = llvm.xor %a, %ge : i32)"),
              {32, 1, 1}, want);
}

TEST(HostRegisters, AnExtentThatTheKernelPromisesNeedsNoLoop) {
  std::vector<uint32_t> want(64);
  for (uint32_t i = 0; i < 64; ++i) {
    want[i] = i;
  }
  expectWords(storing("%value = nvvm.read.ptx.sreg.tid.x : i32", "nvvm.kernel, nvvm.maxntid = array<i32: 64, 1, 1>"),
              {64, 1, 1}, want);
}

TEST(HostRegisters, BlocksOfAGrid) {
  Simulated simulated(kernelText("%out: !llvm.ptr<1>", R"(
    %x = nvvm.read.ptx.sreg.ctaid.x : i32
    %y = nvvm.read.ptx.sreg.ctaid.y : i32
    %z = nvvm.read.ptx.sreg.ctaid.z : i32
    %nx = nvvm.read.ptx.sreg.nctaid.x : i32
    %ny = nvvm.read.ptx.sreg.nctaid.y : i32
    %zy = llvm.mul %z, %ny : i32
    %zyy = llvm.add %zy, %y : i32
    %row = llvm.mul %zyy, %nx : i32
    %linear = llvm.add %row, %x : i32
    %wide = llvm.zext %linear : i32 to i64
    %p = llvm.getelementptr %out[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %linear, %p : i32, !llvm.ptr<1>
    llvm.return)"));
  ASSERT_TRUE(simulated);
  EXPECT_TRUE(simulated.kernel().info.loop);
  std::vector<uint32_t> words(4 * 3 * 2), want(4 * 3 * 2);
  for (uint32_t i = 0; i < want.size(); ++i) {
    want[i] = i;
  }
  void *address = words.data();
  simulated.run({4, 3, 2}, {1, 1, 1}, {&address});
  EXPECT_EQ(words, want);
}

TEST(HostRegisters, ScalarParametersOfEveryWidth) {
  Simulated simulated(kernelText("%out: !llvm.ptr<1>, %a: i8, %b: i16, %c: i32, %d: i64, %e: f32, %f: f64", R"(
    %a64 = llvm.zext %a : i8 to i64
    %b64 = llvm.zext %b : i16 to i64
    %c64 = llvm.zext %c : i32 to i64
    %e64 = llvm.fptosi %e : f32 to i64
    %f64 = llvm.fptosi %f : f64 to i64
    %ab = llvm.add %a64, %b64 : i64
    %cd = llvm.add %c64, %d : i64
    %ef = llvm.add %e64, %f64 : i64
    %abcd = llvm.add %ab, %cd : i64
    %all = llvm.add %abcd, %ef : i64
    llvm.store %all, %out : i64, !llvm.ptr<1>
    llvm.return)"));
  ASSERT_TRUE(simulated);
  EXPECT_EQ(simulated.kernel().info.parameterBytes, (std::vector<unsigned>{8, 1, 2, 4, 8, 4, 8}));
  uint64_t result = 0;
  void *address = &result;
  uint8_t a = 1;
  uint16_t b = 20;
  uint32_t c = 300;
  uint64_t d = uint64_t(1) << 40;
  float e = 4000;
  double f = 50000;
  simulated.run({1, 1, 1}, {1, 1, 1}, {&address, &a, &b, &c, &d, &e, &f});
  EXPECT_EQ(result, (uint64_t(1) << 40) + 54321);
}

} // namespace
} // namespace phobos
