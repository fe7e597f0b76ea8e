// A contraction for wgmma: bulk copies into slots, and one warpgroup product a turn.
#include "StageWgmma.h"

#include "TensorMaps.h"
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"

using namespace mlir;

namespace phobos::dot {

void stageWgmma(ContractOp op, tile::KernelOp kernel) {
  OpBuilder entry = OpBuilder::atBlockBegin(&kernel.getBody().front()), b(op);
  Location loc = op.getLoc();
  tile::LoadOp loads[] = {loadOf(op.getA()), loadOf(op.getB())};
  TmaTile tiles[2];
  for (auto [load, tile] : llvm::zip_equal(loads, tiles)) {
    tile = allocTmaTile(entry, load.getLoc(), kernel, load.getView(), cast<RankedTensorType>(load.getType()));
  }
  adviseTile(op, std::min(tiles[0].stage.getType().getPanelBytes(), tiles[1].stage.getType().getPanelBytes()));
  auto barriers = AllocBarriersOp::create(entry, loc, BarriersType::get(b.getContext(), 1), /*count=*/2, IntegerAttr())
                      .getBarriers();
  BarrierOp::create(entry, loc); // who awaits them must find them initialised
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  for (auto [load, tile] : llvm::zip_equal(loads, tiles)) {
    TmaLoadOp::create(b, load.getLoc(), tile.map, load.getOffsets(), tile.stage, zero, barriers, Value());
  }
  AwaitOp::create(b, loc, barriers, zero, zero);
  Value product = WgmmaOp::create(b, loc, op.getType(), tiles[0].stage, zero, tiles[1].stage, zero, op.getAcc(),
                                  op.getTransA(), op.getTransB());
  Value done = WgmmaWaitOp::create(b, loc, product.getType(), product, 0);
  op.getResult().replaceAllUsesWith(done);
  op.erase();
  for (tile::LoadOp load : loads) {
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
