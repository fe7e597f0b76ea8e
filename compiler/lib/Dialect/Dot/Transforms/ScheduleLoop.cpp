// dot-schedule-loop: decides which operations of a loop run ahead. See Passes.td.
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Dialect/Dot/Transforms/PipelineDepth.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace phobos::dot {

#define GEN_PASS_DEF_SCHEDULELOOP
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

namespace {

struct ScheduleLoop final : impl::ScheduleLoopBase<ScheduleLoop> {
  void runOnOperation() override {
    bool asserted = pipelineDepth(getOperation()).asserted;
    WalkResult result = getOperation().walk([&](scf::ForOp loop) {
      return failed(schedule(loop, asserted)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      signalPassFailure();
    }
  }

  LogicalResult schedule(scf::ForOp loop, bool asserted) {
    llvm::SetVector<Operation *> ahead;
    for (Operation &op : *loop.getBody()) {
      if (op.hasAttr(kLatencyAttr)) {
        ahead.insert(&op);
      }
    }
    if (ahead.empty()) {
      return success();
    }
    if (Operation *inner = pipelinedIn(loop)) {
      // Which one of them can be is decided: nothing that was asked for is missed.
      return refuse(loop, /*asserted=*/false, inner,
                    "its own copies run ahead, and groups of copies are told by their order");
    }
    if (Operation *store = storeIn(loop)) {
      return refuse(loop, asserted, store, "it may write what a later turn's copies read");
    }
    for (size_t i = 0; i < ahead.size(); ++i) { // grows
      for (Value operand : ahead[i]->getOperands()) {
        if (auto argument = dyn_cast<BlockArgument>(operand)) {
          if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar()) {
            return refuse(loop, asserted, ahead[i], "it depends on a value that each turn computes for the next");
          }
        } else if (Operation *def = operand.getDefiningOp(); def->getBlock() == loop.getBody()) {
          if (!isPure(def)) {
            return refuse(loop, asserted, def, "a copy that should run ahead depends on it");
          }
          ahead.insert(def);
        }
      }
    }
    Builder b(loop.getContext());
    for (Operation &op : loop.getBody()->without_terminator()) {
      bool early = ahead.contains(&op) || isa<CommitOp>(op);
      op.setAttr(kClusterAttr, b.getI32IntegerAttr(early ? 0 : 1));
    }
    return success();
  }

  /// A loop inside whose asynchronous copies are to run ahead; inner loops are scheduled first.
  static Operation *pipelinedIn(scf::ForOp loop) {
    Operation *found = nullptr;
    loop.walk([&](scf::ForOp inner) {
      bool scheduled = llvm::any_of(*inner.getBody(), [](Operation &op) { return op.hasAttr(kClusterAttr); });
      if (inner != loop && scheduled && !copiesOf(inner).async.empty()) {
        found = inner;
      }
    });
    return found;
  }

  static Operation *storeIn(scf::ForOp loop) {
    Operation *found = nullptr;
    loop.walk([&](Operation *op) {
      if (isa<tile::StoreOp, tile::AtomicOp>(op)) {
        found = found ? found : op;
      }
    });
    return found;
  }

  static LogicalResult refuse(scf::ForOp loop, bool asserted, Operation *op, StringRef why) {
    // Bulk copies need the slots and phases that the expansion gives them: who chose them has seen to it.
    bool bulk = !copiesOf(loop).bulk.empty();
    InFlightDiagnostic message = asserted || bulk ? loop.emitError() : loop.emitRemark();
    message << "loop not pipelined: an operation is in the way";
    message.attachNote(op->getLoc()) << op->getName() << ": " << why;
    if (bulk) {
      return failure();
    }
    for (Operation &each : *loop.getBody()) {
      each.removeAttr(kLatencyAttr);
    }
    return failure(asserted);
  }
};

} // namespace
} // namespace phobos::dot
