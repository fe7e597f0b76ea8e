// What code generated for the host and the simulator's runtime agree on: the layout of everything that generated code
// touches without a call. HostCalls.def holds the calls. Standard types only.
//
// A GPU thread is a fiber. A CTA's fibers live on one worker (an OS thread) and never migrate; its shared memory is an
// arena at an address that is a multiple of 4 GiB plus (rank in the cluster) << 24, so that the low 32 bits of a host
// address are its address in the shared window, and pointer to integer is a truncation. Warp-wide instructions are
// gathered into *programs*: constant tables of WarpOp over an exchange buffer of 32-bit words, run by the last lane to
// arrive, for all lanes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace phobos::host {

inline constexpr uint32_t kWarpLanes = 32;
inline constexpr uint32_t kMaxCtaThreads = 1024;
inline constexpr uint32_t kNamedBarriers = 16;
inline constexpr uint64_t kWindowBytes = uint64_t(1) << 32; // alignment of the shared window
inline constexpr uint32_t kClusterRankShift = 24; // a CTA's arena begins at rank << this in its cluster's window
/// Words of one lane in a warp's exchange buffer.
inline constexpr uint32_t kExchangeSlots = 256;

/// The special registers that all threads of a CTA share. Constant while a CTA runs: generated code loads them as
/// invariant.
struct CtaRegisters {
  uint32_t ctaid[3];         // %ctaid
  uint32_t ntid[3];          // %ntid
  uint32_t nctaid[3];        // %nctaid
  uint32_t clusterid[3];     // %clusterid
  uint32_t nclusterid[3];    // %nclusterid
  uint32_t clusterCtaid[3];  // %cluster_ctaid
  uint32_t clusterNctaid[3]; // %cluster_nctaid; 1, 1, 1 without clusters
  uint32_t clusterCtarank;   // %cluster_ctarank
  uint32_t clusterNctarank;  // %cluster_nctarank
  uint32_t smid;             // %smid: number of the worker
  uint32_t nsmid;            // %nsmid: number of workers
  uint32_t dynamicSharedBytes;
  uint32_t totalSharedBytes;
  uint64_t gridid; // %gridid: counts launches
};

/// One place of a thread loop that accesses global memory, while its launch is checked. Accesses there are compared
/// with where the place's last ones were known to be inside a tensor, and written down for the race checker.
struct AccessSlot {
  uintptr_t begin, room; // addresses from `begin` to `begin + room` are inside
  uint64_t *next;        // where the next access goes, a word each: its address, the thread from bit 48 on
  uint8_t *values;       // of a store: the bytes stored, those of the log's first word first
};
inline constexpr uint32_t kAccessThreadShift = 48;
/// Alignment and size of the words of a slot: they are full when `next` is a multiple of it again.
inline constexpr uint32_t kAccessLogBytes = 4096;

/// One thread, as generated code sees it: the hidden first parameter of every kernel and of every call. The runtime's
/// own fiber derives from it. Constant while a thread runs, the pointees of `column` and `interrupt` excepted.
struct ThreadContext {
  uint8_t *shared;               // byte 0 of the CTA's shared memory
  uint32_t *column;              // this lane's column of the warp's exchange buffer: slot s is column[s * kWarpLanes]
  const CtaRegisters *registers; // of the CTA
  const uint32_t
      *interrupt;    // nonzero: the launch is to end; polled in loops that count nothing, which then call `stop`
  uint32_t tid[3];   // %tid
  uint32_t index;    // tid.x + ntid.x * (tid.y + ntid.y * tid.z)
  uint32_t lane;     // %laneid: index % 32
  uint32_t warp;     // index / 32
  AccessSlot *slots; // of a thread loop that is checked, by the number of the place
};

/// Entry of a kernel: one thread from begin to end. argv[i] points to the value of parameter i, as for cuLaunchKernel;
/// a parameter passed by value (a tensor map) is used where argv[i] points, so it must live until the launch ends.
using FiberEntry = void (*)(ThreadContext *thread, void **argv);
/// Entry of a kernel in which no thread waits for another: all threads of the CTA, one after the other. Of `thread`
/// only shared, registers, interrupt and slots are read.
using LoopEntry = void (*)(ThreadContext *thread, void **argv);

/// Kinds of warp op; HostCalls.def says what each does.
enum class WarpKind : uint16_t {
#define PHOBOS_WARP_OP(name, sentence) name,
#define PHOBOS_WARP_MMA(name, k, element, accumulator, sentence) name,
#include "phobos/host/HostCalls.def"
};

/// An operand that is no slot but a constant, the same in all lanes: the low 15 bits, sign-extended. Only shuffles,
/// votes, redux, match and lane-wise ops have such operands; those of matrix ops are always slots.
inline constexpr uint16_t kImmediate = 0x8000;
inline constexpr int32_t kImmediateMin = -0x4000, kImmediateMax = 0x3fff;
constexpr int32_t immediateValue(uint16_t operand) { return int32_t(int16_t(uint16_t(operand << 1))) >> 1; }
constexpr uint16_t immediateOperand(int32_t value) { return uint16_t(kImmediate | (value & 0x7fff)); }

/// Bits of WarpOp::flags.
enum WarpFlags : uint8_t {
  kTransposed = 1, // LdMatrix, StMatrix
  kUnsignedA = 1,
  kUnsignedB = 2,
  kSaturate = 4, // Mma…S8: operands are u8; the sum saturates instead of wrapping
  kReduxAbs = 1,
  kReduxNaN = 2, // ReduxFMin, ReduxFMax
};
// ICmp: flags is one of these. FCmp: flags is a set of outcomes for which it is true: 1 equal, 2 greater, 4 less, 8
// unordered.
enum class IntPredicate : uint8_t { eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge };

/// One op of a warp program. An op reads its operands before it writes a result: in and out may name the same slot.
struct WarpOp {
  WarpKind kind;
  uint8_t
      num; // LdMatrix, StMatrix: matrices, 1, 2 or 4. Shfl: 2 if out[1] is wanted. Match: words of the value, 1 or 2
  uint8_t flags;   // WarpFlags or a predicate
  uint32_t site;   // of the op that it came from
  uint16_t in[12]; // slots or immediates
  uint16_t out[4]; // slots
};
static_assert(sizeof(WarpOp) == 40);

/// Element types of wgmma, tensor maps and conversions.
enum class Element : uint8_t { f16, bf16, tf32, f32, f64, e4m3, e5m2, s8, u8, s32, u32, s16, u16, s64, u64, b1, b16 };

/// One wgmma.mma_async of m = 64, on the four warps of a warpgroup. Words are slots of each lane's column.
struct WgmmaOp {
  Element a, b, d;
  uint8_t flags;      // WgmmaFlags
  uint16_t n, k;      // columns of the result, and the extent summed over
  uint16_t slotA;     // kWgmmaRegistersA: four words of A; else two words, low first, of its descriptor
  uint16_t slotB;     // two words, low first, of B's descriptor
  uint16_t slotD;     // n / 2 words (f32, s32) or n / 4 (f16 pairs), read and written in place
  uint16_t slotScale; // kWgmmaScaleSlot: a word, 0 for D = A B
  uint32_t site;
};
static_assert(sizeof(WgmmaOp) == 20);
enum WgmmaFlags : uint8_t {
  kWgmmaZeroD = 1, // D = A B, whatever D held
  kWgmmaNegateA = 2,
  kWgmmaNegateB = 4,
  kWgmmaTransposeA = 8,  // A is M-major in shared memory (the instruction's imm-trans-a)
  kWgmmaTransposeB = 16, // B is N-major
  kWgmmaRegistersA = 32,
  kWgmmaScaleSlot = 64,
  kWgmmaSaturate = 128, // s32 sums saturate
};

/// What a kernel's tensor-map parameter holds on the host, in the place and size of a CUtensorMap.
struct alignas(64) TensorMap {
  uint8_t *base;
  uint64_t dims[5];           // elements, innermost first
  uint64_t strides[4];        // bytes, of dims 1 to 4
  uint32_t elementStrides[5]; // 1 everywhere for now
  uint16_t box[5];            // elements
  uint8_t rank;
  Element element;
  uint8_t swizzle; // bytes: 0, 32, 64, 128
  uint8_t fillNaN; // out of bounds reads give NaN instead of 0
  uint8_t reserved[14];
};
static_assert(sizeof(TensorMap) == 128);

/// The reduction of tmaReduce, and of ctaBarrierReduce.
enum class BulkReduction : uint32_t { add, min, max, inc, dec, bitAnd, bitOr, bitXor };
enum class BarrierReduction : uint32_t { popc, all, any };

/// What `fence` orders.
enum class FenceKind : uint32_t {
  cta,
  cluster,
  gpu,
  sys, // memory.barrier / membar / fence of that scope
  proxyAlias,
  proxyAsync,
  proxyAsyncGlobal,
  proxyAsyncShared,
  proxyTensorMap,
  proxyGeneric,
  mbarrierInit, // fence.mbarrier_init.release.cluster
  wgmma,        // wgmma.fence.sync.aligned
};

/// What wgmmaFault tells.
enum class WgmmaFault : uint32_t { unfinished, unfenced };

/// Bits of mbarArrive's flags.
enum MbarFlags : uint32_t { kMbarDrop = 1, kMbarNoComplete = 2, kMbarExpectTx = 4 };

/// What an access that is checked or counted does.
enum class Access : uint32_t { load, store, atomic };

/// Bits of atomicBegin's flags. A volatile access is a relaxed atomic of the system's scope.
enum AtomicFlags : uint32_t {
  kAtomicReads = 1,
  kAtomicWrites = 2,
  kAtomicAcquires = 4,
  kAtomicReleases = 8,
  kAtomicOfCta = 16
};

/// One entry of the table of addresses that generated code is linked against: every call of HostCalls.def by the name
/// that generated code uses, kCallPrefix followed by the call's name.
struct Symbol {
  const char *name;
  void *address;
};
inline constexpr const char *kCallPrefix = "host.";

/// The compiler's own functions among the calls.
namespace helpers {
#define PHOBOS_HOST_HELPER(name, result, parameters, sentence) result name parameters;
#include "phobos/host/HostCalls.def"
} // namespace helpers

// The calls, as functions that the runtime defines. C calling convention is the C++ one for these types.
namespace calls {
#define PHOBOS_HOST_CALL(name, result, parameters, sentence) result name parameters;
#include "phobos/host/HostCalls.def"
} // namespace calls

} // namespace phobos::host
