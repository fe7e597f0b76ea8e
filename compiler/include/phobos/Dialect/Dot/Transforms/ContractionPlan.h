// Which instruction serves a contraction, and what it asks of layouts: the one decision that layout assignment and
// staging share.
#pragma once

#include "phobos/Dialect/Dot/IR/Dot.h"
#include "phobos/Layout/Constructors.h"
#include "phobos/Target/Chip.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace phobos::dot {

struct ContractionPlan {
  enum class Kind : uint8_t { Wgmma, Mma, Fma };
  enum class F32 : uint8_t { Exact, Tf32, Tf32x3, Bf16x3 }; // what happens to f32 operands on tensor cores
  Kind kind = Kind::Fma;
  F32 f32 = F32::Exact;
  layout::MmaShape mma;           // Kind::Mma
  layout::WarpGrid warps;         // of warpgroups for Kind::Wgmma
  int64_t stepK = 1;              // k of one step: one instruction's, or of one register fragment
  int64_t paddedK = 1;            // k of a slot: whole steps
  layout::LinearLayout acc, a, b; // of the padded tiles: M x N, M x paddedK, paddedK x N; b not for Kind::Wgmma
  bool registersA = false;        // Kind::Wgmma: its first operand is a tile in layout a, not a slot
  tile::LoadOp still;             // Kind::Wgmma: the first operand, the same in every turn, has a slot of its own
  int64_t registers = 0;          // Kind::Wgmma: of a thread, for sums and operands of all the loop's products
  llvm::StringRef notWgmma;       // on a chip that has it: why not
  bool rides = false;             // Kind::Wgmma: nobody in the turn needs the sums, and another product follows
  bool overlaps = false;          // Kind::Wgmma: the sums are next needed by the next turn's product

  /// Layouts of one step's fragments: M x stepK and stepK x N.
  layout::LinearLayout stepA() const, stepB() const;
};

/// The load behind `tile`, through relayouts and a reshape that drops dimensions, if contractions in its block are all
/// that uses it.
tile::LoadOp loadOf(mlir::Value tile);
/// The view's dimension of each of the tile's; requires that loadOf(tile) is `load`.
llvm::SmallVector<unsigned, 2> viewDims(mlir::Value tile, tile::LoadOp load);
/// The tile's dimension along which neighbours in memory are neighbours, if there is one.
std::optional<unsigned> unitDimOf(mlir::Value tile, tile::LoadOp load);

/// The slice that `tile` is made of in a turn of `loop`, by elementwise arithmetic on it and numbers alone, if the copy
/// engine can bring it and nothing else uses it or what is made of it.
tile::LoadOp sliceUnder(mlir::Value tile, mlir::scf::ForOp loop);

/// The chip that the module is compiled for (`tile.chip`; sm_80 if absent).
const target::Chip &chipOf(mlir::Operation *op);

/// How `op` runs on `chip` with the kernel's warps.
ContractionPlan planContraction(ContractOp op, tile::KernelOp kernel, const target::Chip &chip);

} // namespace phobos::dot
