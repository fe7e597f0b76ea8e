// tile-unsigned-indices: remainders of indices that cannot be negative. See Passes.td.
#include "phobos/Dialect/Tile/IR/Divisibility.h"
#include "phobos/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace phobos::tile {

#define GEN_PASS_DEF_UNSIGNEDINDICES
#include "phobos/Dialect/Tile/Transforms/Passes.h.inc"

namespace {

bool areNeverNegative(Operation &op) {
  return op.getResult(0).getType().isIndex() && llvm::all_of(op.getOperands(), isNeverNegative);
}

/// Do the signs of two numbers differ, asked of two that have none: what a division that rounds down asks.
bool asksForSigns(arith::CmpIOp compare) {
  auto signs = compare.getLhs().getDefiningOp<arith::XOrIOp>();
  return compare.getPredicate() == arith::CmpIPredicate::slt && matchPattern(compare.getRhs(), m_Zero()) && signs &&
         areNeverNegative(*signs);
}

struct UnsignedIndices final : impl::UnsignedIndicesBase<UnsignedIndices> {
  void runOnOperation() override {
    // In order, so that what is known of a result serves those that use it.
    getOperation().walk<WalkOrder::PreOrder>([](Block *block) {
      for (Operation &op : llvm::make_early_inc_range(*block)) {
        if (auto compare = dyn_cast<arith::CmpIOp>(op); compare && asksForSigns(compare)) {
          OpBuilder b(compare);
          compare.replaceAllUsesWith(Value(arith::ConstantIntOp::create(b, op.getLoc(), 0, 1)));
        } else if (auto select = dyn_cast<arith::SelectOp>(op); select && isNever(select.getCondition())) {
          select.replaceAllUsesWith(select.getFalseValue());
        } else if (isa<arith::RemSIOp>(op) && areNeverNegative(op)) {
          OpBuilder b(&op);
          op.getResult(0).replaceAllUsesWith(
              arith::RemUIOp::create(b, op.getLoc(), op.getOperand(0), op.getOperand(1)));
          op.erase();
        }
      }
    });
  }

  /// False, or a conjunction with it.
  static bool isNever(Value condition) {
    auto both = condition.getDefiningOp<arith::AndIOp>();
    return matchPattern(condition, m_Zero()) || (both && (isNever(both.getLhs()) || isNever(both.getRhs())));
  }
};

} // namespace
} // namespace phobos::tile
