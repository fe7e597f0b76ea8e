// Verifier of reductions.
#include "phobos/Dialect/Tile/IR/Tile.h"

using namespace mlir;

namespace phobos::tile {

LogicalResult ReduceOp::verify() {
  unsigned n = getSources().size();
  if (n == 0 || getIdentity().size() != n) {
    return emitOpError("expected one identity an operand, got ") << getIdentity().size() << " for " << n;
  }
  Block &body = getCombine().front();
  if (body.getNumArguments() != 2 * n || body.getTerminator()->getNumOperands() != n) {
    return emitOpError("expected a region from ") << 2 * n << " elements to " << n;
  }
  for (auto [i, source, result] : llvm::enumerate(getSources(), getResults())) {
    auto from = cast<RankedTensorType>(source.getType());
    auto to = cast<RankedTensorType>(result.getType());
    if (getAxis() >= from.getRank()) {
      return emitOpError("expected an axis below ") << from.getRank() << ", got " << getAxis();
    }
    SmallVector<int64_t> want(from.getShape());
    want.erase(want.begin() + getAxis());
    if (to.getShape() != ArrayRef<int64_t>(want) || to.getElementType() != from.getElementType()) {
      return emitOpError("expected a result of shape ")
             << want << " and type " << from.getElementType() << ", got " << to;
    }
    Type element = from.getElementType();
    if (body.getArgument(i).getType() != element || body.getArgument(n + i).getType() != element ||
        body.getTerminator()->getOperand(i).getType() != element) {
      return emitOpError("expected elements of type ") << element << " in the region";
    }
  }
  return success();
}

} // namespace phobos::tile
