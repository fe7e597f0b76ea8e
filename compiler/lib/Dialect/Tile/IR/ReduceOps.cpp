// Verifiers of reductions and scans.
#include "phobos/Dialect/Tile/IR/Tile.h"

using namespace mlir;

namespace phobos::tile {

/// The region takes two elements of each source and gives one; results have the shape that `resultShape` makes of a
/// source's.
template <typename OpT>
static LogicalResult verifyCombination(OpT op, llvm::function_ref<void(SmallVectorImpl<int64_t> &)> resultShape) {
  unsigned n = op.getSources().size();
  Block &body = op.getCombine().front();
  if (n == 0 || body.getNumArguments() != 2 * n || body.getTerminator()->getNumOperands() != n) {
    return op.emitOpError("expected a region from ") << 2 * n << " elements to " << n;
  }
  auto first = cast<RankedTensorType>(op.getSources()[0].getType());
  for (auto [i, source, result] : llvm::enumerate(op.getSources(), op.getResults())) {
    auto from = cast<RankedTensorType>(source.getType());
    auto to = cast<RankedTensorType>(result.getType());
    if (op.getAxis() >= from.getRank()) {
      return op.emitOpError("expected an axis below ") << from.getRank() << ", got " << op.getAxis();
    }
    if (from.getShape() != first.getShape()) {
      return op.emitOpError("expected tiles of one shape, got ") << first << " and " << from;
    }
    SmallVector<int64_t> want(from.getShape());
    resultShape(want);
    if (to.getShape() != ArrayRef<int64_t>(want) || to.getElementType() != from.getElementType()) {
      return op.emitOpError("expected a result of shape ")
             << want << " and type " << from.getElementType() << ", got " << to;
    }
    Type element = from.getElementType();
    if (body.getArgument(i).getType() != element || body.getArgument(n + i).getType() != element ||
        body.getTerminator()->getOperand(i).getType() != element) {
      return op.emitOpError("expected elements of type ") << element << " in the region";
    }
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getSources().empty() || getIdentity().size() != getSources().size()) {
    return emitOpError("expected one identity an operand, got ")
           << getIdentity().size() << " for " << getSources().size();
  }
  return verifyCombination(*this, [&](SmallVectorImpl<int64_t> &shape) { shape.erase(shape.begin() + getAxis()); });
}

LogicalResult ScanOp::verify() {
  return verifyCombination(*this, [](SmallVectorImpl<int64_t> &) {});
}

} // namespace phobos::tile
