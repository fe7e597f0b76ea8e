// What an op does to shared memory.
#include "phobos/Dialect/Dot/Transforms/SharedMemory.h"

#include "phobos/Conversion/Queue.h"
#include "phobos/Conversion/Scratch.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"

using namespace mlir;

namespace phobos::dot {

SmallVector<SharedUse, 2> sharedUses(Operation *op) {
  auto buffer = [](TypedValue<StageType> stage, bool reads, bool writes, bool unfinished = false) {
    StageType type = stage.getType();
    return SharedUse{stage.getDefiningOp(), type.getSlots() * type.slotBytes(), reads, writes, unfinished};
  };
  if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
    return {buffer(copy.getStage(), false, true, true)};
  }
  if (auto copy = dyn_cast<TmaLoadOp>(op)) {
    return {buffer(copy.getStage(), false, true, true)};
  }
  if (auto product = dyn_cast<WgmmaOp>(op)) {
    SmallVector<SharedUse, 2> uses = {buffer(product.getB(), true, false)};
    if (auto a = product.getStageA()) {
      uses.push_back(buffer(a, true, false));
    }
    return uses;
  }
  if (auto barriers = dyn_cast<AllocBarriersOp>(op)) { // lives as long as the kernel: see lifetimes in AllocateShared
    return {SharedUse{op, barriers.getBarriers().getType().getSlots() * 8u, false, false}};
  }
  auto signals = [](TypedValue<BarriersType> barriers) {
    return SharedUse{barriers.getDefiningOp(), barriers.getType().getSlots() * 8u, false, false};
  };
  if (auto await = dyn_cast<AwaitOp>(op)) {
    return {signals(await.getBarriers())};
  }
  if (auto release = dyn_cast<ReleaseOp>(op)) {
    return {signals(release.getBarriers())};
  }
  if (auto store = dyn_cast<StoreAsyncOp>(op)) {
    return {buffer(store.getStage(), true, true)};
  }
  if (auto wait = dyn_cast<StoreWaitOp>(op)) { // until then the buffer is read
    return {buffer(wait.getStage(), false, false)};
  }
  if (auto put = dyn_cast<PutOp>(op)) {
    return {buffer(put.getStage(), false, true)};
  }
  if (auto fragment = dyn_cast<FragmentOp>(op)) {
    return {buffer(fragment.getStage(), true, false)};
  }
  if (isa<tile::QueueOp>(op)) { // as long as the kernel too
    return {SharedUse{op, lowering::kQueueBytes, false, false}};
  }
  if (isa<tile::RelayoutOp, tile::PartOp, tile::ReduceOp, tile::ScanOp, tile::AtomicOp>(op)) {
    if (uint64_t bytes = lowering::scratchBytes(op)) {
      return {SharedUse{op, bytes, true, true}};
    }
  }
  return {};
}

uint64_t sharedOffset(Operation *owner) {
  if (auto alloc = dyn_cast<AllocOp>(owner)) {
    return alloc.getOffset().value_or(0);
  }
  if (auto barriers = dyn_cast<AllocBarriersOp>(owner)) {
    return barriers.getOffset().value_or(0);
  }
  auto offset = owner->getAttrOfType<IntegerAttr>(kSharedOffsetAttr);
  return offset ? offset.getInt() : 0;
}

bool hasInnerBarrier(Operation *op) {
  return isa<tile::RelayoutOp, tile::PartOp, tile::ReduceOp, tile::ScanOp, tile::AtomicOp>(op) &&
         lowering::scratchBytes(op) && lowering::usesCtaBarrier(op);
}

} // namespace phobos::dot
