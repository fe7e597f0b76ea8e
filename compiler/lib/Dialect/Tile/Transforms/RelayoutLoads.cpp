// tile-relayout-loads: what would go through shared memory is loaded in the layout wanted. See Passes.td.
#include "phobos/Dialect/Tile/Transforms/AccessLayout.h"
#include "phobos/Dialect/Tile/Transforms/Passes.h"
#include "phobos/Layout/Relayout.h"

using namespace mlir;
using phobos::layout::LinearLayout;

namespace phobos::tile {

#define GEN_PASS_DEF_RELAYOUTLOADS
#include "phobos/Dialect/Tile/Transforms/Passes.h.inc"

namespace {

constexpr unsigned kMaxDepth = 16;

RankedTensorType tileType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

bool goesThroughShared(RelayoutOp op) {
  auto from = tileType(op.getSource());
  auto plan = layout::planRelayout(layoutOf(from), layoutOf(op.getResult()), elementBits(from.getElementType()));
  return !plan || plan->kind == layout::RelayoutKind::Shared;
}

bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 && op->getNumRegions() == 0;
}

/// The layout that the op's operand has if its result has `layout` and nothing moves; nothing for an op that this pass
/// does not look through.
std::optional<LinearLayout> operandLayout(Operation *op, Value operand, const LinearLayout &layout) {
  auto shape = paddedShape(tileType(operand));
  if (isElementwise(op)) {
    return layout;
  }
  if (isa<BroadcastOp>(op)) {
    return layout::beforeBroadcast(layout, shape);
  }
  if (isa<ReshapeOp, ExpandDimsOp>(op)) {
    return layout::reshape(layout, shape);
  }
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    SmallVector<unsigned> back(transpose.getPermutation().size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation())) {
      back[from] = to;
    }
    return layout::transpose(layout, back);
  }
  return std::nullopt;
}

/// Constants are made anew; anything else changes its layout, so nobody else may see it.
bool isSource(Operation *op) { return isa<arith::ConstantOp, SplatOp>(op); }

bool canBeIn(Value tile, const LinearLayout &layout, unsigned depth = 0) {
  Operation *op = tile.getDefiningOp();
  if (!op || depth > kMaxDepth) {
    return false;
  }
  if (isSource(op)) {
    return true;
  }
  if (!tile.hasOneUse()) {
    return false;
  }
  if (auto load = dyn_cast<LoadOp>(op)) {
    return load.getIndices().empty() && loadsWell(load.getView(), layout, elementBits(tileType(tile).getElementType()));
  }
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    auto wanted = tileType(operand) ? operandLayout(op, operand, layout) : std::nullopt;
    return wanted ? canBeIn(operand, *wanted, depth + 1) : !tileType(operand) && isElementwise(op);
  });
}

Value putIn(Value tile, const LinearLayout &layout) {
  RankedTensorType type = withLayout(tileType(tile), layout);
  Operation *op = tile.getDefiningOp();
  if (isSource(op)) {
    OpBuilder b(op);
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto value = cast<DenseElementsAttr>(constant.getValue());
      return arith::ConstantOp::create(b, op->getLoc(), DenseElementsAttr::get(type, value.getSplatValue<Attribute>()));
    }
    op = b.clone(*op);
  }
  for (OpOperand &operand : op->getOpOperands()) {
    if (tileType(operand.get())) {
      operand.set(putIn(operand.get(), *operandLayout(op, operand.get(), layout)));
    }
  }
  op->getResult(0).setType(type);
  return op->getResult(0);
}

/// What was widened to be moved alone is moved before, in fewer bytes.
void widenLast(RelayoutOp relayout) {
  Operation *widening = relayout.getSource().getDefiningOp();
  if (!isa_and_present<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(widening) || !widening->hasOneUse()) {
    return;
  }
  Value narrow = widening->getOperand(0);
  OpBuilder b(relayout);
  auto type = withLayout(tileType(narrow), layoutOf(relayout.getResult()));
  Value moved = RelayoutOp::create(b, relayout.getLoc(), type, narrow);
  Operation *widened = b.clone(*widening);
  widened->setOperand(0, moved);
  widened->getResult(0).setType(relayout.getType());
  relayout.getResult().replaceAllUsesWith(widened->getResult(0));
  relayout.erase();
  widening->erase();
}

struct RelayoutLoads final : impl::RelayoutLoadsBase<RelayoutLoads> {
  void runOnOperation() override {
    SmallVector<RelayoutOp> relayouts;
    getOperation().walk([&](RelayoutOp op) { relayouts.push_back(op); });
    for (RelayoutOp op : relayouts) {
      LinearLayout layout = layoutOf(op.getResult());
      if (!goesThroughShared(op)) {
        continue;
      }
      if (canBeIn(op.getSource(), layout)) {
        op.getResult().replaceAllUsesWith(putIn(op.getSource(), layout));
        op.erase();
      } else {
        widenLast(op);
      }
    }
  }
};

} // namespace
} // namespace phobos::tile
