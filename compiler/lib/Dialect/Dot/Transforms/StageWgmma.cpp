// A contraction for wgmma: bulk copies into slots, and one warpgroup product a turn.
#include "StageWgmma.h"

#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Dialect/Tile/IR/Divisibility.h"
#include "phobos/Dialect/Tile/IR/LayoutBridge.h"

#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"

using namespace mlir;

namespace phobos::dot {
namespace {

// Rows of 128 bytes are the fastest; 64 cost 20 %, 32 more than half.
constexpr int64_t kMaxPanelBytes = 128;

/// The kernel's argument for a tensor map of `view`, made at its first use.
Value tensorMap(tile::KernelOp kernel, Value view, TensorMapType type) {
  unsigned number = cast<BlockArgument>(view).getArgNumber();
  for (BlockArgument argument : kernel.getArguments()) {
    auto of = kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kMapOfAttr);
    if (of && of.getInt() == number && argument.getType() == type) {
      return argument;
    }
  }
  Builder b(kernel.getContext());
  auto attributes = b.getDictionaryAttr(b.getNamedAttr(kMapOfAttr, b.getI32IntegerAttr(number)));
  unsigned last = kernel.getNumArguments();
  (void)kernel.insertArgument(last, type, attributes, view.getLoc());
  return kernel.getArgument(last);
}

struct Staged {
  TypedValue<StageType> stage;
  Value map;
  tile::LoadOp load;
};

Staged stage(OpBuilder &entry, tile::KernelOp kernel, tile::LoadOp load) {
  auto tile = cast<RankedTensorType>(load.getType());
  int32_t unit = *tile::unitDim(load.getView().getType());
  int64_t bytes = tile::elementBits(tile.getElementType()) / 8;
  int64_t panel = std::min(kMaxPanelBytes, tile.getShape()[unit] * bytes);
  auto type = StageType::get(entry.getContext(), 1, tile.getShape(), tile.getElementType(), {unit, 1 - unit},
                             /*swizzled=*/false,
                             /*padBytes=*/0, panel);
  SmallVector<int64_t> box(tile.getShape());
  box[unit] = panel / bytes;
  auto mapType = TensorMapType::get(entry.getContext(), box, tile.getElementType(), panel);
  return {AllocOp::create(entry, load.getLoc(), type, IntegerAttr()).getStage(),
          tensorMap(kernel, load.getView(), mapType), load};
}

} // namespace

void stageWgmma(ContractOp op, tile::KernelOp kernel) {
  OpBuilder entry = OpBuilder::atBlockBegin(&kernel.getBody().front()), b(op);
  Location loc = op.getLoc();
  Staged staged[] = {stage(entry, kernel, loadOf(op.getA())), stage(entry, kernel, loadOf(op.getB()))};
  Staged &a = staged[0], &c = staged[1];
  auto barriers = AllocBarriersOp::create(entry, loc, BarriersType::get(b.getContext(), 1), /*count=*/2, IntegerAttr())
                      .getBarriers();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  for (Staged &operand : staged) {
    TmaLoadOp::create(b, operand.load.getLoc(), operand.map, operand.load.getOffsets(), operand.stage, zero, barriers,
                      Value());
  }
  AwaitOp::create(b, loc, barriers, zero, zero);
  Value product =
      WgmmaOp::create(b, loc, op.getType(), a.stage, zero, c.stage, zero, op.getAcc(), op.getTransA(), op.getTransB());
  Value done = WgmmaWaitOp::create(b, loc, product.getType(), product, 0);
  op.getResult().replaceAllUsesWith(done);
  op.erase();
  for (tile::LoadOp load : {a.load, c.load}) {
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
