// Contractions for wgmma: bulk copies into slots, and warpgroup products.
#include "StageWgmma.h"

#include "phobos/Dialect/Tile/IR/LayoutBridge.h"

#include "mlir/Analysis/SliceAnalysis.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace phobos::dot {

WgmmaStager::Turn &WgmmaStager::turnOf(ContractOp op) {
  Turn &turn = turns[op->getParentOp()];
  if (turn.barriers) {
    return turn;
  }
  OpBuilder entry = OpBuilder::atBlockBegin(&kernel.getBody().front()), b(op);
  Location loc = op.getLoc();
  bool first = kernel.getOps<AllocBarriersOp>().empty();
  turn.barriers = AllocBarriersOp::create(entry, loc, BarriersType::get(b.getContext(), 1), /*count=*/0, IntegerAttr())
                      .getBarriers();
  if (first) {
    BarrierOp::create(entry, loc); // who awaits them must find them initialised
  }
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  turn.await = AwaitOp::create(b, loc, turn.barriers, zero, zero);
  return turn;
}

/// What the copy engine makes of a product's operand on the way. wgmma takes f32 for tf32 and cuts off the last 13
/// bits; rounded before, products are more exact, and zeros for those bits cost less power.
static Type operandType(tile::LoadOp load) {
  Type element = cast<RankedTensorType>(load.getType()).getElementType();
  return element.isF32() ? FloatTF32Type::get(load.getContext()) : element;
}

/// The slot of a slice; contractions that share a slice share its slot.
const TmaTile &WgmmaStager::bring(Turn &turn, tile::LoadOp load, Type read) {
  auto [entry, isNew] = turn.tiles.try_emplace({load, read}, TmaTile());
  if (!isNew) {
    return entry->second;
  }
  OpBuilder atEntry(turn.barriers.getDefiningOp()), b(turn.await);
  entry->second =
      allocTmaTile(atEntry, load.getLoc(), kernel, load.getView(), cast<RankedTensorType>(load.getType()), read);
  auto copy = TmaLoadOp::create(b, load.getLoc(), entry->second.map, load.getOffsets(), entry->second.stage,
                                turn.await.getSlot(), turn.barriers, Value());
  // A slice that the kernel takes later in the turn is brought with the others: where it begins is arithmetic.
  llvm::SetVector<Operation *> needed;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op == copy || (op->getBlock() == copy->getBlock() && copy->isBeforeInBlock(op));
  };
  (void)getBackwardSlice(copy.getOperation(), &needed, options);
  for (Operation *op : needed) { // operands before users
    op->moveBefore(copy);
  }
  auto barriers = cast<AllocBarriersOp>(turn.barriers.getDefiningOp());
  barriers.setCount(barriers.getCount() + 1);
  return entry->second;
}

/// A slot that is filled in front of the loop. The parity of its barrier is whoever expands the loop's to say.
Value WgmmaStager::bringStill(Turn &turn, tile::LoadOp load) {
  auto [entry, isNew] = turn.still.try_emplace(load, Value());
  if (!isNew) {
    return entry->second;
  }
  OpBuilder atEntry(turn.barriers.getDefiningOp()), b(load);
  Location loc = load.getLoc();
  auto type = cast<RankedTensorType>(load.getType());
  TmaTile tile = allocTmaTile(atEntry, loc, kernel, load.getView(), type, type.getElementType());
  Value barriers =
      AllocBarriersOp::create(atEntry, loc, BarriersType::get(b.getContext(), 1), /*count=*/1, IntegerAttr());
  Value zero = arith::ConstantIndexOp::create(atEntry, loc, 0);
  TmaLoadOp::create(b, loc, tile.map, load.getOffsets(), tile.stage, zero, barriers, Value());
  AwaitOp::create(b, loc, barriers, zero, zero);
  return entry->second = tile.stage;
}

/// What no turn of a loop changes is brought into the registers of an operand once, in front of it.
static void hoist(Value tile) {
  auto relayout = tile.getDefiningOp<tile::RelayoutOp>();
  for (auto loop = relayout ? relayout->getParentOfType<scf::ForOp>() : scf::ForOp();
       loop && loop.isDefinedOutsideOfLoop(relayout.getSource()); loop = loop->getParentOfType<scf::ForOp>()) {
    relayout->moveBefore(loop);
  }
}

/// `made`, made of the slice that `load` was, once more from the slot, in the registers of `layout`.
static Value makeAgain(OpBuilder &b, Value made, tile::LoadOp load, Value slice, const layout::LinearLayout &layout) {
  if (made == load) {
    return slice;
  }
  Operation *def = made.getDefiningOp();
  if (auto relayout = dyn_cast<tile::RelayoutOp>(def)) {
    return makeAgain(b, relayout.getSource(), load, slice, layout);
  }
  IRMapping mapping;
  for (Value operand : def->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type) {
      continue;
    }
    RankedTensorType there = tile::withLayout(type, layout);
    if (auto constant = operand.getDefiningOp<arith::ConstantOp>()) {
      auto number = cast<DenseElementsAttr>(constant.getValue()).getSplatValue<Attribute>();
      mapping.map(operand, arith::ConstantOp::create(b, def->getLoc(), DenseElementsAttr::get(there, number)));
    } else if (auto splat = operand.getDefiningOp<tile::SplatOp>()) {
      mapping.map(operand, tile::SplatOp::create(b, def->getLoc(), there, splat.getOperand()));
    } else {
      mapping.map(operand, makeAgain(b, operand, load, slice, layout));
    }
  }
  Operation *again = b.clone(*def, mapping);
  again->getResult(0).setType(tile::withLayout(cast<RankedTensorType>(made.getType()), layout));
  return again->getResult(0);
}

void WgmmaStager::stage(ContractOp op, const ContractionPlan &plan) {
  Turn &turn = turnOf(op);
  OpBuilder b(op);
  Location loc = op.getLoc();
  tile::LoadOp loads[] = {plan.registersA || plan.still ? tile::LoadOp() : loadOf(op.getA()), loadOf(op.getB())};
  Value a = op.getA(), slotA;
  int64_t rowBytes = std::numeric_limits<int64_t>::max();
  Value slot = turn.await.getSlot();
  if (loads[0]) {
    TypedValue<StageType> stage = bring(turn, loads[0], operandType(loads[0])).stage;
    a = stage;
    slotA = slot;
    rowBytes = stage.getType().getPanelBytes();
  } else if (plan.still) {
    a = bringStill(turn, plan.still);
    slotA = arith::ConstantIndexOp::create(b, loc, 0);
    rowBytes = cast<StageType>(a.getType()).getPanelBytes();
  } else if (auto under = sliceUnder(a, cast<scf::ForOp>(op->getParentOp()))) {
    auto type = tile::withLayout(cast<RankedTensorType>(under.getType()), plan.a);
    TypedValue<StageType> stage = bring(turn, under, type.getElementType()).stage;
    Value slice = FragmentOp::create(b, under.getLoc(), type, stage, slot, ArrayRef<int64_t>{0, 0},
                                     /*transposed=*/false, /*ahead=*/false);
    a = makeAgain(b, a, under, slice, plan.a);
  } else {
    hoist(a);
  }
  TypedValue<StageType> stageB = bring(turn, loads[1], operandType(loads[1])).stage;
  if (loads[0] == loads[1]) {
    loads[0] = {};
  }
  adviseTile(op, std::min<int64_t>(rowBytes, stageB.getType().getPanelBytes()));
  Value product = WgmmaOp::create(b, loc, op.getType(), a, stageB, slot, op.getAcc(), slotA,
                                  !plan.registersA && op.getTransA(), op.getTransB(), plan.rides);
  int64_t rows = op.m() / plan.warps.m, columns = op.n() / plan.warps.n;
  product.getDefiningOp()->emitRemark() << "by wgmma of 64 x " << columns << ", " << rows / 64
                                        << (rows == 64 ? " time" : " times") << " a step along k, on "
                                        << plan.warps.m * plan.warps.n
                                        << (plan.warps.m * plan.warps.n == 1 ? " warpgroup" : " warpgroups")
                                        << "; the first operand from "
                                        << (plan.registersA ? "registers"
                                            : plan.still    ? "shared memory, where it stays"
                                                            : "shared memory")
                                        << "; " << plan.registers
                                        << " registers a thread for sums and operands; the sums "
                                        << (plan.overlaps ? "stay in flight until the next turn's products have begun"
                                            : plan.rides  ? "are waited for with the next product's"
                                                          : "are waited for at once");
  Value done = product;
  if (!plan.rides) {
    done = WgmmaWaitOp::create(b, loc, product.getType(), product, 0, /*tied=*/!plan.overlaps);
  }
  op.getResult().replaceAllUsesWith(done);
  op.erase();
  for (tile::LoadOp load : {loads[0], loads[1], plan.still}) {
    if (!load) {
      continue;
    }
    for (Operation *user : llvm::make_early_inc_range(load->getUsers())) {
      if (isa<tile::RelayoutOp>(user) && user->use_empty()) {
        user->erase();
      }
    }
    if (load->use_empty()) {
      load.erase();
    }
  }
}

} // namespace phobos::dot
