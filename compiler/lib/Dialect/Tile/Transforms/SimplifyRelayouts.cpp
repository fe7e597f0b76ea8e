// tile-simplify-relayouts: relayouts that undo, repeat or feed one another disappear. See Passes.td.
#include "phobos/Dialect/Tile/IR/LayoutBridge.h"
#include "phobos/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace phobos::tile {

#define GEN_PASS_DEF_SIMPLIFYRELAYOUTS
#include "phobos/Dialect/Tile/Transforms/Passes.h.inc"

namespace {

/// A value of fewer bits is moved instead, where a relayout only feeds a narrowing.
void narrowFirst(RelayoutOp relayout) {
  if (!relayout->hasOneUse()) {
    return;
  }
  Operation *user = *relayout->user_begin();
  if (!isa<arith::TruncFOp, arith::TruncIOp, ToFloat8Op>(user) || user->getBlock() != relayout->getBlock()) {
    return;
  }
  auto wide = cast<RankedTensorType>(relayout.getSource().getType());
  auto narrow = cast<RankedTensorType>(user->getResult(0).getType());
  OpBuilder b(user);
  Operation *narrowed = b.clone(*user);
  narrowed->setOperand(0, relayout.getSource());
  narrowed->getResult(0).setType(withLayout(narrow, layoutOf(wide)));
  Value moved = RelayoutOp::create(b, relayout.getLoc(), narrow, narrowed->getResult(0));
  user->getResult(0).replaceAllUsesWith(moved);
  user->erase();
  relayout.erase();
}

struct SimplifyRelayouts final : impl::SimplifyRelayoutsBase<SimplifyRelayouts> {
  void runOnOperation() override {
    SmallVector<RelayoutOp> relayouts;
    getOperation().walk([&](RelayoutOp op) { relayouts.push_back(op); });
    for (RelayoutOp op : relayouts) {
      if (auto inner = op.getSource().getDefiningOp<RelayoutOp>()) {
        op.getSourceMutable().set(inner.getSource());
      }
      if (op.getSource().getType() == op.getType()) {
        op.getResult().replaceAllUsesWith(op.getSource());
      }
    }
    // Equal relayouts in one block.
    llvm::DenseMap<std::tuple<Block *, Value, Type>, RelayoutOp> first;
    for (RelayoutOp op : relayouts) {
      auto [entry, isNew] = first.try_emplace({op->getBlock(), op.getSource(), op.getType()}, op);
      if (!isNew && entry->second->isBeforeInBlock(op)) {
        op.getResult().replaceAllUsesWith(entry->second.getResult());
      }
    }
    for (RelayoutOp op : llvm::reverse(relayouts)) {
      if (op->use_empty()) {
        op.erase();
      }
    }
    relayouts.clear();
    getOperation().walk([&](RelayoutOp op) { relayouts.push_back(op); });
    llvm::for_each(relayouts, narrowFirst);
    eraseDead(getOperation().getBody());
  }

  /// What copies in other layouts left unused.
  static void eraseDead(Region &region) {
    SmallVector<Operation *> ops;
    region.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops)) {
      if (isOpTriviallyDead(op)) {
        op->erase();
      }
    }
  }
};

} // namespace
} // namespace phobos::tile
