// dot-keep-operands: what ptxas must not forget between the turns of a loop. See Passes.td.
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace phobos::dot {

#define GEN_PASS_DEF_KEEPOPERANDS
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

namespace {

/// The same in every turn: made outside of the loop, or inside by arithmetic out of such values, which LLVM takes out.
bool isUnchangedBy(LoopLikeOpInterface loop, Value value) {
  if (loop.isDefinedOutsideOfLoop(value)) {
    return true;
  }
  Operation *maker = value.getDefiningOp();
  return maker && isMemoryEffectFree(maker) && maker->getNumRegions() == 0 &&
         llvm::all_of(maker->getOperands(), [&](Value operand) { return isUnchangedBy(loop, operand); });
}

struct KeepOperands final : impl::KeepOperandsBase<KeepOperands> {
  void runOnOperation() override {
    llvm::SetVector<std::pair<Value, Block *>> kept;
    getOperation().walk([&](WgmmaOp product) {
      if (product.getStageA()) {
        return;
      }
      for (auto loop = product->getParentOfType<LoopLikeOpInterface>(); loop && isUnchangedBy(loop, product.getA());
           loop = loop->getParentOfType<LoopLikeOpInterface>()) {
        // The end of the turn in the region of the loop that the product is in, whatever roles or branches are between.
        Region *body = product->getParentRegion();
        while (body->getParentOp() != loop) {
          body = body->getParentOp()->getParentRegion();
        }
        kept.insert({product.getA(), &body->back()});
      }
    });
    for (auto [tile, body] : kept) {
      // Made inside, it has to be made on the way to the end.
      if (tile.getParentBlock() == body || !body->getParentOp()->isAncestor(tile.getParentBlock()->getParentOp())) {
        OpBuilder b(body->getTerminator());
        KeepOp::create(b, tile.getLoc(), tile);
      }
    }
  }
};

} // namespace
} // namespace phobos::dot
