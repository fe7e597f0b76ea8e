// dot-assign-latency: marks what is worth starting turns ahead. See Passes.td.
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Dialect/Dot/Transforms/PipelineDepth.h"

using namespace mlir;

namespace phobos::dot {

#define GEN_PASS_DEF_ASSIGNLATENCY
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

namespace {

/// Bytes of the loop's buffers with `stages` slots for asynchronous copies and two for those through registers.
uint64_t bufferBytes(const LoopCopies &copies, unsigned stages) {
  uint64_t bytes = 0;
  for (CopyAsyncOp copy : copies.async) {
    bytes += stages * copy.getStage().getType().slotBytes();
  }
  for (TmaLoadOp copy : copies.bulk) {
    bytes += stages * copy.getStage().getType().slotBytes();
  }
  for (const RegisterCopy &copy : copies.throughRegisters) {
    PutOp put = copy.put;
    bytes += 2 * put.getStage().getType().slotBytes();
  }
  return bytes;
}

unsigned defaultStages(const LoopCopies &copies) { return copies.bulk.empty() ? kDefaultStages : kStagesOfBulkCopies; }

/// Of a tensor without elements nothing is loaded, and a loop along it is not there: no fault of the kernel's.
bool hasEmptyView(tile::KernelOp kernel) {
  return llvm::any_of(kernel.getArgumentTypes(), [](Type type) {
    auto view = dyn_cast<tile::ViewType>(type);
    return view && llvm::is_contained(view.getShape(), 0);
  });
}

struct AssignLatency final : impl::AssignLatencyBase<AssignLatency> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    PipelineDepth depth = pipelineDepth(kernel);
    if (depth.stages == 1) {
      return;
    }
    bool any = false, contracts = false;
    WalkResult result = kernel.walk([&](scf::ForOp loop) {
      bool here = llvm::any_of(*loop.getBody(), [](Operation &op) { return isa<MmaOp, FmaOp, WgmmaOp>(op); });
      contracts |= here;
      if (!here) {
        return WalkResult::advance();
      }
      FailureOr<bool> marked = assign(loop, depth);
      if (failed(marked)) {
        return WalkResult::interrupt();
      }
      any |= *marked;
      return WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      return signalPassFailure();
    }
    if (depth.asserted && !any && !hasEmptyView(kernel)) {
      auto error =
          kernel.emitError() << "nothing here can be pipelined at " << depth.stages << " stages: "
                             << (contracts ? "no loop copies what its ph.dot multiplies" : "no loop contains a ph.dot");
      error.attachNote() << "hint: drop @ph.pipeline, or load the operands of ph.dot inside the loop";
      signalPassFailure();
    }
  }

  /// Marks the loop's copies; false, with a remark, if it has none.
  FailureOr<bool> assign(scf::ForOp loop, PipelineDepth depth) {
    if (loop.walk([](tile::GridBarrierOp) { return WalkResult::interrupt(); }).wasInterrupted()) {
      loop.emitRemark("not pipelined: in each turn blocks wait for each other, and then read what others wrote");
      return false;
    }
    LoopCopies copies = copiesOf(loop);
    if (copies.empty()) {
      loop.emitRemark("not pipelined: the operands of its contractions are not loaded in it");
      return false;
    }
    uint64_t limit = chipOf(loop).maxSharedBytes();
    unsigned stages = depth.given ? depth.stages : defaultStages(copies);
    if (!depth.given) { // what was asked for and does not fit is an error of dot-allocate-shared, with every buffer
                        // listed
      while (stages > 1 && bufferBytes(copies, stages) > limit) {
        --stages;
      }
      if (stages == 1) {
        loop.emitRemark() << "not pipelined: two slots for each buffer would take " << bufferBytes(copies, 2)
                          << " bytes of shared memory, " << chipOf(loop).name << " has " << limit;
        return false;
      }
    }
    Builder b(loop.getContext());
    for (CopyAsyncOp copy : copies.async) {
      copy->setAttr(kLatencyAttr, b.getI32IntegerAttr(stages - 1));
    }
    for (TmaLoadOp copy : copies.bulk) {
      copy->setAttr(kLatencyAttr, b.getI32IntegerAttr(stages - 1));
    }
    for (const RegisterCopy &copy : copies.throughRegisters) {
      for (tile::LoadOp load : copy.loads) {
        load->setAttr(kLatencyAttr, b.getI32IntegerAttr(1));
      }
    }
    return true;
  }
};

} // namespace
} // namespace phobos::dot
