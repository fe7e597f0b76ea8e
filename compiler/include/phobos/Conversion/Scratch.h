// Shared memory that the lowering of an op uses on its own account: asked by the passes that allocate it and place
// barriers.
//
// The bytes lie at the op's attribute `shared.offset` (i64, bytes from the start of the CTA's shared memory). The
// lowering synchronises between its own writes and reads; the barrier before the first write is the passes' business.
#pragma once

#include "phobos/Layout/LinearLayout.h"

#include "mlir/IR/Operation.h"

namespace phobos::lowering {

inline constexpr llvm::StringLiteral kSharedOffsetAttr = "shared.offset";

/// Bytes of scratch, 16-byte aligned, that this tile.relayout, tile.part, tile.reduce, tile.scan or tile.atomic needs;
/// 0 for any other op.
uint64_t scratchBytes(mlir::Operation *op);

/// Where no thread needs another's for a tile.part: for each register of the result the source's, or nothing for
/// `other`'s.
std::optional<llvm::SmallVector<std::optional<uint32_t>>> partRegisters(mlir::Operation *op);

/// Can tile.scan run along `axis` of a tile in this layout?
bool scansAlong(const layout::LinearLayout &layout, unsigned axis);

/// Does the op contain a barrier of the whole CTA? False where each warp keeps to its own part of the scratch, or none
/// is used.
bool usesCtaBarrier(mlir::Operation *op);

} // namespace phobos::lowering
