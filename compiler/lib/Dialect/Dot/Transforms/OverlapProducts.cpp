// dot-overlap-products: a product under what is computed on another's sums. See Passes.td.
#include "phobos/Dialect/Dot/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace phobos::dot {

#define GEN_PASS_DEF_OVERLAPPRODUCTS
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

namespace {

/// A product and the tied wait for its sums alone.
struct Waited {
  WgmmaOp product;
  WgmmaWaitOp wait;
};

std::optional<Waited> waited(WgmmaOp product) {
  if (product.getWithNext() || !product->hasOneUse()) {
    return std::nullopt;
  }
  auto wait = dyn_cast<WgmmaWaitOp>(*product->user_begin());
  bool alone = wait && wait.getTied() && wait.getPending() == 0 && wait->getBlock() == product->getBlock();
  return alone ? std::optional(Waited{product, wait}) : std::nullopt;
}

bool beginsFromZeros(WgmmaOp product) {
  return matchPattern(product.getAcc(), m_AnyZeroFloat()) || matchPattern(product.getAcc(), m_Zero());
}

class Overlapper {
public:
  Overlapper(Waited first, Waited second) : first(first), second(second) {}

  bool run() {
    if (!beginsFromZeros(second.product) || !findNeeded() || !findComputed()) {
      return false;
    }
    for (Operation *op : needed) {
      op->moveBefore(first.wait);
    }
    second.product->moveBefore(first.wait);
    first.wait.setPending(1);
    OpBuilder b(second.wait);
    Value read = second.product.getStageA() ? Value() : second.product.getA();
    auto join = WgmmaJoinOp::create(b, second.wait.getLoc(), second.wait.getType(), computed.getType(),
                                    second.product.getResult(), computed, read, Value());
    second.wait.replaceAllUsesWith(join.getResult());
    computed.replaceUsesWithIf(join.getAfter(), [&](OpOperand &use) {
      Operation *own = join->getBlock()->findAncestorOpInBlock(*use.getOwner());
      return own && own != join && join->isBeforeInBlock(own);
    });
    Operation *behind = join;
    for (WgmmaOp rider : riders) {
      rider->moveAfter(behind);
      behind = rider;
    }
    second.wait->erase();
    second.product.emitRemark() << "runs under what is computed on the sums of the product before";
    return true;
  }

private:
  bool isBetween(Operation *op) {
    return op->getBlock() == first.wait->getBlock() && first.wait->isBeforeInBlock(op) &&
           op->isBeforeInBlock(second.wait);
  }

  /// What the second product needs of what stands between: scalar arithmetic that comes along, or constants.
  bool findNeeded() {
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) { return isBetween(op); };
    (void)getBackwardSlice(second.product.getOperation(), &needed, options);
    return llvm::all_of(
        needed, [](Operation *op) { return isMemoryEffectFree(op) && op->getNumRegions() == 0 && !isa<WgmmaOp>(op); });
  }

  /// A tile that is computed between the products, of the first one's sums, and needed behind the second: the last
  /// such. Products between must be such that nobody in between waits for.
  bool findComputed() {
    llvm::SetVector<Operation *> work;
    work.insert(first.wait);
    auto depends = [&](Operation *inner) { // also by what a branch uses from outside
      return llvm::any_of(inner->getOperands(), [&](Value operand) { return work.contains(operand.getDefiningOp()); })
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    };
    for (auto it = std::next(first.wait->getIterator()); &*it != second.wait; ++it) {
      Operation *op = &*it;
      if (op == second.product || needed.contains(op)) {
        continue;
      }
      if (auto product = dyn_cast<WgmmaOp>(op)) {
        if (!product.getWithNext() ||
            llvm::any_of(product->getUsers(), [&](Operation *user) { return isBetween(user); })) {
          return false;
        }
        riders.push_back(product);
        continue;
      }
      if (!isMemoryEffectFree(op)) {
        return false;
      }
      if (op->walk(depends).wasInterrupted()) {
        work.insert(op);
      }
      auto type =
          op->getNumResults() == 1 ? dyn_cast<RankedTensorType>(op->getResult(0).getType()) : RankedTensorType();
      bool later = llvm::any_of(op->getUsers(), [&](Operation *user) {
        Operation *own = second.wait->getBlock()->findAncestorOpInBlock(*user);
        return own && second.wait->isBeforeInBlock(own);
      });
      if (type && type.getElementType().isF32() && type.getShape() == first.wait.getType().getShape() && later &&
          work.contains(op)) {
        computed = op->getResult(0);
      }
    }
    return bool(computed);
  }

  Waited first, second;
  llvm::SetVector<Operation *> needed;
  SmallVector<WgmmaOp> riders;
  Value computed;
};

struct OverlapProducts final : impl::OverlapProductsBase<OverlapProducts> {
  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) {
      SmallVector<Waited> products;
      for (auto product : loop.getBody()->getOps<WgmmaOp>()) {
        if (auto found = waited(product)) {
          products.push_back(*found);
        }
      }
      for (size_t i = 0; i + 1 < products.size(); ++i) {
        if (Overlapper(products[i], products[i + 1]).run()) {
          return; // one more in flight is as many as sums have registers for
        }
      }
    });
  }
};

} // namespace
} // namespace phobos::dot
