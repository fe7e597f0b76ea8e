// Bulk tensor copies and the mbarriers that they complete on (PTX ISA, "cp.async.bulk.tensor", "mbarrier").
//
// One thread of the CTA issues; neighbouring copies share its branch. A barrier expects one arrival a copy, each with
// its bytes.
#include "phobos/Conversion/BoxCoordinates.h"
#include "phobos/Conversion/SharedAccess.h"
#include "phobos/Dialect/Dot/IR/StageLayout.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"

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
    auto isBulk = [](dot::AllocBarriersOp each) {
      return llvm::any_of(each.getBarriers().getUsers(), llvm::IsaPred<dot::TmaLoadOp>);
    };
    auto rest = llvm::make_range(std::next(op->getIterator()), op->getBlock()->end());
    bool more = llvm::any_of(rest, [&](Operation &other) {
      auto barriers = dyn_cast<dot::AllocBarriersOp>(other);
      return barriers && isBulk(barriers);
    });
    if (isBulk(op) && !more) { // the copy engine must find them all initialised
      NVVM::FenceMbarrierInitOp::create(l.b, l.loc);
    }
  });
  return success();
}

/// Of a copy that blocks of a cluster share: which of them copies, and to whom.
struct Share {
  Value member, mask; // i32, i16; null: none
  unsigned members = 1;

  Share(Lowering &l, dot::TmaLoadOp op) {
    auto axes = op->getAttrOfType<DenseBoolArrayAttr>(dot::kMulticastAttr);
    if (!axes) {
      return;
    }
    auto cluster = l.kernel->getAttrOfType<DenseI32ArrayAttr>(tile::kClusterAttr);
    unsigned width = cluster[0], height = cluster[1];
    // A block's rank counts x first. The mask of the block at (0, 0), moved to where the others of its line begin.
    Value x = NVVM::BlockInClusterIdXOp::create(l.b, l.loc, l.i32());
    Value y = NVVM::BlockInClusterIdYOp::create(l.b, l.loc, l.i32());
    uint32_t ranks = 0;
    for (unsigned row = 0; row < (axes[1] ? height : 1); ++row) {
      for (unsigned column = 0; column < (axes[0] ? width : 1); ++column) {
        ranks |= 1u << (row * width + column);
        members = row * (axes[0] ? width : 1) + column + 1;
      }
    }
    Value line = l.i32c(0);
    member = l.i32c(0);
    for (auto [axis, at, stride] : {std::tuple(0, x, 1u), std::tuple(1, y, width)}) {
      if (axes[axis]) {
        member = l.add(member, l.mul(at, axis == 1 && axes[0] ? int64_t(width) : 1));
      } else {
        line = l.add(line, l.mul(at, int64_t(stride)));
      }
    }
    Value shifted = LLVM::ShlOp::create(l.b, l.loc, l.i32c(ranks), line);
    mask = LLVM::TruncOp::create(l.b, l.loc, l.b.getI16Type(), shifted);
  }
};

/// One arrival with the slot's bytes, then one copy a panel, or the panels that this block copies for the cluster.
void emitLoad(Lowering &l, dot::TmaLoadOp op) {
  dot::StageType stage = op.getStage().getType();
  layout::SharedLayout shared = dot::sharedLayoutOf(stage);
  Value barrier = barrierAddress(l, op.getBarriers(), op.getSlot());
  NVVM::MBarrierArriveExpectTxOp::create(l.b, l.loc, Type(), barrier, l.i32c(stage.slotBytes()),
                                         NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, Value());
  Share share(l, op);
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
    Value mine;
    if (share.member) {
      mine = l.icmp(LLVM::ICmpPredicate::eq, share.member, l.i32c(start / box % share.members));
    }
    l.guarded(mine, [&] {
      NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
          l.b, l.loc, target, l.scalar(op.getMap()), boxCoordinates(panel, unitInView), barrier, ValueRange(),
          share.mask, /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(),
          Value());
    });
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
