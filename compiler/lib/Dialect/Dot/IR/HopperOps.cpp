// Verifiers of bulk copies and warpgroup products.
#include "phobos/Dialect/Dot/IR/Dot.h"

using namespace mlir;

namespace phobos::dot {

static LogicalResult verifyBox(Operation *op, TensorMapType map, StageType stage) {
  if (map.getElementType() != stage.getElementType() || map.getSwizzleBytes() != stage.getPanelBytes()) {
    return op->emitOpError("expected slots of ")
           << map.getElementType() << " in panels of " << map.getSwizzleBytes() << " bytes, got " << stage;
  }
  for (auto [dim, extent] : llvm::enumerate(map.getBox())) {
    if (extent > 256 || stage.getShape()[dim] % extent) {
      return op->emitOpError("expected a box of up to 256 that divides the slot, got ")
             << extent << " in dimension " << dim;
    }
  }
  return success();
}

LogicalResult TmaLoadOp::verify() {
  TensorMapType map = getMap().getType();
  StageType stage = getStage().getType();
  if (map.getBox().size() != stage.getShape().size() || getOffsets().size() != map.getBox().size()) {
    return emitOpError("expected a slot and offsets of the map's rank ") << map.getBox().size();
  }
  if (failed(verifyBox(*this, map, stage))) {
    return failure();
  }
  if (getBarriers().getType().getSlots() != stage.getSlots()) {
    return emitOpError("expected a barrier a slot, got ")
           << getBarriers().getType().getSlots() << " for " << stage.getSlots();
  }
  return success();
}

LogicalResult StoreAsyncOp::verify() {
  TensorMapType map = getMap().getType();
  StageType stage = getStage().getType();
  auto value = cast<RankedTensorType>(getValue().getType());
  if (value.getRank() != 2 || map.getBox().size() != 2 || stage.getShape().size() != 2 || getOffsets().size() != 2) {
    return emitOpError("expected a tile, a slot, a map and offsets of rank 2");
  }
  if (value.getElementType() != stage.getElementType()) {
    return emitOpError("expected slots of ") << value.getElementType() << ", got " << stage;
  }
  return verifyBox(*this, map, stage);
}

LogicalResult WgmmaOp::verify() {
  auto acc = cast<RankedTensorType>(getAcc().getType());
  ArrayRef<int64_t> a = getA().getType().getShape(), b = getB().getType().getShape();
  if (a.size() != 2 || b.size() != 2 || acc.getRank() != 2) {
    return emitOpError("expected slots and an accumulator of rank 2");
  }
  int64_t m = a[getTransA()], ka = a[!getTransA()], kb = b[getTransB()], n = b[!getTransB()];
  if (ka != kb || m != acc.getDimSize(0) || n != acc.getDimSize(1)) {
    return emitOpError("expected M x K, K x N and M x N, got ")
           << m << " x " << ka << ", " << kb << " x " << n << " and " << acc;
  }
  return success();
}

} // namespace phobos::dot
