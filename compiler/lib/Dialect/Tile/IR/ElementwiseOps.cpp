// Verifiers and folds of the functions of elements.
#include "phobos/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/CommonFolders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace phobos::tile {

APFloat toFloat8(APFloat value, FloatType type) {
  const llvm::fltSemantics &format = type.getFloatSemantics();
  if (value.isNaN()) {
    return APFloat(format, APInt(8, 0x7f));
  }
  bool inexact;
  bool isNegative = value.isNegative();
  value.convert(format, APFloat::rmNearestTiesToEven, &inexact);
  return value.isFinite() ? value : APFloat::getLargest(format, isNegative);
}

LogicalResult ToFloat8Op::verify() {
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(getIn())),
       to = dyn_cast<FloatType>(getElementTypeOrSelf(getOut()));
  if (!from || from.getWidth() <= 8) {
    return emitOpError("expected floats of more than 8 bits, got ") << getIn().getType();
  }
  if (!to || to.getWidth() != 8) {
    return emitOpError("expected a result of 8-bit floats, got ") << getOut().getType();
  }
  return success();
}

OpFoldResult ToFloat8Op::fold(FoldAdaptor adaptor) {
  auto type = cast<FloatType>(getElementTypeOrSelf(getOut()));
  return constFoldCastOp<FloatAttr, FloatAttr>(adaptor.getOperands(), getType(),
                                               [&](const APFloat &value, bool &) { return toFloat8(value, type); });
}

} // namespace phobos::tile
