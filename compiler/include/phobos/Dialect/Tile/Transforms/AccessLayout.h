// Layouts that global memory likes.
#pragma once

#include "phobos/Dialect/Tile/IR/LayoutBridge.h"

namespace phobos::tile {

/// The widest coalesced access to `view[offsets]` of a tile of `type`. Warps lie along `lastForWarps` only where
/// nothing else of the tile is left for them.
layout::LinearLayout accessLayout(KernelOp kernel, mlir::Value view, mlir::ValueRange offsets,
                                  llvm::ArrayRef<bool> whole, mlir::RankedTensorType type,
                                  std::optional<unsigned> lastForWarps = std::nullopt, bool oneByOne = false);

/// Does a store from `layout` fill whole 32-byte sectors, so that a relayout would gain nothing?
bool storesWell(mlir::Value view, const layout::LinearLayout &layout, unsigned elementBits);
/// Does a load into `layout` take half a sector or more at a time, 4 bytes or more a thread (of a vector also less),
/// the other half from what the first left in L1, so that a relayout through shared memory would gain nothing?
bool loadsWell(mlir::Value view, const layout::LinearLayout &layout, unsigned elementBits);

/// A layout for storing what is held in `layout`: coalesced, but every element stays in its warp, so that getting there
/// needs no CTA barrier. Nothing if warps' pieces are not made of whole coordinate bits.
std::optional<layout::LinearLayout> warpLocalAccess(mlir::Value view, const layout::LinearLayout &layout,
                                                    unsigned elementBits, unsigned maxVector);

} // namespace phobos::tile
