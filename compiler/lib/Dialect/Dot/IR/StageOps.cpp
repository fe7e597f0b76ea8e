// Verifiers of staged copies and fragments.
#include "phobos/Dialect/Dot/IR/Dot.h"

using namespace mlir;

namespace phobos::dot {

LogicalResult CopyAsyncOp::verify() {
  auto view = cast<tile::ViewType>(getView().getType());
  auto stage = cast<StageType>(getStage().getType());
  size_t rank = stage.getShape().size();
  if (getOffsets().size() != view.getRank() || (!getDims() && rank != view.getRank())) {
    return emitOpError("expected a slot and offsets of the view's rank ") << view.getRank();
  }
  auto ascend = [](ArrayRef<int64_t> dims) {
    return std::adjacent_find(dims.begin(), dims.end(), std::greater_equal<>()) == dims.end();
  };
  if (auto dims = getDims(); dims && (dims->size() != rank || !ascend(*dims) || dims->front() < 0 ||
                                      dims->back() >= int64_t(view.getRank()))) {
    return emitOpError("expected a dimension of the view for each of the slot's ") << rank << ", in order";
  }
  if (getExtents() && getExtents()->size() != rank) {
    return emitOpError("expected an extent for each of the slot's ") << rank << " dimensions";
  }
  if (stage.getElementType() != view.getElementType()) {
    return emitOpError("expected slots of ") << view.getElementType() << ", got " << stage.getElementType();
  }
  if (getBytes() != 4 && getBytes() != 8 && getBytes() != 16) {
    return emitOpError("expected copies of 4, 8 or 16 bytes, got ") << getBytes();
  }
  if (auto share = getShare(); share && (share->size() != 2 || (*share)[0] < 0 || (*share)[0] >= (*share)[1])) {
    return emitOpError("expected share [i, n] with 0 <= i < n");
  }
  return success();
}

SmallVector<int64_t> CopyAsyncOp::getSliceExtents() {
  ArrayRef<int64_t> extents = getExtents() ? *getExtents() : getStage().getType().getShape();
  SmallVector<int64_t> all(getView().getType().getRank(), 1);
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    all[getViewDim(dim)] = extent;
  }
  return all;
}

LogicalResult PutOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  auto stage = cast<StageType>(getStage().getType());
  bool fits = value.getRank() == int64_t(stage.getShape().size()) && value.getElementType() == stage.getElementType();
  for (unsigned i = 0; fits && i < value.getRank(); ++i) {
    fits = value.getDimSize(i) <= stage.getShape()[i];
  }
  return fits ? success()
              : LogicalResult(emitOpError("expected a tile that fits a slot of ") << stage << ", got " << value);
}

LogicalResult FragmentOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  auto stage = cast<StageType>(getStage().getType());
  if (result.getElementType() != stage.getElementType()) {
    return emitOpError("expected elements of type ") << stage.getElementType() << ", got " << result.getElementType();
  }
  unsigned rank = stage.getShape().size();
  if (result.getRank() != rank || getOrigin().size() != rank || (getTransposed() && rank != 2)) {
    return emitOpError("expected a result and an origin of rank ") << rank;
  }
  for (unsigned i = 0; i < rank; ++i) {
    int64_t extent = result.getDimSize(getTransposed() ? 1 - i : i);
    if (getOrigin()[i] < 0 || getOrigin()[i] + extent > int64_t(llvm::PowerOf2Ceil(stage.getShape()[i]))) {
      return emitOpError("expected a part of the slot, got ")
             << extent << " from " << getOrigin()[i] << " in dimension " << i;
    }
  }
  return success();
}

} // namespace phobos::dot
