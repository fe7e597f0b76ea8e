// Verifiers of multiplications on fragments.
#include "phobos/Dialect/Dot/IR/Dot.h"

using namespace mlir;

namespace phobos::dot {

/// a is M x K, b is K x N, acc is M x N.
template <typename OpT> static LogicalResult verifyProduct(OpT op) {
  auto a = cast<RankedTensorType>(op.getA().getType()), b = cast<RankedTensorType>(op.getB().getType());
  auto acc = cast<RankedTensorType>(op.getAcc().getType());
  if (a.getRank() != 2 || b.getRank() != 2 || acc.getRank() != 2 || a.getDimSize(1) != b.getDimSize(0) ||
      a.getDimSize(0) != acc.getDimSize(0) || b.getDimSize(1) != acc.getDimSize(1)) {
    return op.emitOpError("expected M x K, K x N and M x N, got ") << a << ", " << b << " and " << acc;
  }
  return success();
}

LogicalResult MmaOp::verify() {
  if (getShape().size() != 3 || cast<RankedTensorType>(getA().getType()).getDimSize(1) % getShape()[2]) {
    return emitOpError("expected m, n and k of an instruction whose k divides the operands'");
  }
  return verifyProduct(*this);
}

LogicalResult FmaOp::verify() { return verifyProduct(*this); }

} // namespace phobos::dot
