// What a loop copies, and how deep its buffers are to be.
#include "phobos/Dialect/Dot/Transforms/PipelineDepth.h"

#include "phobos/Dialect/Tile/IR/DroppedDims.h"

using namespace mlir;

namespace phobos::dot {

// Enough to overlap the next turn's copies with this turn's products.
constexpr unsigned kDefaultStages = 2;

LoopCopies copiesOf(scf::ForOp loop) {
  LoopCopies copies;
  // A slot that is put together from several tiles is none that could be filled ahead.
  llvm::DenseMap<Value, unsigned> puts;
  loop.walk([&](PutOp put) { ++puts[put.getStage()]; });
  for (Operation &op : *loop.getBody()) {
    if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
      copies.async.push_back(copy);
    } else if (auto bulk = dyn_cast<TmaLoadOp>(op)) {
      copies.bulk.push_back(bulk);
    } else if (auto put = dyn_cast<PutOp>(op)) {
      auto load = tile::beforeDrop(put.getValue()).getDefiningOp<tile::LoadOp>();
      bool alone = puts.lookup(put.getStage()) == 1 && put.getValue().hasOneUse();
      if (load && load->hasOneUse() && load->getBlock() == loop.getBody() && alone) {
        copies.throughRegisters.emplace_back(load, put);
      }
    }
  }
  return copies;
}

PipelineDepth pipelineDepth(tile::KernelOp kernel) {
  auto stages = kernel->getAttrOfType<IntegerAttr>(tile::kStagesAttr);
  bool asserted = kernel->hasAttr(tile::kPipelineAssertedAttr);
  return stages ? PipelineDepth{unsigned(stages.getInt()), true, asserted}
                : PipelineDepth{kDefaultStages, false, false};
}

} // namespace phobos::dot
