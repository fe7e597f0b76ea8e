// Verifiers and folds of views, loads, stores and atomics.
#include "phobos/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace phobos::tile {
namespace {

template <typename OpT> LogicalResult verifyDim(OpT op) {
  unsigned rank = cast<ViewType>(op.getView().getType()).getRank();
  if (op.getDim() >= rank) {
    return op.emitOpError("expected a dimension below ") << rank << ", got " << op.getDim();
  }
  return success();
}

template <typename OpT> LogicalResult verifySlice(OpT op, RankedTensorType tile) {
  auto view = cast<ViewType>(op.getView().getType());
  if (tile.getRank() != view.getRank()) {
    return op.emitOpError("expected a tile of the view's rank ") << view.getRank() << ", got " << tile;
  }
  if (!tile.hasStaticShape()) {
    return op.emitOpError("expected a tile of static shape, got ") << tile;
  }
  if (tile.getElementType() != view.getElementType()) {
    return op.emitOpError("expected elements of type ") << view.getElementType() << ", got " << tile.getElementType();
  }
  if (op.getOffsets().size() != view.getRank()) {
    return op.emitOpError("expected ") << view.getRank() << " offsets, got " << op.getOffsets().size();
  }
  if (op.getWhole() && op.getWhole()->size() != view.getRank()) {
    return op.emitOpError("expected `whole` for ") << view.getRank() << " dimensions, got " << op.getWhole()->size();
  }
  ArrayRef<int64_t> indexed = op.getIndexed().value_or(ArrayRef<int64_t>());
  bool ascends = llvm::is_sorted(indexed, std::less_equal<>()); // of each pair the second is not less or equal
  if (indexed.size() != op.getIndices().size() || !ascends ||
      (!indexed.empty() && (indexed.front() < 0 || indexed.back() >= view.getRank()))) {
    return op.emitOpError("expected a tile of indices for each of `indexed`, ascending dimensions of the view");
  }
  for (Value indices : op.getIndices()) {
    auto type = cast<RankedTensorType>(indices.getType());
    if (type.getShape() != tile.getShape() || type.getEncoding() != tile.getEncoding() ||
        !(type.getElementType().isInteger(32) || type.getElementType().isInteger(64))) {
      return op.emitOpError("expected indices of i32 or i64 that lie as the tile does, ") << tile << ", got " << type;
    }
  }
  return success();
}

} // namespace

LogicalResult ExtentOp::verify() { return verifyDim(*this); }
LogicalResult StrideOp::verify() { return verifyDim(*this); }

OpFoldResult ExtentOp::fold(FoldAdaptor) {
  int64_t extent = getView().getType().getShape()[getDim()];
  return ShapedType::isDynamic(extent) ? OpFoldResult() : Builder(getContext()).getIndexAttr(extent);
}

OpFoldResult StrideOp::fold(FoldAdaptor) {
  int64_t stride = getView().getType().getStrides()[getDim()];
  return stride < 0 ? OpFoldResult() : Builder(getContext()).getIndexAttr(stride);
}

LogicalResult LoadOp::verify() {
  if (getFill() && getFill().getType() != getView().getType().getElementType()) {
    return emitOpError("expected a fill of type ")
           << getView().getType().getElementType() << ", got " << getFill().getType();
  }
  return verifySlice(*this, cast<RankedTensorType>(getResult().getType()));
}

LogicalResult PrefetchOp::verify() {
  unsigned rank = getView().getType().getRank();
  if (getOffsets().size() != rank || getExtents().size() != rank) {
    return emitOpError("expected ") << rank << " offsets and extents, got " << getOffsets().size() << " and "
                                    << getExtents().size();
  }
  return success();
}

LogicalResult StoreOp::verify() { return verifySlice(*this, cast<RankedTensorType>(getValue().getType())); }

LogicalResult AtomicOp::verify() {
  auto tile = cast<RankedTensorType>(getValue().getType());
  AtomicKind kind = getKind();
  Type element = tile.getElementType();
  bool number = element.isInteger(32) || element.isInteger(64), wide = element.isF32() || element.isF64();
  if (!number && !(kind == AtomicKind::Add && (wide || element.isF16() || element.isBF16()))) {
    return emitOpError("cannot ") << stringifyAtomicKind(kind) << " elements of type " << element;
  }
  if (bool(getCompare()) != (kind == AtomicKind::CompareExchange)) {
    return emitOpError("expected `compare` with cas and nothing else");
  }
  if (getCompare() && getCompare().getType() != tile) {
    return emitOpError("expected to compare with a tile of type ") << tile << ", got " << getCompare().getType();
  }
  return verifySlice(*this, tile);
}

} // namespace phobos::tile
