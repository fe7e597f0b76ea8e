// Bulk tensor copies and the mbarriers that they complete on (PTX ISA, "cp.async.bulk.tensor", "mbarrier").
//
// One thread of the CTA issues; neighbouring copies share its branch. A barrier expects one arrival a copy, each with
// its bytes.
#include "phobos/Conversion/BoxCoordinates.h"
#include "phobos/Conversion/SharedAccess.h"
#include "phobos/Dialect/Dot/IR/StageLayout.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

// How long one try_wait may suspend a thread, in ns, before it looks again.
constexpr int64_t kTryWaitTicks = 10'000'000;
constexpr unsigned kMbarrierBytes = 8;

Value barrierAddress(Lowering &l, Value barriers, Value slot) {
  Value offset = l.add(l.scalar(barriers), l.mul(l.toI32(l.scalar(slot)), int64_t(kMbarrierBytes)));
  return l.sharedAddress(offset);
}

LogicalResult lowerAllocBarriers(Lowering &l, dot::AllocBarriersOp op) {
  if (!op.getOffset()) {
    return op.emitError("internal: shared memory was not allocated before lowering");
  }
  l.setScalar(op.getBarriers(), l.i32c(*op.getOffset()));
  l.guarded(l.isLeader(), [&] {
    for (unsigned slot = 0; slot < op.getBarriers().getType().getSlots(); ++slot) {
      Value address = l.sharedAddress(l.i32c(*op.getOffset() + slot * kMbarrierBytes));
      NVVM::MBarrierInitOp::create(l.b, l.loc, address, l.i32c(op.getCount()), Value());
    }
    bool bulk = llvm::any_of(op.getBarriers().getUsers(), [](Operation *user) { return isa<dot::TmaLoadOp>(user); });
    if (bulk) { // the copy engine must find them initialised
      NVVM::FenceMbarrierInitOp::create(l.b, l.loc);
    }
  });
  return success();
}

/// One arrival with the slot's bytes, then one copy a panel.
void emitLoad(Lowering &l, dot::TmaLoadOp op) {
  dot::StageType stage = op.getStage().getType();
  layout::SharedLayout shared = dot::sharedLayoutOf(stage);
  Value barrier = barrierAddress(l, op.getBarriers(), op.getSlot());
  NVVM::MBarrierArriveExpectTxOp::create(l.b, l.loc, Type(), barrier, l.i32c(stage.slotBytes()),
                                         NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, Value());
  Value slot = slotOffset(l, op.getStage(), op.getSlot());
  dot::TensorMapType map = op.getMap().getType();
  unsigned unit = stage.getOrder()[0], unitInView = map.getTileDims()[unit];
  int64_t box = map.getBox()[unitInView];
  auto at = llvm::map_to_vector(op.getOffsets(), [&](Value offset) { return l.toI32(l.scalar(offset)); });
  for (int64_t start = 0; start < stage.getShape()[unit]; start += box) {
    layout::Coords origin(stage.getShape().size(), 0);
    origin[unit] = start;
    Value target = l.sharedAddress(l.add(slot, int64_t(shared.offset(origin))));
    target = LLVM::AddrSpaceCastOp::create(l.b, l.loc, l.pointer(kClusterSharedSpace), target);
    SmallVector<Value> panel = at;
    panel[unitInView] = l.add(at[unitInView], start);
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        l.b, l.loc, target, l.scalar(op.getMap()), boxCoordinates(panel, unitInView), barrier, ValueRange(), Value(),
        Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), Value());
  }
}

LogicalResult lowerTmaLoad(Lowering &l, dot::TmaLoadOp op) {
  // The first of neighbours under one condition emits them all.
  auto continues = [](dot::TmaLoadOp before, Operation *after) {
    auto load = dyn_cast_if_present<dot::TmaLoadOp>(after);
    return load && load.getValid() == before.getValid() ? load : dot::TmaLoadOp();
  };
  if (continues(op, op->getPrevNode())) {
    return success();
  }
  Value condition = l.isLeader();
  if (op.getValid()) {
    condition = l.logicalAnd(condition, l.scalar(op.getValid()));
  }
  l.guarded(condition, [&] {
    for (dot::TmaLoadOp load = op; load; load = continues(load, load->getNextNode())) {
      emitLoad(l, load);
    }
  });
  return success();
}

LogicalResult lowerAwait(Lowering &l, dot::AwaitOp op) {
  NVVM::MBarrierTryWaitParityOp::create(l.b, l.loc, barrierAddress(l, op.getBarriers(), op.getSlot()),
                                        l.toI32(l.scalar(op.getParity())), l.i32c(kTryWaitTicks));
  return success();
}

LogicalResult lowerRelease(Lowering &l, dot::ReleaseOp op) {
  Value first = l.icmp(LLVM::ICmpPredicate::eq, l.lane(), l.i32c(0));
  l.guarded(l.logicalAnd(first, l.scalar(op.getValid())), [&] {
    NVVM::MBarrierArriveOp::create(l.b, l.loc, Type(), barrierAddress(l, op.getBarriers(), op.getSlot()), Value(),
                                   NVVM::MemScopeKind::CTA, /*relaxed=*/false);
  });
  return success();
}

} // namespace

void registerTma(Lowering::HandlerTable &table) {
  Lowering::add<dot::AllocBarriersOp, lowerAllocBarriers>(table);
  Lowering::add<dot::TmaLoadOp, lowerTmaLoad>(table);
  Lowering::add<dot::AwaitOp, lowerAwait>(table);
  Lowering::add<dot::ReleaseOp, lowerRelease>(table);
}

} // namespace phobos::lowering
