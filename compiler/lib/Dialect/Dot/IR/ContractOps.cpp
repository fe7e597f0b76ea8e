// Verifier and canonical form of contractions.
#include "phobos/Dialect/Dot/IR/Dot.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace phobos::dot {

LogicalResult ContractOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  auto acc = cast<RankedTensorType>(getAcc().getType());
  if (a.getRank() != 2 || b.getRank() != 2 || acc.getRank() != 2) {
    return emitOpError("expected rank-2 tiles, got ") << a << ", " << b << " and " << acc;
  }
  int64_t m = a.getDimSize(getTransA()), ka = a.getDimSize(!getTransA());
  int64_t kb = b.getDimSize(getTransB()), n = b.getDimSize(!getTransB());
  if (ka != kb || m != acc.getDimSize(0) || n != acc.getDimSize(1)) {
    return emitOpError("expected M x K, K x N and M x N, got ")
           << m << " x " << ka << ", " << kb << " x " << n << " and " << acc.getDimSize(0) << " x "
           << acc.getDimSize(1);
  }
  if (a.getElementType() != b.getElementType()) {
    return emitOpError("expected operands of one element type, got ")
           << a.getElementType() << " and " << b.getElementType();
  }
  return success();
}

namespace {

/// c + contract(a, b, 0) is contract(a, b, c).
struct FoldAddOfContract final : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op, PatternRewriter &rewriter) const override {
    if (!op->hasOneUse()) {
      return rewriter.notifyMatchFailure(op, "product has other uses");
    }
    if (!matchPattern(op.getAcc(), m_AnyZeroFloat()) && !matchPattern(op.getAcc(), m_Zero())) {
      return rewriter.notifyMatchFailure(op, "accumulator is not zero");
    }
    Operation *user = *op->user_begin();
    if (!isa<arith::AddFOp, arith::AddIOp>(user) || user->getBlock() != op->getBlock()) {
      return rewriter.notifyMatchFailure(op, "not added to anything in its block");
    }
    Value other = user->getOperand(user->getOperand(0) == op.getResult());
    rewriter.setInsertionPoint(user);
    rewriter.replaceOpWithNewOp<ContractOp>(user, op.getA(), op.getB(), other, op.getTransAAttr(), op.getTransBAttr(),
                                            op.getPrecisionAttr());
    rewriter.eraseOp(op);
    return success();
  }
};

/// A transposed operand is the other order of reading it.
struct FoldTransposeOfOperand final : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op, PatternRewriter &rewriter) const override {
    auto turned = [](Value operand) {
      auto transpose = operand.getDefiningOp<tile::TransposeOp>();
      return transpose && transpose.getPermutation() == ArrayRef<int32_t>{1, 0} ? transpose : tile::TransposeOp();
    };
    tile::TransposeOp a = turned(op.getA()), b = turned(op.getB());
    if (!a && !b) {
      return rewriter.notifyMatchFailure(op, "no operand is a transpose");
    }
    auto flag = [&](bool on) { return on ? rewriter.getUnitAttr() : UnitAttr(); };
    rewriter.replaceOpWithNewOp<ContractOp>(op, a ? a.getSource() : op.getA(), b ? b.getSource() : op.getB(),
                                            op.getAcc(), flag(op.getTransA() != bool(a)),
                                            flag(op.getTransB() != bool(b)), op.getPrecisionAttr());
    return success();
  }
};

} // namespace

void ContractOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldAddOfContract, FoldTransposeOfOperand>(context);
}

} // namespace phobos::dot
