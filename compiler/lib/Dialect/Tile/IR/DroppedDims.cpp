// Slices of fewer dimensions than their view's.
#include "phobos/Dialect/Tile/IR/DroppedDims.h"

using namespace mlir;

namespace phobos::tile {

std::optional<SmallVector<unsigned, 2>> keptDims(ArrayRef<int64_t> full, ArrayRef<int64_t> part) {
  SmallVector<unsigned, 2> dims;
  for (auto [dim, extent] : llvm::enumerate(full)) {
    if (!part.empty() && part.front() == extent) {
      part = part.drop_front();
      dims.push_back(dim);
    } else if (extent != 1) {
      return std::nullopt;
    }
  }
  return part.empty() ? std::optional(dims) : std::nullopt;
}

static ArrayRef<int64_t> shapeOf(Value tile) { return cast<RankedTensorType>(tile.getType()).getShape(); }

Value beforeDrop(Value tile) {
  auto reshape = tile.getDefiningOp<ReshapeOp>();
  return reshape && keptDims(shapeOf(reshape.getSource()), shapeOf(tile)) ? reshape.getSource() : tile;
}

Value beforeAdd(Value tile) {
  auto reshape = tile.getDefiningOp<ReshapeOp>();
  return reshape && keptDims(shapeOf(tile), shapeOf(reshape.getSource())) ? reshape.getSource() : tile;
}

} // namespace phobos::tile
