// tile-check-grid-barriers: what decides whether a block comes to a barrier of the grid. See Passes.td.
#include "phobos/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace phobos::tile {

#define GEN_PASS_DEF_CHECKGRIDBARRIERS
#include "phobos/Dialect/Tile/Transforms/Passes.h.inc"

namespace {

/// Is the value computed from the block's number: through branches and the turns of loops, but not through memory?
bool dependsOnBlock(Value value) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> work;
  auto push = [&](ValueRange values) {
    llvm::copy_if(values, std::back_inserter(work), [&](Value each) { return seen.insert(each).second; });
  };
  push(value);
  while (!work.empty()) {
    Value next = work.pop_back_val();
    auto argument = dyn_cast<BlockArgument>(next);
    Operation *op = argument ? argument.getOwner()->getParentOp() : next.getDefiningOp();
    if (isa<BlockIdOp>(op)) {
      return true;
    }
    if (isa<KernelOp, LoadOp, AtomicOp>(op)) {
      continue;
    }
    push(op->getOperands());
    for (Region &region : op->getRegions()) { // what a branch, or the turn of a loop before, hands on
      if (!region.empty()) {
        push(region.back().getTerminator()->getOperands());
      }
    }
  }
  return false;
}

/// The values that decide how often what is in the op runs.
SmallVector<Value> deciding(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    return {branch.getCondition()};
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    return {loop.getConditionOp().getCondition()};
  }
  return {};
}

struct CheckGridBarriers final : impl::CheckGridBarriersBase<CheckGridBarriers> {
  void runOnOperation() override {
    getOperation().walk([&](GridBarrierOp barrier) {
      for (Operation *around = barrier->getParentOp(); !isa<KernelOp>(around); around = around->getParentOp()) {
        for (Value value : deciding(around)) {
          if (!dependsOnBlock(value)) {
            continue;
          }
          auto error = barrier.emitError("a barrier of the grid where not every block comes");
          error.attachNote(around->getLoc()) << "this depends on the number of the block";
          error.attachNote() << "hint: move ph.grid_barrier() out, to where every block of the grid comes";
          signalPassFailure();
          return;
        }
      }
    });
  }
};

} // namespace
} // namespace phobos::tile
