// tile-guard-rows: what is selected for some rows alone is computed only by warps that have such a row. See Passes.td.
#include "phobos/Dialect/Dot/IR/Dot.h"
#include "phobos/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace phobos::tile {

#define GEN_PASS_DEF_GUARDROWS
#include "phobos/Dialect/Tile/Transforms/Passes.h.inc"

namespace {

RankedTensorType tileOf(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

/// What a condition says of rows, before it is widened along them; null if it is not of rows.
Value rowsOf(Value condition) {
  while (auto broadcast = condition.getDefiningOp<BroadcastOp>()) {
    condition = broadcast.getSource();
  }
  RankedTensorType type = tileOf(condition);
  return type && type.getRank() == 2 && type.getDimSize(1) == 1 ? condition : Value();
}

/// Selections by one condition of rows, in one block.
class Group {
public:
  explicit Group(ArrayRef<arith::SelectOp> selects) : selects(selects) {}

  bool guard() {
    if (!choose(/*ofTrue=*/true) && !choose(/*ofTrue=*/false)) {
      return false;
    }
    if (!moveOthers()) {
      return false;
    }
    rewrite();
    return true;
  }

private:
  Value lazy(arith::SelectOp select) { return ofTrue ? select.getTrueValue() : select.getFalseValue(); }
  Value usual(arith::SelectOp select) { return ofTrue ? select.getFalseValue() : select.getTrueValue(); }

  /// Finds what only these operands of the selections need; is it worth a branch?
  bool choose(bool which) {
    ofTrue = which;
    inside.clear();
    bool worth = false;
    Block *block = selects.front()->getBlock();
    for (Operation &op : llvm::reverse(*block)) {
      bool computes = op.getNumResults() == 1 && tileOf(op.getResult(0)) && isMemoryEffectFree(&op) &&
                      (op.getNumRegions() == 0 || isa<ReduceOp>(op)) && !isa<dot::ContractOp>(op) &&
                      !llvm::is_contained(selects, &op) && !op.use_empty();
      if (!computes || !llvm::all_of(op.getUses(), [&](OpOperand &use) {
            auto select = dyn_cast<arith::SelectOp>(use.getOwner());
            bool selected = select && llvm::is_contained(selects, select) && use.get() == lazy(select) &&
                            use.get() != usual(select) && use.get() != select.getCondition();
            return selected || inside.contains(use.getOwner());
          })) {
        continue;
      }
      inside.insert(&op);
      worth |= isa<ReduceOp>(op) || (isa<math::Exp2Op, math::ExpOp>(op) && tileOf(op.getResult(0)).getDimSize(1) > 1);
    }
    return worth && wide();
  }

  /// The selection of whole rows whose tile says where rows lie.
  arith::SelectOp wide() {
    for (arith::SelectOp select : selects) {
      if (tileOf(select).getRank() == 2 && tileOf(select).getDimSize(1) > 1) {
        return select;
      }
    }
    return {};
  }

  /// What others compute of a result before the last selection comes behind it; can it?
  bool moveOthers() {
    llvm::SetVector<Operation *> others;
    Operation *last = selects.back();
    for (auto it = selects.front()->getIterator(); &*it != last; ++it) {
      bool moves = inside.contains(&*it) || llvm::is_contained(selects, &*it);
      bool depends = llvm::any_of(it->getOperands(), [&](Value operand) {
        Operation *maker = operand.getDefiningOp();
        return maker && (llvm::is_contained(selects, maker) || others.contains(maker));
      });
      if (!moves && depends) {
        others.insert(&*it);
      }
    }
    auto feeds = [&](Operation *op) { // a selection, or what goes inside
      return llvm::any_of(op->getUsers(),
                          [&](Operation *user) { return inside.contains(user) || llvm::is_contained(selects, user); });
    };
    if (llvm::any_of(others,
                     [&](Operation *op) { return !isMemoryEffectFree(op) || op->getNumRegions() > 0 || feeds(op); })) {
      return false;
    }
    for (Operation *op : llvm::reverse(others)) {
      op->moveAfter(last);
    }
    return true;
  }

  void rewrite() {
    arith::SelectOp last = selects.back(), whole = wide();
    OpBuilder b(last);
    Location loc = whole.getLoc();
    Value condition = rowsOf(whole.getCondition());
    if (!ofTrue) {
      Value yes = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(tileOf(condition), true));
      condition = arith::XOrIOp::create(b, loc, condition, yes);
    }
    condition = BroadcastOp::create(b, loc, whole.getCondition().getType(), condition);
    Value any = AnyInWarpOp::create(b, loc, b.getI1Type(), condition, usual(whole));
    whole.emitRemark() << "computed only by warps that have a row of it";
    SmallVector<Type> types;
    for (arith::SelectOp select : selects) {
      types.push_back(select.getType());
    }
    auto branch = scf::IfOp::create(b, loc, types, any, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    IRMapping mapping;
    SmallVector<Value> yes, no;
    for (Operation &op : *last->getBlock()) {
      if (inside.contains(&op) || llvm::is_contained(selects, &op)) {
        b.clone(op, mapping);
      }
    }
    for (arith::SelectOp select : selects) {
      yes.push_back(mapping.lookup(select.getResult()));
      no.push_back(usual(select));
    }
    scf::YieldOp::create(b, loc, yes);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, no);
    for (auto [select, result] : llvm::zip(selects, branch.getResults())) {
      select.getResult().replaceUsesWithIf(result, [&](OpOperand &use) {
        return !branch->isProperAncestor(use.getOwner()) && !inside.contains(use.getOwner());
      });
    }
    for (arith::SelectOp select : llvm::reverse(selects)) {
      eraseAlone(select);
    }
    for (Operation *op : inside) { // users first
      op->erase();
    }
  }

  void eraseAlone(arith::SelectOp select) {
    // What is inside may still use it: it goes too.
    for (OpOperand &use : llvm::make_early_inc_range(select->getUses())) {
      use.set(usual(select));
    }
    select->erase();
  }

  SmallVector<arith::SelectOp> selects; // in order
  bool ofTrue = true;
  llvm::SetVector<Operation *> inside; // in reverse order
};

struct GuardRows final : impl::GuardRowsBase<GuardRows> {
  void runOnOperation() override {
    while (guardOne()) { // what one moved may have held selections of another
    }
  }

  bool guardOne() {
    llvm::MapVector<std::pair<Value, Block *>, SmallVector<arith::SelectOp>> groups;
    getOperation().walk([&](arith::SelectOp select) {
      Value rows = tileOf(select) ? rowsOf(select.getCondition()) : Value();
      if (rows && isa<scf::ForOp>(select->getParentOp())) {
        groups[{rows, select->getBlock()}].push_back(select);
      }
    });
    return llvm::any_of(groups, [](auto &group) { return Group(group.second).guard(); });
  }
};

} // namespace
} // namespace phobos::tile
