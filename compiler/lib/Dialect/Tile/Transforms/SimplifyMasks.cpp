// tile-simplify-masks: slices known to lie inside their view lose their bounds. See Passes.td.
#include "phobos/Dialect/Tile/IR/Divisibility.h"
#include "phobos/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace phobos::tile {

#define GEN_PASS_DEF_SIMPLIFYMASKS
#include "phobos/Dialect/Tile/Transforms/Passes.h.inc"

namespace {

enum class Inside { Unknown, AllOrNothing, Always };

/// Is `bound` the extent of `view` along `dim`, or of another view's equal dim?
bool isExtentOf(KernelOp kernel, Value bound, Value view, unsigned dim) {
  APInt constant;
  int64_t known = cast<ViewType>(view.getType()).getShape()[dim];
  if (matchPattern(bound, m_ConstantInt(&constant))) {
    return constant.getSExtValue() == known;
  }
  auto extent = bound.getDefiningOp<ExtentOp>();
  if (!extent) {
    return false;
  }
  StringRef name = kernel.dimName(view, dim);
  bool same = extent.getView() == view && extent.getDim() == dim;
  return same || (!name.empty() && name == kernel.dimName(extent.getView(), extent.getDim()));
}

/// Does the slice of `tile` elements from `offset` lie inside?
Inside judge(KernelOp kernel, Value view, unsigned dim, Value offset, int64_t tile) {
  if (kernel.extentDivisor(view, dim) % tile || divisorOf(offset) % tile) {
    return Inside::Unknown;
  }
  APInt start;
  if (matchPattern(offset, m_ConstantInt(&start))) {
    // A static extent may prove more than zero.
    int64_t extent = cast<ViewType>(view.getType()).getShape()[dim];
    bool fits = !ShapedType::isDynamic(extent) && start.getSExtValue() >= 0 && start.getSExtValue() + tile <= extent;
    return start.isZero() || fits ? Inside::Always : Inside::AllOrNothing;
  }
  if (auto argument = dyn_cast<BlockArgument>(offset)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    APInt lower;
    if (loop && argument == loop.getInductionVar() && matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
        lower.isNonNegative() && isExtentOf(kernel, loop.getUpperBound(), view, dim)) {
      return Inside::Always;
    }
  }
  return Inside::AllOrNothing;
}

struct SimplifyMasks final : impl::SimplifyMasksBase<SimplifyMasks> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    kernel.walk([&](LoadOp load) { simplifyLoad(kernel, load); });
    kernel.walk([&](StoreOp store) {
      auto type = cast<RankedTensorType>(store.getValue().getType());
      SmallVector<bool> whole = judgeAll(kernel, store, type, Inside::Always);
      store.setWhole(whole);
    });
  }

  template <typename OpT> SmallVector<bool> judgeAll(KernelOp kernel, OpT access, RankedTensorType type, Inside least) {
    SmallVector<bool> whole;
    for (auto [dim, offset] : llvm::enumerate(access.getOffsets())) {
      bool inside = judge(kernel, access.getView(), dim, offset, type.getShape()[dim]) >= least;
      whole.push_back(inside || access.isWhole(dim));
    }
    return whole;
  }

  void simplifyLoad(KernelOp kernel, LoadOp load) {
    auto type = cast<RankedTensorType>(load.getResult().getType());
    SmallVector<bool> always = judgeAll(kernel, load, type, Inside::Always);
    SmallVector<bool> whole = judgeAll(kernel, load, type, Inside::AllOrNothing);
    // With a fill of its own, what lies outside can be told from what is there: then the bound stays.
    if (load.getFill()) {
      whole = always;
    }
    for (unsigned dim = 0; dim < whole.size(); ++dim) {
      if (whole[dim] && !always[dim]) {
        load.getOffsetsMutable()[dim].set(clamp(load, dim, type.getShape()[dim]));
      }
    }
    load.setWhole(whole);
  }

  /// The offset, moved into the view: max(0, min(offset, extent - tile)).
  Value clamp(LoadOp load, unsigned dim, int64_t tile) {
    OpBuilder b(load);
    // Where the offset is made, so that loops do not repeat it.
    Value offset = load.getOffsets()[dim];
    if (Operation *def = offset.getDefiningOp()) {
      b.setInsertionPointAfter(def);
    }
    Location loc = load.getLoc();
    Value extent = ExtentOp::create(b, loc, b.getIndexType(), load.getView(), b.getI32IntegerAttr(dim));
    Value size = arith::ConstantIndexOp::create(b, loc, tile), zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value last = arith::SubIOp::create(b, loc, extent, size);
    Value low = arith::MinSIOp::create(b, loc, offset, last);
    return arith::MaxSIOp::create(b, loc, low, zero);
  }
};

} // namespace
} // namespace phobos::tile
