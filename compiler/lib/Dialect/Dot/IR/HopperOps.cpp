// Verifiers of bulk copies and warpgroup products.
#include "phobos/Dialect/Dot/IR/Dot.h"

using namespace mlir;

namespace phobos::dot {

SmallVector<unsigned, 2> TensorMapType::getTileDims() const {
  SmallVector<unsigned, 2> dims;
  for (auto [dim, extent] : llvm::enumerate(getBox())) {
    if (extent > 1) {
      dims.push_back(dim);
    }
  }
  return dims;
}

static LogicalResult verifyBox(Operation *op, TensorMapType map, StageType stage) {
  bool rounds = isa<TmaLoadOp>(op) && map.getElementType().isTF32() && stage.getElementType().isF32();
  if ((map.getElementType() != stage.getElementType() && !rounds) || map.getSwizzleBytes() != stage.getPanelBytes()) {
    return op->emitOpError("expected slots of ")
           << map.getElementType() << " in panels of " << map.getSwizzleBytes() << " bytes, got " << stage;
  }
  for (auto [dim, mapDim] : llvm::enumerate(map.getTileDims())) {
    int64_t extent = map.getBox()[mapDim];
    if (extent > 256 || stage.getShape()[dim] % extent) {
      return op->emitOpError("expected a box of up to 256 that divides the slot, got ")
             << extent << " in dimension " << mapDim;
    }
  }
  return success();
}

LogicalResult TmaLoadOp::verify() {
  TensorMapType map = getMap().getType();
  StageType stage = getStage().getType();
  if (getOffsets().size() != map.getBox().size()) {
    return emitOpError("expected offsets of the map's rank ") << map.getBox().size();
  }
  if (stage.getShape().size() != map.getTileDims().size()) {
    return emitOpError("expected a slot of rank ")
           << map.getTileDims().size() << ", as the map's tiles are, got " << stage;
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
  if (value.getRank() != 2 || map.getTileDims().size() != 2 || stage.getShape().size() != 2) {
    return emitOpError("expected a tile, a slot and the map's tiles of rank 2");
  }
  if (getOffsets().size() != map.getBox().size()) {
    return emitOpError("expected offsets of the map's rank ") << map.getBox().size();
  }
  if (value.getElementType() != stage.getElementType()) {
    return emitOpError("expected slots of ") << value.getElementType() << ", got " << stage;
  }
  return verifyBox(*this, map, stage);
}

ArrayRef<int64_t> WgmmaOp::getShapeA() {
  auto stage = getStageA();
  return stage ? stage.getType().getShape() : cast<RankedTensorType>(getA().getType()).getShape();
}

Type WgmmaOp::getElementTypeA() {
  auto stage = getStageA();
  return stage ? stage.getType().getElementType() : cast<RankedTensorType>(getA().getType()).getElementType();
}

LogicalResult WgmmaOp::verify() {
  auto acc = cast<RankedTensorType>(getAcc().getType());
  ArrayRef<int64_t> a = getShapeA(), b = getB().getType().getShape();
  if (a.size() != 2 || b.size() != 2 || acc.getRank() != 2) {
    return emitOpError("expected operands and an accumulator of rank 2");
  }
  if (bool(getStageA()) != bool(getSlotA())) {
    return emitOpError(getSlotA() ? "expected no slot of a tile in registers" : "expected a slot of its first operand");
  }
  if (!getStageA() && (getTransA() || getElementTypeA().getIntOrFloatBitWidth() != 16)) {
    return emitOpError("expected a tile in registers to be M x K of 16-bit elements, got ") << getA().getType();
  }
  int64_t m = a[getTransA()], ka = a[!getTransA()], kb = b[getTransB()], n = b[!getTransB()];
  if (ka != kb || m != acc.getDimSize(0) || n != acc.getDimSize(1)) {
    return emitOpError("expected M x K, K x N and M x N, got ")
           << m << " x " << ka << ", " << kb << " x " << n << " and " << acc;
  }
  return success();
}

} // namespace phobos::dot
