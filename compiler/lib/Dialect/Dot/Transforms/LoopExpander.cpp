// What every expansion of a scheduled loop needs.
#include "LoopExpander.h"

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
