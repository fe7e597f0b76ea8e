// Expansion of a loop of bulk copies and warpgroup products, without roles: every warpgroup multiplies, one thread
// also copies.
//
// A turn waits for its own slot, starts its products, waits until those of the turn before are done, and meets the
// other warpgroups; the slot of the turn before is then free, and the copies of the turn `stages - 1` later go into it
// while this turn's products run. Where a turn waits for its own products, it begins with that meeting and those
// copies.
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
    planStagger(stages);
    for (TmaLoadOp copy : copies.bulk) {
      growStage(copy.getStage(), stages);
    }
    barriers.setType(BarriersType::get(b.getContext(), stages));
    // The slot of the next turn, the parity of its phase, and that of slots in front of the loop; a later run of the
    // loop goes on where this one ends.
    still = !stillCopies().empty();
    SmallVector<Value> state = still ? enter({0, 0, 0}) : enter({0, 0});
    Value phase = still ? state[2] : Value();
    bringStill(phase);
    Value slot = state[0];
    for (unsigned turn = 0; turn + 1 < stages; ++turn) {
      Value iv = firstTurns(turn);
      startCopies(iv, slot, isTurn(iv));
      slot = next(slot, stages);
    }
    meetLate();
    SmallVector<Value> inits(loop.getInitArgs());
    llvm::append_values(inits, state[0], slot, state[1]);
    SmallVector<Value> results = stagger || beginsWithZeros()
                                     ? ifAnyTurn(inits, [&] { return run(inits, /*peel=*/true); })
                                     : run(inits, /*peel=*/false);
    leaveSlots(results[results.size() - 3], results.back(), phase);
    for (auto [result, value] : llvm::zip(loop.getResults(), results)) {
      result.replaceAllUsesWith(value);
    }
    loop.erase();
  }

private:
  /// The thread that made the barriers need not wait for the others before its first copies; a turn that begins with a
  /// meeting is late enough.
  void meetLate() {
    auto meeting = dyn_cast<BarrierOp>(barriers.getDefiningOp()->getNextNode());
    if (!meeting || still) {
      return;
    }
    auto all = meeting->getBlock()->getOps<AllocBarriersOp>();
    if (!keepsSlot() && llvm::hasSingleElement(all)) {
      meeting->erase();
    } else if (around.empty() && meeting->getBlock() == loop->getBlock()) {
      meeting->moveBefore(loop);
    }
  }

  /// In later runs of the loop, when all have read what is there.
  void bringStill(Value parity) {
    for (TmaLoadOp copy : stillCopies()) {
      awaitStill(copy, parity);
      if (!around.empty()) {
        OpBuilder before(copy);
        BarrierOp::create(before, loc);
      }
    }
  }

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

  /// All turns, the first of them in front of the loop under `peel`. Carried are what the loop carried, the slot read,
  /// the slot written, and the parity of the former's phase; and between turns what a product that was put off
  /// multiplies.
  SmallVector<Value> run(ArrayRef<Value> inits, bool peel) {
    SmallVector<Value> carried(inits);
    Value lower = loop.getLowerBound();
    if (peel) {
      carried = turn(lower, carried, /*first=*/true);
      lower = arith::AddIOp::create(b, loc, lower, loop.getStep());
    }
    auto pipelined = scf::ForOp::create(b, loc, lower, loop.getUpperBound(), loop.getStep(), carried);
    pipelined->setAttrs(loop->getAttrs());
    pipelined->setAttr(kPipelinedAttr, b.getI32IntegerAttr(stages));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(pipelined.getBody());
      SmallVector<Value> arguments(pipelined.getRegionIterArgs());
      scf::YieldOp::create(b, loc, turn(pipelined.getInductionVar(), arguments, /*first=*/false));
      eraseDead(*pipelined.getBody());
    }
    SmallVector<Value> results(pipelined.getResults());
    if (stagger) {
      Value narrowed = results.pop_back_val();
      multiplyLast(results, narrowed, previous(results[loop.getNumResults()], stages));
    }
    waitForLast(results);
    return results;
  }

  /// `first`: in front of the loop, so that no turn's products can be running.
  SmallVector<Value> turn(Value iv, ArrayRef<Value> carried, bool first) {
    size_t own = loop.getNumResults();
    Value read = carried[own], write = carried[own + 1], parity = carried[own + 2];
    Value nextRead = next(read, stages), nextWrite = next(write, stages);
    Value nextParity = parityAt(nextRead, parity);
    bool keeps = keepsSlot();
    if (!keeps) { // the turn before is done with its slot
      copyAhead(iv, write, first);
    }
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), iv);
    mapping.map(loop.getRegionIterArgs(), carried.take_front(own));
    Value narrowed;
    if (stagger) {
      narrowed = cloneStaggered(mapping, read, previous(read, stages), parity, first ? Value() : carried.back());
    } else {
      cloneTurn(mapping, read, parity, first);
    }
    if (keeps) {
      copyAhead(iv, write, first);
    }
    SmallVector<Value> left;
    for (Value value : loop.getBody()->getTerminator()->getOperands()) {
      left.push_back(mapping.lookupOrDefault(value));
    }
    llvm::append_values(left, nextRead, nextWrite, nextParity);
    if (stagger) {
      left.push_back(narrowed);
    }
    return left;
  }

  /// The copies of the turn `stages - 1` after that of `iv`.
  void copyAhead(Value iv, Value slot, bool first) {
    if (!first || !around.empty()) { // it was read before
      BarrierOp::create(b, loc);
    }
    Value ahead = turnsAfter(iv, stages - 1);
    startCopies(ahead, slot, isTurn(ahead));
  }

  unsigned stages;
  bool still = false; // are there slots that are filled in front of the loop?
  TypedValue<BarriersType> barriers;
};

} // namespace

void expandTmaLoop(scf::ForOp loop) { TmaExpander(loop).run(); }

} // namespace phobos::dot
