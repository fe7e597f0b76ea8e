// What a loop copies, and how deep its buffers are to be.
#include "phobos/Dialect/Dot/Transforms/PipelineDepth.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace phobos::dot {

/// The loads behind a put, and what is between; nothing where there are none, where others see what is made on the way,
/// or where it is made of what the turn before left.
static std::optional<RegisterCopy> registerCopy(PutOp put, scf::ForOp loop) {
  RegisterCopy copy{{}, {}, put};
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> needed = {put.getValue()};
  while (!needed.empty()) {
    Value value = needed.pop_back_val();
    if (value.getParentBlock() != loop.getBody() || value == loop.getInductionVar()) {
      continue;
    }
    Operation *op = value.getDefiningOp();
    auto load = dyn_cast_if_present<tile::LoadOp>(op);
    bool isLoad = load && load.getIndices().empty();
    if (!isLoad && (!op || !isPure(op) || op->getNumRegions() || isa<tile::RelayoutOp, tile::PartOp>(op))) {
      return std::nullopt;
    }
    if (isa<RankedTensorType>(value.getType())) { // scalars are computed again
      ops.insert(op);
    }
    if (!isLoad) { // where a load may begin is for dot-schedule-loop
      llvm::append_range(needed, op->getOperands());
    }
  }
  for (Operation &op : *loop.getBody()) {
    if (!ops.contains(&op)) {
      continue;
    }
    if (!llvm::all_of(op.getUsers(), [&](Operation *user) { return user == put || ops.contains(user); })) {
      return std::nullopt;
    }
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      copy.loads.push_back(load);
    } else {
      copy.work.push_back(&op);
    }
  }
  return copy.loads.empty() ? std::nullopt : std::optional(copy);
}

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
      if (auto copy = registerCopy(put, loop); copy && puts.lookup(put.getStage()) == 1) {
        copies.throughRegisters.push_back(*copy);
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
