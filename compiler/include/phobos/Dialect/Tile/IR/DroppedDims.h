// Slices of fewer dimensions than their view's: an index drops its axis, which the dialect says by a load of extent 1
// and a reshape.
#pragma once

#include "phobos/Dialect/Tile/IR/Tile.h"

namespace phobos::tile {

/// The dimensions of `full` that `part` has, in order, if all it lacks are some of extent 1.
std::optional<llvm::SmallVector<unsigned, 2>> keptDims(llvm::ArrayRef<int64_t> full, llvm::ArrayRef<int64_t> part);

/// The source of a reshape that drops dimensions of extent 1, or adds them; else the tile itself.
mlir::Value beforeDrop(mlir::Value tile);
mlir::Value beforeAdd(mlir::Value tile);

} // namespace phobos::tile
