// What every expansion of a scheduled loop needs.
#include "LoopExpander.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace phobos::dot {

void LoopExpander::cloneNeeds(Operation *op, IRMapping &mapping) {
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (def && def->getBlock() == loop.getBody() && !mapping.contains(operand)) {
      cloneNeeds(def, mapping);
      b.clone(*def, mapping)->removeAttr(kClusterAttr);
    }
  }
}

Value LoopExpander::next(Value slot, unsigned slots) {
  Value one = arith::AddIOp::create(b, loc, slot, index(1));
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, one, index(slots));
  return arith::SelectOp::create(b, loc, wraps, index(0), one);
}

Value LoopExpander::previous(Value slot, unsigned slots) {
  Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, slot, index(0));
  Value before = arith::SubIOp::create(b, loc, slot, index(1));
  return arith::SelectOp::create(b, loc, first, index(slots - 1), before);
}

Value LoopExpander::parityAt(Value nextSlot, Value parity) {
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, nextSlot, index(0));
  return arith::SelectOp::create(b, loc, wraps, arith::SubIOp::create(b, loc, index(1), parity), parity);
}

Value LoopExpander::turnsAfter(Value iv, unsigned turns) {
  return arith::AddIOp::create(b, loc, iv, arith::MulIOp::create(b, loc, loop.getStep(), index(turns)));
}

Value LoopExpander::firstTurns(unsigned turn) {
  return turn ? turnsAfter(loop.getLowerBound(), turn) : loop.getLowerBound();
}

Value LoopExpander::isTurn(Value iv) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, iv, loop.getUpperBound());
}

void LoopExpander::growStage(TypedValue<StageType> stage, unsigned slots) {
  stage.setType(stage.getType().withSlots(slots));
  stage.getDefiningOp()->setAttr(kPipelinedAttr, b.getUnitAttr());
}

void LoopExpander::inSlot(Operation *op, Value slot, Value parity) {
  if (auto await = dyn_cast<AwaitOp>(op)) {
    await.getSlotMutable().set(slot);
    await.getParityMutable().set(parity);
  } else if (auto product = dyn_cast<WgmmaOp>(op)) {
    auto isOfTurn = [&](Value stage) {
      return llvm::any_of(copies.bulk, [&](TmaLoadOp copy) { return copy.getStage() == stage; });
    };
    if (product.getSlotA() && isOfTurn(product.getA())) {
      product.getSlotAMutable().assign(slot);
    }
    product.getSlotBMutable().set(slot);
  } else if (auto fragment = dyn_cast<FragmentOp>(op)) {
    if (llvm::any_of(copies.bulk, [&](TmaLoadOp copy) { return copy.getStage() == fragment.getStage(); })) {
      fragment.getSlotMutable().set(slot);
    }
  }
}

SmallVector<Value> LoopExpander::enter(ArrayRef<int64_t> initial) {
  around.clear();
  for (auto outer = loop->getParentOfType<scf::ForOp>(); outer; outer = outer->getParentOfType<scf::ForOp>()) {
    around.insert(around.begin(), outer);
  }
  SmallVector<Value> state;
  b.setInsertionPoint(around.empty() ? loop : around.front());
  for (int64_t value : initial) {
    state.push_back(index(value));
  }
  IRRewriter rewriter(b.getContext());
  for (scf::ForOp &outer : around) {
    rewriter.setInsertionPoint(outer);
    auto placeholder = [](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
      return SmallVector<Value>(carried.begin(), carried.end());
    };
    FailureOr<LoopLikeOpInterface> wider =
        outer.replaceWithAdditionalYields(rewriter, state, /*replaceInitOperandUsesInLoop=*/false, placeholder);
    outer = cast<scf::ForOp>(wider->getOperation());
    auto carried = outer.getRegionIterArgs().take_back(initial.size());
    state.assign(carried.begin(), carried.end());
  }
  b.setInsertionPoint(loop); // its block has moved
  return state;
}

void LoopExpander::leave(ValueRange state) {
  SmallVector<Value> values(state);
  for (scf::ForOp outer : llvm::reverse(around)) {
    Operation *yield = outer.getBody()->getTerminator();
    yield->setOperands(yield->getNumOperands() - values.size(), values.size(), values);
    auto results = outer.getResults().take_back(values.size());
    values.assign(results.begin(), results.end());
  }
}

bool LoopExpander::productsRunOn() {
  auto waits = loop.getBody()->getOps<WgmmaWaitOp>();
  return llvm::all_of(waits, [](WgmmaWaitOp wait) { return !wait.getTied(); });
}

bool LoopExpander::isLastWait(Operation *wait) {
  auto after = llvm::make_range(std::next(wait->getIterator()), loop.getBody()->end());
  return llvm::none_of(after, llvm::IsaPred<WgmmaWaitOp>);
}

void LoopExpander::cloneTurn(IRMapping &mapping, Value slot, Value parity, bool first) {
  bool runOn = productsRunOn();
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<TmaLoadOp>(op)) {
      continue;
    }
    auto wait = dyn_cast<WgmmaWaitOp>(op);
    if (wait && runOn && (first || !isLastWait(wait))) { // for nothing
      mapping.map(wait.getResult(), mapping.lookup(wait.getAcc()));
      continue;
    }
    Operation *clone = b.clone(op, mapping);
    clone->removeAttr(kClusterAttr);
    inSlot(clone, slot, parity);
    if (wait && runOn) {
      cast<WgmmaWaitOp>(clone).setPending(llvm::range_size(loop.getBody()->getOps<WgmmaOp>()));
    }
  }
}

void LoopExpander::planStagger(unsigned stages) {
  stagger = findStagger(loop);
  if (stagger && stages < 3) { // one is multiplied, one read until the next turn: none would be filled meanwhile
    stagger->product.emitRemark() << "waited for in its own turn: with three stages it would run under the next turn's "
                                     "work";
    stagger.reset();
  }
  if (stagger) {
    stagger->product.emitRemark()
        << "runs in the turn after its own, beside that turn's first product and under what is "
           "computed on the sums of that";
  }
}

/// Is `product` the next one behind `op`?
static bool ridesWith(Operation &op, WgmmaOp product) {
  Operation *next = op.getNextNode();
  while (next && !isa<WgmmaOp>(next)) {
    next = next->getNextNode();
  }
  return next == product;
}

Value LoopExpander::cloneStaggered(IRMapping &mapping, Value slot, Value slotBefore, Value parity, Value narrowed) {
  Stagger &s = *stagger;
  Value running; // the product that the turn before put off
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<TmaLoadOp>(op) || &op == s.narrow || &op == s.product || &op == s.wait || (s.scale && &op == s.scale)) {
      continue;
    }
    Operation *clone = b.clone(op, mapping);
    clone->removeAttr(kClusterAttr);
    inSlot(clone, slot, parity);
    if (auto rider = dyn_cast<WgmmaOp>(clone); rider && rider.getWithNext() && ridesWith(op, s.product)) {
      rider.setWithNext(false); // that one is put off, and the turn waits for this one
    }
    if (&op == s.first && narrowed) {
      auto product = cast<WgmmaOp>(b.clone(*s.product, mapping));
      product->removeAttr(kClusterAttr);
      product.getAMutable().assign(narrowed);
      product.getSlotBMutable().set(slotBefore);
      product.getAccMutable().assign(mapping.lookup(loop.getRegionIterArgs()[s.carried]));
      running = product.getResult();
    }
    auto wait = dyn_cast<WgmmaWaitOp>(clone);
    if (wait && running && op.getOperand(0) == s.first.getResult()) {
      wait.setPending(wait.getPending() + 1);
    }
  }
  Value computed = mapping.lookupOrDefault(s.narrow.getIn()), sums;
  Value factor = s.factor ? mapping.lookupOrDefault(s.factor) : Value();
  if (narrowed) {
    auto join = WgmmaJoinOp::create(b, loc, running.getType(), computed.getType(), running, computed, narrowed, factor);
    sums = join.getResult();
    mapping.map(s.narrow.getIn(), join.getAfter());
  } else {
    sums = s.scale ? b.clone(*s.scale, mapping)->getResult(0) : mapping.lookup(s.product.getAcc());
  }
  mapping.map(s.wait.getResult(), sums);
  Operation *narrow = b.clone(*s.narrow, mapping);
  narrow->removeAttr(kClusterAttr);
  return narrow->getResult(0);
}

void LoopExpander::multiplyLast(MutableArrayRef<Value> results, Value narrowed, Value slot) {
  auto product = cast<WgmmaOp>(b.clone(*stagger->product));
  product->removeAttr(kClusterAttr);
  product.getAMutable().assign(narrowed);
  product.getSlotBMutable().set(slot);
  Value &sums = results[stagger->carried];
  product.getAccMutable().assign(sums);
  sums = WgmmaWaitOp::create(b, loc, sums.getType(), product.getResult(), /*pending=*/0, /*tied=*/true);
}

void LoopExpander::waitForLast(MutableArrayRef<Value> results) {
  Operation *yield = loop.getBody()->getTerminator();
  for (unsigned i = 0; i < loop.getNumResults() && productsRunOn(); ++i) {
    auto wait = yield->getOperand(i).getDefiningOp<WgmmaWaitOp>();
    if (wait && isLastWait(wait)) {
      results[i] = WgmmaWaitOp::create(b, loc, results[i].getType(), results[i], /*pending=*/0, /*tied=*/false);
    }
  }
}

bool LoopExpander::beginsWithZeros() {
  if (!productsRunOn()) {
    return false;
  }
  for (Operation &op : loop.getBody()->without_terminator()) { // what would stand there twice
    if (!isMemoryEffectFree(&op) && !isa<TmaLoadOp, AwaitOp, WgmmaOp, WgmmaWaitOp>(op)) {
      return false;
    }
  }
  return llvm::all_of(loop.getInitArgs(), [](Value init) {
    return isa<RankedTensorType>(init.getType()) &&
           (matchPattern(init, m_AnyZeroFloat()) || matchPattern(init, m_Zero()));
  });
}

SmallVector<Value> LoopExpander::ifAnyTurn(ValueRange inits, function_ref<SmallVector<Value>()> begin) {
  auto branch = scf::IfOp::create(b, loc, inits.getTypes(), isTurn(loop.getLowerBound()), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, begin());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, inits);
  return SmallVector<Value>(branch.getResults());
}

SmallVector<TmaLoadOp> LoopExpander::stillCopies() {
  SmallVector<TmaLoadOp> still;
  for (TmaLoadOp copy : loop->getBlock()->getOps<TmaLoadOp>()) {
    if (copy->isBeforeInBlock(loop) &&
        llvm::any_of(copy.getStage().getUsers(), [&](Operation *user) { return user->getBlock() == loop.getBody(); })) {
      still.push_back(copy);
    }
  }
  return still;
}

void LoopExpander::leaveSlots(Value slot, Value parity, Value phase) {
  SmallVector<Value> state = {slot, parity};
  if (phase) {
    state.push_back(arith::SubIOp::create(b, loc, index(1), phase));
  }
  leave(state);
}

void LoopExpander::awaitStill(TmaLoadOp copy, Value parity) {
  copy.getStage().getDefiningOp()->setAttr(kPipelinedAttr, UnitAttr::get(copy.getContext()));
  for (Operation *user : copy.getBarriers().getUsers()) {
    if (auto await = dyn_cast<AwaitOp>(user)) {
      await.getParityMutable().set(parity);
    }
  }
}

void LoopExpander::replaceBy(scf::ForOp pipelined) {
  for (auto [i, result] : llvm::enumerate(loop.getResults())) {
    result.replaceAllUsesWith(pipelined.getResult(i));
  }
  loop.erase();
}

void LoopExpander::eraseDead(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator()) {
    ops.push_back(&op);
  }
  for (Operation *op : llvm::reverse(ops)) {
    if (isOpTriviallyDead(op)) {
      op->erase();
    }
  }
}

} // namespace phobos::dot
