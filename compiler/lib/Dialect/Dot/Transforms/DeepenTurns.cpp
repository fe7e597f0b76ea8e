// dot-deepen-turns: a turn of a loop takes the depth of several, until rows of shared memory are long enough. See
// Passes.td.
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Dialect/Dot/Transforms/PipelineDepth.h"
#include "phobos/Dialect/Tile/IR/Divisibility.h"
#include "phobos/Dialect/Tile/IR/LayoutBridge.h"

using namespace mlir;

namespace phobos::dot {

#define GEN_PASS_DEF_DEEPENTURNS
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

namespace {

// wgmma reads shorter rows at 0.8 of its rate, and those of a quarter at 0.4.
constexpr int64_t kRowBytes = 128;

/// A slice that advances along one dimension of its view with the turns.
struct Slice {
  tile::LoadOp load;
  unsigned depth; // that dimension
  RankedTensorType type() { return cast<RankedTensorType>(load.getType()); }
  int64_t rowBytes() {
    unsigned bytes = tile::elementBits(type().getElementType()) / 8;
    return type().getDimSize(*tile::unitDim(load.getView().getType())) * bytes;
  }
  bool liesAlongDepth() { return tile::unitDim(load.getView().getType()) == depth; }
  void deepen(int64_t depthTo) {
    SmallVector<int64_t> shape(type().getShape());
    shape[depth] = depthTo;
    load.getResult().setType(type().clone(shape));
  }
};

StringRef dimName(Value view, unsigned dim) {
  auto argument = dyn_cast<BlockArgument>(view);
  auto kernel = argument ? dyn_cast<tile::KernelOp>(argument.getOwner()->getParentOp()) : tile::KernelOp();
  auto names = kernel ? kernel.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), tile::kDimsAttr) : ArrayAttr();
  return names && dim < names.size() ? cast<StringAttr>(names[dim]).getValue() : StringRef();
}

/// Does a loop that ends at `bound` take all of the slice's view? A dimension's name stands for one number in all of a
/// launch's tensors.
bool isExtentOf(Value bound, Slice &slice) {
  auto view = slice.load.getView();
  if (auto constant = getConstantIntValue(bound)) {
    return view.getType().getShape()[slice.depth] == *constant;
  }
  auto extent = bound.getDefiningOp<tile::ExtentOp>();
  if (!extent) {
    return false;
  }
  StringRef name = dimName(extent.getView(), extent.getDim());
  bool itself = extent.getView() == view && extent.getDim() == slice.depth;
  return itself || (!name.empty() && name == dimName(view, slice.depth));
}

struct DeepenTurns final : impl::DeepenTurnsBase<DeepenTurns> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (pipelineDepth(kernel).given) {
      return;
    }
    SmallVector<ContractOp> contracts;
    kernel.walk([&](ContractOp op) { contracts.push_back(op); });
    for (ContractOp op : contracts) {
      if (kernel->hasAttr(tile::kTensorcoreAttr) && isWgmma(op)) {
        deepen(op, cast<scf::ForOp>(op->getParentOp()));
      }
    }
  }

  bool isWgmma(ContractOp op) {
    ContractionPlan plan = planContraction(op, getOperation(), chipOf(op));
    return plan.kind == ContractionPlan::Kind::Wgmma && plan.overlaps;
  }

  static std::optional<Slice> sliceOf(Value operand, scf::ForOp loop) {
    auto load = operand.getDefiningOp<tile::LoadOp>();
    std::optional<Slice> slice;
    if (!load || !load.getIndices().empty()) {
      return slice;
    }
    for (auto [dim, offset] : llvm::enumerate(load.getOffsets())) {
      if (offset == loop.getInductionVar()) {
        if (slice) {
          return std::nullopt;
        }
        slice = Slice{load, unsigned(dim)};
      } else if (!loop.isDefinedOutsideOfLoop(offset)) {
        return std::nullopt;
      }
    }
    return slice;
  }

  static void deepen(ContractOp op, scf::ForOp loop) {
    auto a = sliceOf(op.getA(), loop), b = sliceOf(op.getB(), loop);
    auto step = getConstantIntValue(loop.getStep());
    // Elements past the end are zeros and add nothing; those that a loop leaves out would.
    Value end = loop.getUpperBound();
    bool toTheEnd = a && b && step == op.k() && isExtentOf(end, *a) && isExtentOf(end, *b);
    bool alone = llvm::all_of(*loop.getBody(), [&](Operation &other) {
      return &other == op || (a && &other == a->load) || (b && &other == b->load) || isa<scf::YieldOp>(other);
    });
    if (!toTheEnd || !alone || a->load == b->load) {
      return;
    }
    int64_t factor = 1;
    for (Slice *slice : {&*a, &*b}) {
      if (slice->liesAlongDepth()) {
        factor = std::max(factor, kRowBytes / slice->rowBytes());
      }
    }
    int64_t depth = *step, deeper = depth * factor;
    if (factor < 2) {
      return;
    }
    auto setDepth = [&](int64_t to) {
      a->deepen(to);
      b->deepen(to);
    };
    setDepth(deeper);
    ContractionPlan plan = planContraction(op, op->getParentOfType<tile::KernelOp>(), chipOf(op));
    if (plan.kind != ContractionPlan::Kind::Wgmma) {
      return setDepth(depth);
    }
    OpBuilder builder(loop);
    loop.setStep(arith::ConstantIndexOp::create(builder, loop.getLoc(), deeper));
    loop.emitRemark() << "turns of " << deeper << " along k in place of " << depth
                      << ": rows of shared memory are then " << kRowBytes << " bytes long";
  }
};

} // namespace
} // namespace phobos::dot
