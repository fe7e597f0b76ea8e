// Expansion of a loop of bulk copies and one warpgroup product, without roles: every warpgroup multiplies, one thread
// also copies.
//
// A turn waits for its own slot, starts its products, waits until those of the turn before are done, and meets the
// other warpgroups; the slot of the turn before is then free, and the copies of the turn `stages - 1` later go into it
// while this turn's products run.
#include "LoopExpander.h"

using namespace mlir;

namespace phobos::dot {
namespace {

class TmaExpander : LoopExpander {
public:
  explicit TmaExpander(scf::ForOp loop) : LoopExpander(loop) {
    stages = copies.bulk.front()->getAttrOfType<IntegerAttr>(kLatencyAttr).getInt() + 1;
    barriers = copies.bulk.front().getBarriers();
  }

  void run() {
    loop.emitRemark() << "pipelined: " << stages << " stages, " << copies.bulk.size() << " bulk copies a turn, wgmma";
    for (TmaLoadOp copy : copies.bulk) {
      growStage(copy.getStage(), stages);
    }
    barriers.setType(BarriersType::get(b.getContext(), stages));
    // The slot of the next turn and the parity of its phase; a later run of the loop goes on where this one ends.
    SmallVector<Value> state = enter({0, 0});
    Value slot = state[0];
    for (unsigned turn = 0; turn + 1 < stages; ++turn) {
      Value iv = firstTurns(turn);
      startCopies(iv, slot, isTurn(iv));
      slot = next(slot, stages);
    }
    scf::ForOp pipelined = buildLoop({state[0], slot, state[1]});
    leave({pipelined.getResult(pipelined.getNumResults() - 3), pipelined.getResults().back()});
    finishProducts(pipelined);
    loop.erase();
  }

private:
  void startCopies(Value iv, Value slot, Value valid) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), iv);
    for (TmaLoadOp copy : copies.bulk) { // addresses first, so that the copies are neighbours
      cloneNeeds(copy, mapping);
    }
    for (TmaLoadOp copy : copies.bulk) {
      auto clone = cast<TmaLoadOp>(b.clone(*copy, mapping));
      clone.getSlotMutable().set(slot);
      clone.getValidMutable().assign(valid);
      clone->removeAttr(kClusterAttr);
      clone->removeAttr(kLatencyAttr);
    }
  }

  /// `state`: the slot read first, the slot written first, the parity of the former's phase.
  scf::ForOp buildLoop(ArrayRef<Value> state) {
    SmallVector<Value> inits(loop.getInitArgs());
    size_t carried = inits.size();
    llvm::append_range(inits, state);
    auto pipelined = scf::ForOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
    pipelined->setAttrs(loop->getAttrs());
    pipelined->setAttr(kPipelinedAttr, b.getI32IntegerAttr(stages));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(pipelined.getBody());
    auto arguments = pipelined.getRegionIterArgs();
    Value read = arguments[carried], write = arguments[carried + 1], parity = arguments[carried + 2];
    Value nextRead = next(read, stages), nextWrite = next(write, stages);
    // Each trip round the slots is one more phase of their barriers.
    Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, nextRead, index(0));
    Value nextParity = arith::SelectOp::create(b, loc, wraps, arith::SubIOp::create(b, loc, index(1), parity), parity);

    IRMapping mapping;
    mapping.map(loop.getInductionVar(), pipelined.getInductionVar());
    mapping.map(loop.getRegionIterArgs(), arguments.take_front(carried));
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isa<TmaLoadOp>(op)) {
        continue;
      }
      Operation *clone = b.clone(op, mapping);
      clone->removeAttr(kClusterAttr);
      if (auto await = dyn_cast<AwaitOp>(clone)) {
        await.getSlotMutable().set(read);
        await.getParityMutable().set(parity);
      } else if (auto product = dyn_cast<WgmmaOp>(clone)) {
        product.getSlotAMutable().set(read);
        product.getSlotBMutable().set(read);
      } else if (auto wait = dyn_cast<WgmmaWaitOp>(clone)) {
        wait.setPending(1);
      }
    }
    BarrierOp::create(b, loc);
    Value ahead = turnsAfter(pipelined.getInductionVar(), stages - 1);
    startCopies(ahead, write, isTurn(ahead));
    SmallVector<Value> yielded;
    for (Value value : loop.getBody()->getTerminator()->getOperands()) {
      yielded.push_back(mapping.lookupOrDefault(value));
    }
    llvm::append_values(yielded, nextRead, nextWrite, nextParity);
    scf::YieldOp::create(b, loc, yielded);
    eraseDead(*pipelined.getBody());
    return pipelined;
  }

  /// The last turn's products are still running when the loop ends.
  void finishProducts(scf::ForOp pipelined) {
    Operation *yield = loop.getBody()->getTerminator();
    for (auto [i, result] : llvm::enumerate(loop.getResults())) {
      Value done = pipelined.getResult(i);
      if (yield->getOperand(i).getDefiningOp<WgmmaWaitOp>()) {
        done = WgmmaWaitOp::create(b, loc, done.getType(), done, 0);
      }
      result.replaceAllUsesWith(done);
    }
  }

  unsigned stages;
  TypedValue<BarriersType> barriers;
};

} // namespace

void expandTmaLoop(scf::ForOp loop) { TmaExpander(loop).run(); }

} // namespace phobos::dot
