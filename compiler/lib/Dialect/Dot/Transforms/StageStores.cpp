// dot-stage-stores: a product's tile leaves by the copy engine. See Passes.td.
#include "GlobalOrder.h"
#include "TensorMaps.h"
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Dialect/Tile/IR/Divisibility.h"
#include "phobos/Dialect/Tile/IR/DroppedDims.h"
#include "phobos/Dialect/Tile/IR/LayoutBridge.h"
#include "phobos/Layout/Algebra.h"
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
  bool matrix = shape.size() == 2;
  for (unsigned m = 1; matrix && warps % 4 == 0 && m <= warps / 4; m *= 2) {
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

/// The tile's type the other way round; of no matrix the type itself.
RankedTensorType transposed(RankedTensorType type) {
  if (type.getRank() != 2) {
    return type;
  }
  auto turned = RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  return tile::withLayout(turned, layout::transpose(tile::layoutOf(type), {1, 0}));
}

struct StageStores final : impl::StageStoresBase<StageStores> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (!chipOf(kernel).has(target::kWgmma)) {
      return;
    }
    SmallVector<tile::StoreOp> stores;
    kernel.walk([&](tile::StoreOp store) { stores.push_back(store); });
    stages.clear();
    for (tile::StoreOp store : stores) {
      auto relayout = store.getValue().getDefiningOp<tile::RelayoutOp>();
      if (!relayout) {
        continue;
      }
      Value matrix = tile::beforeAdd(relayout.getSource());
      auto type = cast<RankedTensorType>(matrix.getType());
      bool turned = !groupsOf(type, kernel.getNumWarps()); // are a product's columns the rows?
      auto groups = groupsOf(turned ? transposed(type) : type, kernel.getNumWarps());
      if (!groups) {
        continue;
      }
      if (StringRef why = obstacle(store); !why.empty()) {
        store.emitRemark() << "not stored by the copy engine: " << why;
      } else {
        stage(store, matrix, *groups, turned);
      }
    }
  }

  /// Why not, in words; empty if nothing is in the way: rows along the unit dimension, written by nothing else and not
  /// read back.
  StringRef obstacle(tile::StoreOp store) {
    auto type = cast<RankedTensorType>(store.getValue().getType());
    Type element = type.getElementType();
    bool known = element.isF16() || element.isBF16() || element.isF32() || tile::elementBits(element) == 8;
    auto unit = tile::unitDim(store.getView().getType());
    bool ofRows =
        unit && llvm::all_of(type.getShape().drop_front(*unit + 1), [](int64_t extent) { return extent == 1; });
    if (!store.getIndices().empty()) {
      return "a tile of indices says where elements go";
    }
    if (!known) {
      return "it takes elements of 8 bits, f16, bf16 and f32";
    }
    if (!ofRows) {
      return "the tensor's rows do not lie along the tile's";
    }
    if (!suitsTma(store.getView(), store.getOffsets(), type)) {
      return "pitches, or where tiles begin, are not known to be multiples of 16 bytes";
    }
    // At the end of a row it stores whole 16 bytes, behind the extent too: seen on an H200, in the columns beside a
    // view.
    int64_t rowDivisor = getOperation().extentDivisor(store.getView(), *unit);
    if (rowDivisor * tile::elementBits(element) / 8 % 16 != 0) {
      return "the tensor's rows are not known to be whole 16 bytes";
    }
    // Where it does, storing is an illegal instruction (loading is not): seen on an H200.
    if (!llvm::all_of(store.getOffsets(), tile::isNeverNegative)) {
      return "it may begin before the tensor's first element";
    }
    for (Operation *user : store.getView().getUsers()) {
      auto load = dyn_cast<tile::LoadOp>(user);
      if (isa<tile::StoreOp, tile::AtomicOp>(user) && user != store) {
        return "the kernel stores to this tensor elsewhere too";
      }
      if (load && !isReadBefore(load, store)) {
        return "the kernel reads this tensor elsewhere, or later";
      }
    }
    return isElsewhereEachTurn(store, type) ? "" : "another turn of a loop may store to the same place";
  }

  /// Does the load read the same slice, in front of the store? Copies complete whenever they like, so that a turn of a
  /// loop must not read what another stores.
  static bool isReadBefore(tile::LoadOp load, tile::StoreOp store) {
    return load->getBlock() == store->getBlock() && load->isBeforeInBlock(store) && load.getIndices().empty() &&
           llvm::equal(load.getOffsets(), store.getOffsets()) &&
           cast<RankedTensorType>(load.getType()).getShape() ==
               cast<RankedTensorType>(store.getValue().getType()).getShape();
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

  void stage(tile::StoreOp store, Value matrix, layout::WarpGrid groups, bool turned) {
    auto type = cast<RankedTensorType>(matrix.getType());
    tile::KernelOp kernel = getOperation();
    OpBuilder entry = OpBuilder::atBlockBegin(&kernel.getBody().front()), b(store);
    OpBuilder end(kernel.getBody().front().getTerminator());
    Location loc = store.getLoc();
    int64_t bytes = tile::elementBits(type.getElementType()) / 8;
    int64_t rows = type.getDimSize(0) / (turned ? groups.n : groups.m);
    int64_t columns = type.getDimSize(1) / (turned ? groups.m : groups.n);
    int64_t panel = std::min(kPanelBytes, columns * bytes);
    // Both counts are powers of two: the next tile begins with the slot that was copied longest ago.
    unsigned slots = std::min(kMaxSlots, columns * bytes / panel);
    auto stageType = StageType::get(b.getContext(), slots, {rows * groups.m * groups.n, panel / bytes},
                                    type.getElementType(), {1, 0}, /*swizzled=*/false, /*padBytes=*/0, panel);
    TypedValue<StageType> &stage = stages[stageType]; // tiles that leave one after the other share their slots
    if (!stage) {
      stage = AllocOp::create(entry, loc, stageType, IntegerAttr()).getStage();
      // The CTA's shared memory must outlive the last copy's reads.
      StoreWaitOp::create(end, loc, stage);
    }
    SmallVector<int64_t> box(cast<RankedTensorType>(store.getValue().getType()).getShape());
    for (int64_t &extent : box) { // of the rows' dimension, and of those that an index dropped
      extent = std::min({extent, rows, kMaxBoxRows});
    }
    box[*tile::unitDim(store.getView().getType())] = panel / bytes;
    auto map =
        tensorMap(kernel, store.getView(), TensorMapType::get(b.getContext(), box, type.getElementType(), panel));
    if (turned) { // nothing moves
      matrix = tile::TransposeOp::create(b, loc, transposed(type), matrix, ArrayRef<int32_t>{1, 0});
    }
    StoreAsyncOp::create(b, loc, matrix, stage, map, store.getOffsets(), turned);
    Operation *relayout = store.getValue().getDefiningOp();
    store.erase();
    if (relayout->use_empty()) {
      relayout->erase();
    }
  }

  llvm::DenseMap<StageType, TypedValue<StageType>> stages;
};

} // namespace
} // namespace phobos::dot
