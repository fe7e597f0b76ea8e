// Verifiers of tile.print and tile.assert.
#include "phobos/Dialect/Tile/IR/Tile.h"

using namespace mlir;

namespace phobos::tile {
namespace {

/// Scalars and static tiles of integers, indices and floats.
bool isValue(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return (!tile || tile.hasStaticShape()) && getElementTypeOrSelf(type).isIntOrIndexOrFloat();
}

LogicalResult verifyText(Operation *op, StringRef what, StringRef text) {
  return text.contains('\0') ? LogicalResult(op->emitOpError("expected ") << what << " without zero bytes") : success();
}

} // namespace

Value PrintOp::firstTile() {
  auto tile = llvm::find_if(getValues(), [](Value value) { return isa<RankedTensorType>(value.getType()); });
  return tile == getValues().end() ? Value() : *tile;
}

LogicalResult PrintOp::verify() {
  if (getIsUnsigned() && getIsUnsigned()->size() != getValues().size()) {
    return emitOpError("expected `unsigned` for ") << getValues().size() << " values, got " << getIsUnsigned()->size();
  }
  auto first = firstTile() ? cast<RankedTensorType>(firstTile().getType()) : RankedTensorType();
  for (Value value : getValues()) {
    if (!isValue(value.getType())) {
      return emitOpError("expected numbers and tiles of static shape, got ") << value.getType();
    }
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    if (tile && (tile.getShape() != first.getShape() || tile.getEncoding() != first.getEncoding())) {
      return emitOpError("expected tiles of one shape and layout, got ") << first << " and " << tile;
    }
  }
  return verifyText(*this, "a text", getText());
}

LogicalResult AssertOp::verify() {
  Type type = getCondition().getType();
  if (!isValue(type) || !getElementTypeOrSelf(type).isInteger(1)) {
    return emitOpError("expected an i1 or a tile of i1, got ") << type;
  }
  return verifyText(*this, "a message", getMessage());
}

} // namespace phobos::tile
