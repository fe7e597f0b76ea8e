// Plans of relayouts and reductions, and the shared memory that they take.
#include "phobos/Conversion/Scratch.h"

#include "ScratchPlans.h"

#include "phobos/Layout/Algebra.h"

using namespace mlir;
using phobos::layout::In;
using phobos::layout::LinearLayout;

namespace phobos::lowering {

/// Bits that an element takes in registers and scratch: those of its lowered type, a bool a byte.
static unsigned storageBits(Operation *op, Type element) {
  if (element.isIndex()) {
    return op->getParentOfType<tile::KernelOp>().getIndexBits();
  }
  return tile::elementBits(element);
}

std::optional<layout::RelayoutPlan> relayoutPlan(tile::RelayoutOp op) {
  auto from = cast<RankedTensorType>(op.getSource().getType());
  auto to = cast<RankedTensorType>(op.getResult().getType());
  layout::RelayoutOptions options;
  options.maxScratchBytes = kMaxRelayoutScratchBytes;
  return layout::planRelayout(tile::layoutOf(from), tile::layoutOf(to), storageBits(op, from.getElementType()),
                              options);
}

std::optional<ReducePlan> reducePlan(tile::ReduceOp op) {
  LinearLayout source = tile::layoutOf(op.getSources()[0]);
  unsigned axis = op.getAxis();
  if (!layout::axisBits(source, axis).separable) {
    return std::nullopt;
  }
  ReducePlan plan;
  plan.sliced = layout::slice(source, axis);
  layout::F2Basis seen;
  for (auto [in, bits] :
       {std::pair(In::Register, &plan.registers), std::pair(In::Lane, &plan.lanes), std::pair(In::Warp, &plan.warps)}) {
    for (unsigned bit = 0; bit < source.numBits(in); ++bit) {
      int32_t step = source.basis(in, bit, axis);
      if (step && seen.insert(uint32_t(step))) {
        bits->push_back(bit);
      }
    }
  }
  plan.copies = layout::registerCopies(plan.sliced);
  for (uint32_t reg = 0; reg < plan.copies.size(); ++reg) {
    if (plan.copies[reg] == reg) {
      plan.kept.push_back(reg);
    }
  }
  return plan;
}

uint64_t scratchBytes(Operation *op) {
  if (auto relayout = dyn_cast<tile::RelayoutOp>(op)) {
    auto plan = relayoutPlan(relayout);
    bool shared = plan && plan->kind == layout::RelayoutKind::Shared;
    return shared ? llvm::alignTo(plan->shared.totalBytes, kScratchAlignBytes) : 0;
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    auto plan = reducePlan(reduce);
    uint64_t bytes = 0;
    for (Value source : reduce.getSources()) {
      Type element = cast<RankedTensorType>(source.getType()).getElementType();
      bytes += plan ? plan->operandBytes(storageBits(op, element)) : 0;
    }
    return bytes;
  }
  if (auto atomic = dyn_cast<tile::AtomicOp>(op)) { // the writers tell the threads that hold replicas
    LinearLayout layout = tile::layoutOf(atomic.getValue());
    layout::Place replicas = layout.freeVariableMasks();
    auto type = cast<RankedTensorType>(atomic.getValue().getType());
    bool told = !atomic.getResult().use_empty() && (replicas.lane || replicas.warp);
    uint64_t bytes = uint64_t(layout.numElements()) * storageBits(op, type.getElementType()) / 8;
    return told ? llvm::alignTo(bytes, kScratchAlignBytes) : 0;
  }
  return 0;
}

bool usesCtaBarrier(Operation *op) {
  if (auto relayout = dyn_cast<tile::RelayoutOp>(op)) {
    auto plan = relayoutPlan(relayout);
    return plan && plan->kind == layout::RelayoutKind::Shared && !plan->shared.warpLocal;
  }
  return isa<tile::ReduceOp, tile::AtomicOp>(op) && scratchBytes(op) > 0;
}

} // namespace phobos::lowering
