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
  int64_t extent = cast<ViewType>(view.getType()).getShape()[dim];
  if (!ShapedType::isDynamic(extent) && extent < tile) { // also of extent 0, which every tile divides
    return Inside::Unknown;
  }
  if (kernel.extentDivisor(view, dim) % tile || divisorOf(offset) % tile) {
    return Inside::Unknown;
  }
  APInt start;
  if (matchPattern(offset, m_ConstantInt(&start))) {
    // A static extent may prove more than zero.
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

/// One dimension of an access: where it starts, and in what.
struct Span {
  Value view, offset;
  unsigned dim;
  int64_t tile;
};

bool sameExtent(KernelOp kernel, const Span &a, const Span &b) {
  if (a.view == b.view && a.dim == b.dim) {
    return true;
  }
  StringRef name = kernel.dimName(a.view, a.dim);
  int64_t known = cast<ViewType>(a.view.getType()).getShape()[a.dim];
  return name.empty() ? !ShapedType::isDynamic(known) && known == cast<ViewType>(b.view.getType()).getShape()[b.dim]
                      : name == kernel.dimName(b.view, b.dim);
}

/// Does every store of what `load` gives lie outside when the load does, along `dim`? Then what it gives there is of no
/// consequence. Values are followed through tiles, loops and branches; where one decides what is done, nothing is
/// known.
bool isStoredAlongside(KernelOp kernel, LoadOp load, unsigned dim) {
  Span span{load.getView(), load.getOffsets()[dim], dim, cast<RankedTensorType>(load.getType()).getShape()[dim]};
  llvm::SetVector<Value> reached;
  reached.insert(load.getResult());
  auto follow = [&](Operation *op, OpOperand &use) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      auto shape = cast<RankedTensorType>(store.getValue().getType()).getShape();
      return llvm::any_of(llvm::enumerate(store.getOffsets()), [&](auto entry) {
        Span other{store.getView(), entry.value(), unsigned(entry.index()), shape[entry.index()]};
        return !store.indicesOf(entry.index()) && other.offset == span.offset && other.tile == span.tile &&
               sameExtent(kernel, span, other);
      });
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (use.getOperandNumber() < loop.getNumControlOperands()) {
        return false;
      }
      reached.insert(loop.getTiedLoopRegionIterArg(&use));
      reached.insert(loop.getTiedLoopResult(&use));
      return true;
    }
    if (auto yield = dyn_cast<scf::YieldOp>(op)) {
      Operation *parent = yield->getParentOp();
      if (auto loop = dyn_cast<scf::ForOp>(parent)) {
        reached.insert(loop.getRegionIterArg(use.getOperandNumber()));
      } else if (!isa<scf::IfOp>(parent)) {
        return false;
      }
      reached.insert(parent->getResult(use.getOperandNumber()));
      return true;
    }
    if (!isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>() || isa<scf::IfOp>(op)) {
      return false;
    }
    reached.insert_range(op->getResults());
    return true;
  };
  for (unsigned i = 0; i < reached.size(); ++i) {
    for (OpOperand &use : reached[i].getUses()) {
      if (!follow(use.getOwner(), use)) {
        return false;
      }
    }
  }
  return true;
}

struct SimplifyMasks final : impl::SimplifyMasksBase<SimplifyMasks> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    kernel.walk([&](LoadOp load) { simplifyLoad(kernel, load); });
    kernel.walk([&](StoreOp store) { simplifyWrite(kernel, store); });
    kernel.walk([&](AtomicOp atomic) { simplifyWrite(kernel, atomic); });
  }

  template <typename OpT> void simplifyWrite(KernelOp kernel, OpT write) {
    auto type = cast<RankedTensorType>(write.getValue().getType());
    write.setWhole(judgeAll(kernel, write, type, Inside::Always));
  }

  template <typename OpT> SmallVector<bool> judgeAll(KernelOp kernel, OpT access, RankedTensorType type, Inside least) {
    SmallVector<bool> whole;
    for (auto [dim, offset] : llvm::enumerate(access.getOffsets())) {
      bool inside =
          !access.indicesOf(dim) && judge(kernel, access.getView(), dim, offset, type.getShape()[dim]) >= least;
      whole.push_back(inside || access.isWhole(dim));
    }
    return whole;
  }

  void simplifyLoad(KernelOp kernel, LoadOp load) {
    auto type = cast<RankedTensorType>(load.getResult().getType());
    SmallVector<bool> always = judgeAll(kernel, load, type, Inside::Always);
    SmallVector<bool> whole = judgeAll(kernel, load, type, Inside::AllOrNothing);
    // What lies outside reads as the fill, if anything depends on it: then the bound stays. It stays too where the view
    // is written: what a clamped load reads, another block may be writing.
    bool keeps = load.getFill() || llvm::any_of(load.getView().getUsers(), llvm::IsaPred<StoreOp, AtomicOp>);
    for (unsigned dim = 0; dim < whole.size(); ++dim) {
      whole[dim] = always[dim] || (whole[dim] && !keeps && isStoredAlongside(kernel, load, dim));
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
