// tile-guard-masks: what a mask takes from a product's sums, only in the turns in which it takes anything. See
// Passes.td.
#include "phobos/Dialect/Dot/IR/Dot.h"
#include "phobos/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace phobos::tile {

#define GEN_PASS_DEF_GUARDMASKS
#include "phobos/Dialect/Tile/Transforms/Passes.h.inc"

namespace {

/// The least and the greatest element of a tile, as scalars.
struct Range {
  Value low, high;
};

/// Moves elements about and computes nothing.
bool keepsElements(Operation *op) {
  return isa_and_present<ExpandDimsOp, BroadcastOp, ReshapeOp, TransposeOp, RelayoutOp>(op);
}

class Bounds {
public:
  explicit Bounds(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  /// Nothing, where a tile is not made of scalars and iotas by sums and differences of indices, which do not wrap.
  std::optional<Range> of(Value tile) {
    Operation *op = tile.getDefiningOp();
    if (keepsElements(op)) {
      return of(op->getOperand(0));
    }
    if (auto cast = dyn_cast_if_present<arith::IndexCastOp>(op)) {
      auto iota = cast.getIn().getDefiningOp<IotaOp>();
      return iota ? std::optional(ofIota(iota)) : std::nullopt;
    }
    if (!op || !isa<IndexType>(getElementTypeOrSelf(tile.getType()))) {
      return std::nullopt;
    }
    if (auto iota = dyn_cast<IotaOp>(op)) {
      return ofIota(iota);
    }
    if (auto splat = dyn_cast<SplatOp>(op)) {
      return Range{splat.getOperand(), splat.getOperand()};
    }
    if (APInt constant; matchPattern(tile, m_ConstantInt(&constant))) {
      Value number = index(constant.getSExtValue());
      return Range{number, number};
    }
    if (!isa<arith::AddIOp, arith::SubIOp>(op)) {
      return std::nullopt;
    }
    auto x = of(op->getOperand(0)), y = of(op->getOperand(1));
    if (!x || !y) {
      return std::nullopt;
    }
    return isa<arith::AddIOp>(op) ? Range{add(x->low, y->low), add(x->high, y->high)}
                                  : Range{subtract(x->low, y->high), subtract(x->high, y->low)};
  }

  /// Is every element of the mask true? An i1; null where that cannot be told from scalars.
  Value holdsEverywhere(Value mask) {
    Operation *op = mask.getDefiningOp();
    if (keepsElements(op)) {
      return holdsEverywhere(op->getOperand(0));
    }
    if (isa_and_present<arith::AndIOp, arith::OrIOp>(op)) {
      Value x = holdsEverywhere(op->getOperand(0)), y = holdsEverywhere(op->getOperand(1));
      if (!x || !y) {
        return {};
      }
      return isa<arith::AndIOp>(op) ? Value(arith::AndIOp::create(b, loc, x, y))
                                    : Value(arith::OrIOp::create(b, loc, x, y));
    }
    auto compare = dyn_cast_if_present<arith::CmpIOp>(op);
    auto x = compare ? of(compare.getLhs()) : std::nullopt, y = x ? of(compare.getRhs()) : std::nullopt;
    if (!y) {
      return {};
    }
    switch (auto predicate = compare.getPredicate()) {
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::sle:
      return arith::CmpIOp::create(b, loc, predicate, x->high, y->low);
    case arith::CmpIPredicate::sgt:
    case arith::CmpIPredicate::sge:
      return arith::CmpIOp::create(b, loc, predicate, x->low, y->high);
    default:
      return {};
    }
  }

private:
  Range ofIota(IotaOp iota) { return {index(0), index(cast<RankedTensorType>(iota.getType()).getNumElements() - 1)}; }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value subtract(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }

  OpBuilder &b;
  Location loc;
};

/// What the tile is computed from by operations on tiles, up to products and the loop's carried values.
llvm::SetVector<Operation *> tileOpsOf(Value tile) {
  llvm::SetVector<Operation *> ops;
  BackwardSliceOptions options;
  options.omitBlockArguments = options.inclusive = true;
  options.filter = [](Operation *op) {
    return op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType()) && op->getNumRegions() == 0;
  };
  if (Operation *op = tile.getDefiningOp()) {
    (void)getBackwardSlice(op, &ops, options);
  }
  return ops;
}

struct GuardMasks final : impl::GuardMasksBase<GuardMasks> {
  void runOnOperation() override {
    SmallVector<arith::SelectOp> selects;
    getOperation().walk([&](arith::SelectOp select) {
      bool masks = isa<RankedTensorType>(select.getCondition().getType()) && isa<scf::ForOp>(select->getParentOp());
      if (masks && llvm::any_of(tileOpsOf(select.getTrueValue()), [&](Operation *op) {
            return isa<dot::ContractOp>(op) && op->getBlock() == select->getBlock();
          })) {
        selects.push_back(select);
      }
    });
    for (arith::SelectOp select : selects) {
      guard(select);
    }
  }

  void guard(arith::SelectOp select) {
    OpBuilder b(select);
    Location loc = select.getLoc();
    Value whole = Bounds(b, loc).holdsEverywhere(select.getCondition());
    if (!whole) {
      return;
    }
    select.emitRemark() << "masked only in turns in which the mask takes something";
    auto branch = scf::IfOp::create(b, loc, select.getType(), whole, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, select.getTrueValue());
    b.setInsertionPointToStart(branch.elseBlock());
    IRMapping mapping;
    for (Operation *op : tileOpsOf(select.getCondition())) { // computed there alone
      b.clone(*op, mapping);
    }
    Operation *masked = b.clone(*select, mapping);
    scf::YieldOp::create(b, loc, masked->getResult(0));
    select.replaceAllUsesWith(branch.getResult(0));
    select.erase();
  }
};

} // namespace
} // namespace phobos::tile
