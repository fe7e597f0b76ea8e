// What divides an index, and whether it can be negative: how wide memory accesses may be, which slices are whole, and
// where the copy engine may store.
#pragma once

#include "phobos/Dialect/Tile/IR/Tile.h"

namespace phobos::tile {

/// A known divisor of an index value, the largest that its definition shows; 0 if it is zero (everything divides it).
int64_t divisorOf(mlir::Value index);

/// Does its definition show that an index is never negative?
bool isNeverNegative(mlir::Value index);

/// The dimension along which neighbours in memory are neighbours: the last one of stride 1; nothing if there is none.
std::optional<unsigned> unitDim(ViewType view);

/// Bytes, a power of two up to 16, to which `view[offsets]` and every row of the slice (along the unit dimension) are
/// aligned. One element's size if there is no unit dimension.
unsigned alignedBytes(mlir::Value view, mlir::ValueRange offsets);

/// Elements along `dim`, a power of two up to 128, that are all or none of them inside the view and inside a tile of
/// `extent`, counted from `offset`. `whole`: the tile is inside the view.
unsigned maskGranule(KernelOp kernel, mlir::Value view, unsigned dim, mlir::Value offset, bool whole, int64_t extent);

} // namespace phobos::tile
