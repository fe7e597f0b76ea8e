// Which product of a loop can be put off by a turn.
#include "Stagger.h"

#include "mlir/Analysis/SliceAnalysis.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace phobos::dot {
namespace {

/// Is `value` computed in the loop's turn from the sums of a product?
bool dependsOnProduct(Value value, scf::ForOp loop) {
  llvm::SetVector<Operation *> ops;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  (void)getBackwardSlice(value, &ops, options);
  return llvm::any_of(ops, llvm::IsaPred<WgmmaWaitOp>);
}

/// The multiplication that scales `argument` and does nothing else with it; null if there is none.
arith::MulFOp scalingOf(BlockArgument argument, Value acc) {
  auto scale = acc.getDefiningOp<arith::MulFOp>();
  bool alone = scale && scale->hasOneUse() && (scale.getLhs() == argument) != (scale.getRhs() == argument);
  return alone ? scale : arith::MulFOp();
}

} // namespace

std::optional<Stagger> findStagger(scf::ForOp loop) {
  SmallVector<WgmmaOp> products(loop.getBody()->getOps<WgmmaOp>());
  if (products.size() < 2) {
    return std::nullopt;
  }
  Stagger found;
  found.first = products.front();
  found.product = products.back();
  found.narrow = found.product.getA().getDefiningOp<arith::TruncFOp>();
  if (!found.narrow || !found.narrow->hasOneUse() || found.narrow->getBlock() != loop.getBody() ||
      !dependsOnProduct(found.narrow.getIn(), loop) || !found.product->hasOneUse()) {
    return std::nullopt;
  }
  found.wait = dyn_cast<WgmmaWaitOp>(*found.product->user_begin());
  Operation *yield = loop.getBody()->getTerminator();
  if (!found.wait || !found.wait.getTied() || !found.wait->hasOneUse() || *found.wait->user_begin() != yield) {
    return std::nullopt;
  }
  found.carried = found.wait->use_begin()->getOperandNumber();
  BlockArgument argument = loop.getRegionIterArgs()[found.carried];
  if (!argument.hasOneUse()) {
    return std::nullopt;
  }
  if (found.product.getAcc() != argument) {
    found.scale = scalingOf(argument, found.product.getAcc());
    if (!found.scale) {
      return std::nullopt;
    }
    found.factor = found.scale.getLhs() == argument ? found.scale.getRhs() : found.scale.getLhs();
  }
  return found;
}

} // namespace phobos::dot
