// The chips we compile for, as data: limits and instructions. Nothing else in the compiler compares an sm number; it
// asks for a feature by name. No MLIR here.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace phobos::target {

/// Instructions that a path of the compiler depends on.
enum Feature : uint32_t {
  kLdmatrix = 1u << 0,   // ldmatrix, with and without .trans
  kMmaF16K8 = 1u << 1,   // mma.sync m16n8k8 of f16 into f32
  kMmaInt8K16 = 1u << 2, // mma.sync m8n8k16 of int8 into i32
  kCpAsync = 1u << 3,    // cp.async of 4, 8, 16 bytes with zero fill
  kMmaF16K16 = 1u << 4,  // mma.sync m16n8k16 of f16
  kMmaBf16 = 1u << 5,    // mma.sync m16n8k8 and m16n8k16 of bf16
  kMmaTf32 = 1u << 6,    // mma.sync m16n8k4 and m16n8k8 of tf32
  kMmaInt8K32 = 1u << 7, // mma.sync m16n8k32 of int8
  kRedux = 1u << 8,      // redux.sync on 32-bit integers
  kMmaFp8 = 1u << 9,     // mma.sync m16n8k32 of e4m3 and e5m2; conversions between them and f16
  kMbarrier = 1u << 10,  // mbarrier with try_wait
  kTma = 1u << 11,       // bulk tensor copies
  kStmatrix = 1u << 12,
  kCluster = 1u << 13,         // clusters, distributed shared memory
  kBf16Math = 1u << 14,        // native bf16 add, mul, fma, min, max
  kDependentLaunch = 1u << 15, // griddepcontrol
  kWgmma = 1u << 16,           // wgmma and setmaxnreg of sm_90a
  kPackedF32 = 1u << 17,       // f32x2 add, mul, fma
  kTcgen05 = 1u << 18,         // tensor memory and tcgen05
  // Generations: what always comes together.
  kAmpere = kCpAsync | kMmaF16K16 | kMmaBf16 | kMmaTf32 | kMmaInt8K32 | kRedux,
  kHopper = kMbarrier | kTma | kStmatrix | kCluster | kBf16Math | kDependentLaunch,
};

struct Limits {
  unsigned staticSharedKB; // without opting in
  unsigned optInSharedKB;  // dynamic shared memory of one CTA, at most
  unsigned smSharedKB;
  unsigned smThreads;
  unsigned smCtas;
};

struct Chip {
  unsigned number;          // 90 for sm_90a
  llvm::StringLiteral name; // as LLVM and ptxas spell it
  unsigned ptxVersion;      // 83 for .version 8.3
  Limits limits;
  uint32_t features;

  bool has(Feature feature) const { return (features & feature) == feature; }
  /// Shared memory that one CTA may have, in bytes; the driver keeps 1 KB of the SM's for itself, already taken off.
  unsigned maxSharedBytes() const { return limits.optInSharedKB * 1024; }
  unsigned staticSharedBytes() const { return limits.staticSharedKB * 1024; }
  /// What a cubin counts as the kernel's although the system keeps it for itself.
  unsigned reservedSharedBytes() const { return number >= 90 ? 1024 : 0; }
  unsigned smSharedBytes() const { return limits.smSharedKB * 1024; }
};

// The same on every chip in the table.
inline constexpr unsigned kWarpThreads = 32;
inline constexpr unsigned kMaxCtaThreads = 1024;
inline constexpr unsigned kMaxThreadRegisters = 255;
inline constexpr unsigned kSmRegisters = 65536;

/// Every chip, oldest first.
llvm::ArrayRef<Chip> chips();
/// The chip so named, or null.
const Chip *findChip(llvm::StringRef name);
/// "unknown chip 'sm_91'; did you mean 'sm_90a'? Supported: sm_75, …"
std::string unknownChipMessage(llvm::StringRef name);

} // namespace phobos::target
