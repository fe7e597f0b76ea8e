// dot-stage-stores: a product's tile leaves by the copy engine. See Passes.td.
#include "GlobalOrder.h"
#include "TensorMaps.h"
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Dialect/Tile/IR/Divisibility.h"
#include "phobos/Dialect/Tile/IR/LayoutBridge.h"
#include "phobos/Layout/Constructors.h"

using namespace mlir;

namespace phobos::dot {

#define GEN_PASS_DEF_STAGESTORES
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

namespace {

constexpr int64_t kMaxBoxRows = 256, kPanelBytes = 128, kMinRowBytes = 32;
constexpr int64_t kMaxSlots = 2; // one is put while the other is copied

/// Each warpgroup's part of a tile in a wgmma accumulator's layout; nothing if it is in another.
std::optional<layout::WarpGrid> groupsOf(RankedTensorType type, unsigned warps) {
  layout::Coords shape = layout::paddedShape(type.getShape());
  for (unsigned m = 1; warps % 4 == 0 && m <= warps / 4; m *= 2) {
    layout::WarpGrid grid = {m, warps / 4 / m};
    // Rows of a part as long as the hardware's shortest swizzle.
    int64_t rowBytes = shape[1] / grid.n * tile::elementBits(type.getElementType()) / 8;
    bool fits = shape[0] % (64 * m) == 0 && shape[1] % (8 * grid.n) == 0 && rowBytes >= kMinRowBytes;
    if (fits && grid.m * grid.n * 4 == warps && tile::layoutOf(type) == layout::wgmmaAccumulator(shape, grid)) {
      return grid;
    }
  }
  return std::nullopt;
}

struct StageStores final : impl::StageStoresBase<StageStores> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (!chipOf(kernel).has(target::kWgmma)) {
      return;
    }
    SmallVector<tile::StoreOp> stores;
    kernel.walk([&](tile::StoreOp store) { stores.push_back(store); });
    OpBuilder end(kernel.getBody().front().getTerminator());
    for (tile::StoreOp store : stores) {
      auto relayout = store.getValue().getDefiningOp<tile::RelayoutOp>();
      auto source = relayout ? cast<RankedTensorType>(relayout.getSource().getType()) : RankedTensorType();
      auto groups = source && suits(store, source) ? groupsOf(source, kernel.getNumWarps()) : std::nullopt;
      if (groups) {
        // The CTA's shared memory must outlive the last copy's reads.
        Location loc = store.getLoc();
        StoreWaitOp::create(end, loc, stage(store, relayout, source, *groups));
      }
    }
  }

  /// Rows along the unit dimension, written by nothing else and not read back.
  bool suits(tile::StoreOp store, RankedTensorType type) {
    Type element = type.getElementType();
    bool known = element.isF16() || element.isBF16() || element.isF32();
    if (!known || !suitsTma(store.getView(), store.getOffsets(), type) || tile::unitDim(store.getView().getType()) != 1u) {
      return false;
    }
    bool alone = llvm::all_of(store.getView().getUsers(), [&](Operation *user) {
      bool before = user->getBlock() == store->getBlock() && user->isBeforeInBlock(store);
      return user == store || (isa<tile::LoadOp>(user) ? before : !isa<tile::StoreOp>(user));
    });
    return alone && isElsewhereEachTurn(store, type);
  }

  /// Copies are not ordered among themselves: no turn of a loop may write what another did.
  static bool isElsewhereEachTurn(tile::StoreOp store, RankedTensorType type) {
    for (auto loop = store->getParentOfType<LoopLikeOpInterface>(); loop;
         loop = loop->getParentOfType<LoopLikeOpInterface>()) {
      auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
      bool moves = isBlockLoop(loop);
      for (auto [dim, offset] : llvm::enumerate(store.getOffsets())) {
        auto by = counted ? movesBy(offset, counted) : std::nullopt;
        moves |= by && std::abs(*by) >= type.getDimSize(dim);
      }
      if (!moves) {
        return false;
      }
    }
    return true;
  }

  TypedValue<StageType> stage(tile::StoreOp store, tile::RelayoutOp relayout, RankedTensorType type,
                              layout::WarpGrid groups) {
    tile::KernelOp kernel = getOperation();
    OpBuilder entry = OpBuilder::atBlockBegin(&kernel.getBody().front()), b(store);
    Location loc = store.getLoc();
    int64_t bytes = tile::elementBits(type.getElementType()) / 8;
    int64_t rows = type.getDimSize(0) / groups.m, columns = type.getDimSize(1) / groups.n;
    int64_t panel = std::min(kPanelBytes, columns * bytes);
    // Both counts are powers of two: the next tile begins with the slot that was copied longest ago.
    unsigned slots = std::min(kMaxSlots, columns * bytes / panel);
    auto stageType = StageType::get(b.getContext(), slots, {rows * groups.m * groups.n, panel / bytes},
                                    type.getElementType(), {1, 0}, /*swizzled=*/false, /*padBytes=*/0, panel);
    auto stage = AllocOp::create(entry, loc, stageType, IntegerAttr()).getStage();
    SmallVector<int64_t> box = {std::min(rows, kMaxBoxRows), panel / bytes};
    auto map =
        tensorMap(kernel, store.getView(), TensorMapType::get(b.getContext(), box, type.getElementType(), panel));
    StoreAsyncOp::create(b, loc, relayout.getSource(), stage, map, store.getOffsets());
    store.erase();
    if (relayout->use_empty()) {
      relayout.erase();
    }
    return stage;
  }
};

} // namespace
} // namespace phobos::dot
