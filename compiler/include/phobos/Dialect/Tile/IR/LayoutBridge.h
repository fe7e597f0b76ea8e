// Between the IR's layout attribute and the layout algebra.
#pragma once

#include "phobos/Dialect/Tile/IR/Tile.h"
#include "phobos/Layout/LinearLayout.h"

namespace phobos::tile {

/// The layout of a tile that has one. Extents are padded up to powers of two.
layout::LinearLayout layoutOf(mlir::RankedTensorType type);
inline layout::LinearLayout layoutOf(mlir::Value tile) {
  return layoutOf(mlir::cast<mlir::RankedTensorType>(tile.getType()));
}

LayoutAttr attributeOf(mlir::MLIRContext *context, const layout::LinearLayout &layout);

/// The same shape and elements under `layout`.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const layout::LinearLayout &layout);

/// Extents rounded up to powers of two.
llvm::SmallVector<int32_t, 4> paddedShape(mlir::RankedTensorType type);

inline bool isTile(mlir::Type type) { return mlir::isa<mlir::RankedTensorType>(type); }
/// Bits of an element in memory and in shared memory: a bool takes a byte.
unsigned elementBits(mlir::Type element);

} // namespace phobos::tile
