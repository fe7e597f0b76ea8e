// dot-prefetch-fragments: fragments are read one step before they are multiplied. See Passes.td.
#include "phobos/Dialect/Dot/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace phobos::dot {

#define GEN_PASS_DEF_PREFETCHFRAGMENTS
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

namespace {

/// A step of the loop: fragments, and what multiplies them.
struct Step {
  SmallVector<FragmentOp> fragments;
  SmallVector<Operation *> work;
};

/// A pipelined loop's body, taken apart; nothing if it holds more than steps.
struct Body {
  SmallVector<Step> steps;
  SmallVector<CopyAsyncOp> copies;
  CommitOp commit;
  SmallVector<Operation *> meeting; // at the end: what is put and how it is made, wait, barrier
};

bool isStepWork(Operation *op) { return isa<MmaOp, FmaOp, RoundTf32Op, SplitTf32Op>(op); }

/// Adds what puts are made of behind the last step's beginning to the meeting; false where that needs the step's
/// product.
bool addWork(Body &body) {
  Operation *last = body.steps.back().work.front();
  llvm::SetVector<Operation *> work;
  for (Operation *op : body.meeting) {
    work.insert(op);
  }
  for (size_t i = 0; i < work.size(); ++i) { // grows
    for (Value operand : work[i]->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!def || def->getBlock() != last->getBlock() || def->isBeforeInBlock(last)) {
        continue;
      }
      if (isStepWork(def)) {
        return false;
      }
      work.insert(def);
    }
  }
  body.meeting = work.takeVector();
  llvm::sort(body.meeting, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return true;
}

std::optional<Body> takeApart(scf::ForOp loop) {
  Body body;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto fragment = dyn_cast<FragmentOp>(op)) {
      if (!isa<BlockArgument>(fragment.getSlot())) {
        return std::nullopt; // not a slot that moves on: its data is of this turn's making
      }
      if (!body.meeting.empty()) {
        return std::nullopt;
      }
      if (body.steps.empty() || !body.steps.back().work.empty()) {
        body.steps.emplace_back();
      }
      body.steps.back().fragments.push_back(fragment);
    } else if (isStepWork(&op)) {
      if (body.steps.empty() || !body.meeting.empty()) {
        return std::nullopt;
      }
      body.steps.back().work.push_back(&op);
    } else if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
      body.copies.push_back(copy);
    } else if (auto commit = dyn_cast<CommitOp>(op)) {
      body.commit = commit;
    } else if (isa<PutOp, WaitOp, BarrierOp>(op) && !body.steps.empty()) {
      body.meeting.push_back(&op);
    } else if (!isa<tile::LoadOp>(op) && !isPure(&op)) {
      return std::nullopt;
    }
  }
  return body.steps.empty() || !addWork(body) ? std::nullopt : std::optional(body);
}

/// Shares of the copies before the product of each step but the last, in which the group must be closed before the
/// wait.
void spreadCopies(Body &body) {
  int64_t places = body.steps.size() - 1;
  for (CopyAsyncOp copy : body.copies) {
    for (int64_t i = 0; i < places; ++i) {
      OpBuilder b(body.steps[i].work.front());
      auto share = cast<CopyAsyncOp>(b.clone(*copy));
      share.setShare(ArrayRef<int64_t>{i, places});
    }
    copy.erase();
  }
  body.commit->moveBefore(body.steps[places - 1].work.front());
  body.copies.clear();
}

void prefetch(scf::ForOp loop, Body &body) {
  Step &first = body.steps.front(), &last = body.steps.back();
  Operation *yield = loop.getBody()->getTerminator();
  // The slot that the next turn reads is what the loop yields for the argument.
  auto slotOfNextTurn = [&](FragmentOp fragment) {
    auto argument = cast<BlockArgument>(fragment.getSlot());
    return yield->getOperand(argument.getArgNumber() - loop.getNumInductionVars());
  };
  auto slotOfFirstTurn = [&](FragmentOp fragment) {
    return loop.getTiedLoopInit(cast<BlockArgument>(fragment.getSlot()))->get();
  };

  // The meeting, then the next turn's first fragments, before the last product.
  Operation *lastWork = last.work.front();
  for (Operation *op : body.meeting) {
    op->moveBefore(lastWork);
  }
  OpBuilder b(lastWork);
  SmallVector<Value> inits, nexts;
  for (FragmentOp fragment : first.fragments) {
    auto next = cast<FragmentOp>(b.clone(*fragment));
    next.getSlotMutable().set(slotOfNextTurn(fragment));
    next.setAhead(true);
    nexts.push_back(next.getResult());
    OpBuilder before(loop);
    auto init = cast<FragmentOp>(before.clone(*fragment));
    init.getSlotMutable().set(slotOfFirstTurn(fragment));
    inits.push_back(init.getResult());
  }
  // Each other step's fragments before the product of the step before.
  for (size_t s = 1; s < body.steps.size(); ++s) {
    Operation *place = s == 1 ? &loop.getBody()->front() : body.steps[s - 1].work.front();
    for (FragmentOp fragment : body.steps[s].fragments) {
      fragment->moveBefore(place);
    }
  }
  // Carry the first fragments.
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  auto yieldNexts = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return nexts; };
  unsigned carried = loop.getNumRegionIterArgs();
  auto wider = *loop.replaceWithAdditionalYields(rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, yieldNexts);
  auto newLoop = cast<scf::ForOp>(wider.getOperation());
  for (auto [i, fragment] : llvm::enumerate(first.fragments)) {
    fragment.getResult().replaceAllUsesWith(newLoop.getRegionIterArgs()[carried + i]);
    fragment.erase();
  }
}

struct PrefetchFragments final : impl::PrefetchFragmentsBase<PrefetchFragments> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(kPipelinedAttr)) {
        loops.push_back(loop);
      }
    });
    for (scf::ForOp loop : loops) {
      if (auto body = takeApart(loop)) {
        prefetch(loop, *body);
        bool scalar = isa<FmaOp>(body->steps.front().work.front());
        if (scalar && body->steps.size() > 1 && !body->copies.empty()) {
          spreadCopies(*body);
        }
      }
    }
  }
};

} // namespace
} // namespace phobos::dot
