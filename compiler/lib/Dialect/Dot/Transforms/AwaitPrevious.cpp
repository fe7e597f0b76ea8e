// dot-await-previous: where a dependent kernel waits for the one before it. See Passes.td.
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Target/Chip.h"

using namespace mlir;

namespace phobos::dot {

#define GEN_PASS_DEF_AWAITPREVIOUS
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

namespace {

/// May the op run while the kernel before is still at work: does it leave global memory alone?
bool isSetUp(Operation &op) {
  return isMemoryEffectFree(&op) || isa<AllocOp, AllocBarriersOp, BarrierOp, ClusterBarrierOp>(op);
}

struct AwaitPrevious final : impl::AwaitPreviousBase<AwaitPrevious> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (!kernel->hasAttr(tile::kDependentAttr)) {
      return;
    }
    const target::Chip &chip = chipOf(kernel);
    if (!chip.has(target::kDependentLaunch)) {
      kernel->removeAttr(tile::kDependentAttr);
      kernel.emitRemark() << "`@ph.dependent` does nothing on " << chip.name
                          << ": there a kernel starts when the one before it is complete";
      return;
    }
    Block &entry = kernel.getBody().front();
    // The terminator, if nothing else: what follows in the stream counts on it.
    Operation *first = &*llvm::find_if_not(entry.without_terminator(), isSetUp);
    OpBuilder b(first);
    tile::AwaitPreviousOp::create(b, first->getLoc());
    // Nothing is left to this kernel, when every CTA has begun, that the next one's could take from it.
    b.setInsertionPointToStart(&entry);
    tile::AdmitNextOp::create(b, kernel.getLoc());
  }
};

} // namespace
} // namespace phobos::dot
