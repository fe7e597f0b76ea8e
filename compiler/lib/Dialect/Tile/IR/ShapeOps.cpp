// Verifiers and folds of the shape ops.
#include "phobos/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace phobos::tile {

/// Element types of source and result agree.
template <typename OpT> static LogicalResult verifySameElement(OpT op) {
  auto from = cast<RankedTensorType>(op.getSource().getType()).getElementType();
  auto to = cast<RankedTensorType>(op.getResult().getType()).getElementType();
  return from == to ? success() : LogicalResult(op.emitOpError("expected elements of type ") << from << ", got " << to);
}

LogicalResult SplatOp::verify() {
  auto element = cast<RankedTensorType>(getResult().getType()).getElementType();
  if (getValue().getType() != element) {
    return emitOpError("expected a scalar of type ") << element << ", got " << getValue().getType();
  }
  return success();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  auto value = dyn_cast_if_present<TypedAttr>(adaptor.getValue());
  return value ? DenseElementsAttr::get(cast<ShapedType>(getType()), Attribute(value)) : OpFoldResult();
}

LogicalResult IotaOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  if (type.getRank() != 1 || !type.getElementType().isInteger()) {
    return emitOpError("expected a rank-1 integer tile, got ") << type;
  }
  return success();
}

LogicalResult ExpandDimsOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType());
  SmallVector<int64_t> want(from.getShape());
  if (getAxis() > want.size()) {
    return emitOpError("expected an axis up to ") << want.size() << ", got " << getAxis();
  }
  want.insert(want.begin() + getAxis(), 1);
  auto to = cast<RankedTensorType>(getResult().getType());
  if (to.getShape() != ArrayRef<int64_t>(want)) {
    return emitOpError("expected a result of shape ") << want << ", got " << to;
  }
  return verifySameElement(*this);
}

LogicalResult BroadcastOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  if (from.getRank() != to.getRank()) {
    return emitOpError("expected a result of rank ") << from.getRank() << ", got " << to;
  }
  for (auto [a, b] : llvm::zip(from.getShape(), to.getShape())) {
    if (a != b && a != 1) {
      return emitOpError("expected extents of 1 where shapes differ, got ") << from << " and " << to;
    }
  }
  return verifySameElement(*this);
}

LogicalResult TransposeOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  SmallVector<bool> seen(from.getRank());
  if (getPermutation().size() != seen.size() || to.getRank() != from.getRank()) {
    return emitOpError("expected a permutation of ") << seen.size() << " dimensions";
  }
  for (auto [i, p] : llvm::enumerate(getPermutation())) {
    if (p < 0 || p >= from.getRank() || seen[p]) {
      return emitOpError("expected a permutation, got ") << getPermutation();
    }
    seen[p] = true;
    if (to.getDimSize(i) != from.getDimSize(p)) {
      return emitOpError("expected extent ")
             << from.getDimSize(p) << " in dimension " << i << ", got " << to.getDimSize(i);
    }
  }
  return verifySameElement(*this);
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() && llvm::is_sorted(getPermutation()) ? getSource() : OpFoldResult();
}

bool reshapesInPlace(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  auto without = [](ArrayRef<int64_t> shape) {
    return llvm::filter_to_vector(shape, [](int64_t extent) { return extent != 1; });
  };
  SmallVector<int64_t> a = without(from), b = without(to);
  auto isPower = [](int64_t extent) { return llvm::isPowerOf2_64(extent); };
  // Runs of dimensions with as many elements, from the last on, each as short as it can be.
  while (!a.empty() && !b.empty()) {
    int64_t elements = a.pop_back_val(), others = b.pop_back_val();
    int64_t first = elements, second = others; // of the run, so far
    while (elements != others) {
      SmallVector<int64_t> &shorter = elements < others ? a : b;
      if (shorter.empty() || !isPower(elements < others ? first : second)) {
        return false;
      }
      int64_t &leading = elements < others ? first : second;
      leading = shorter.pop_back_val();
      (elements < others ? elements : others) *= leading;
    }
  }
  return a.empty() && b.empty();
}

LogicalResult ReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  if (from.getNumElements() != to.getNumElements()) {
    return emitOpError("expected ") << from.getNumElements() << " elements, got " << to;
  }
  if (!reshapesInPlace(from.getShape(), to.getShape())) {
    return emitOpError("expected extents that are powers of two behind the first that changes, got ")
           << from << " and " << to;
  }
  return verifySameElement(*this);
}

LogicalResult PartOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType()), to = cast<RankedTensorType>(getResult().getType());
  if (from.getRank() != to.getRank() || getOffsets().size() != size_t(from.getRank())) {
    return emitOpError("expected a tile of the source's rank ")
           << from.getRank() << " and as many offsets, got " << to << " and " << getOffsets().size();
  }
  if (getOther() && getOther().getType() != to) {
    return emitOpError("expected another tile of type ") << to << ", got " << getOther().getType();
  }
  return verifySameElement(*this);
}

LogicalResult ToScalarOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType());
  if (from.getNumElements() != 1 || from.getElementType() != getResult().getType()) {
    return emitOpError("expected a tile of one ") << getResult().getType() << ", got " << from;
  }
  return success();
}

LogicalResult RelayoutOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  if (from.getShape() != to.getShape()) {
    return emitOpError("expected one shape, got ") << from << " and " << to;
  }
  return verifySameElement(*this);
}

OpFoldResult RelayoutOp::fold(FoldAdaptor) {
  return getSource().getType() == getResult().getType() ? OpFoldResult(getSource()) : OpFoldResult();
}

} // namespace phobos::tile
