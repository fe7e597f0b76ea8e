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

/// The one bit that moves by 2^step along the axis, if it moves nowhere else.
static std::optional<std::pair<In, unsigned>> moverOf(const LinearLayout &layout, unsigned axis, unsigned step) {
  std::optional<std::pair<In, unsigned>> mover;
  for (In in : {In::Register, In::Lane, In::Warp}) {
    for (unsigned bit = 0; bit < layout.numBits(in); ++bit) {
      layout::Coords basis = layout.basis(in, bit);
      if (!(basis[axis] >> step & 1)) {
        continue;
      }
      bool alone = basis[axis] == 1 << step && llvm::count(basis, 0) + 1 == int64_t(basis.size());
      if (mover || !alone) {
        return std::nullopt;
      }
      mover = {in, bit};
    }
  }
  return mover;
}

std::optional<ScanPlan> scanPlan(const LinearLayout &layout, unsigned axis) {
  ScanPlan plan;
  bool lanes = false, warps = false;
  for (unsigned step = 0; 1 << step < layout.shape()[axis]; ++step) {
    auto mover = moverOf(layout, axis, step);
    if (!mover) {
      return std::nullopt;
    }
    auto [in, bit] = *mover;
    if (plan.runs.empty() || plan.runs.back().in != in) {
      if ((in == In::Lane && (lanes || warps)) || (in == In::Warp && warps)) {
        return std::nullopt;
      }
      lanes |= in == In::Lane;
      warps |= in == In::Warp;
      plan.runs.push_back({in, {}});
    } else if (in == In::Lane && plan.runs.back().bits.back() + 1 != bit) {
      return std::nullopt;
    }
    plan.runs.back().bits.push_back(bit);
    plan.partials <<= in == In::Warp;
    plan.below += !warps;
  }
  // Without the axis' bits below those of the warps, and without those.
  unsigned dropped = plan.below + layout::log2Exact(plan.partials);
  auto without = [&](In in) {
    auto bases = layout.bases(in);
    for (layout::Coords &basis : bases) {
      basis[axis] >>= dropped;
    }
    return bases;
  };
  layout::Coords shape(layout.shape());
  shape[axis] = std::max(1, shape[axis] >> dropped);
  plan.ends = LinearLayout(shape, without(In::Register), without(In::Lane), without(In::Warp));
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
  if (auto scan = dyn_cast<tile::ScanOp>(op)) {
    auto plan = scanPlan(tile::layoutOf(scan.getSources()[0]), scan.getAxis());
    uint64_t bytes = 0;
    for (Value source : scan.getSources()) {
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
  if (auto part = dyn_cast<tile::PartOp>(op)) {
    auto type = cast<RankedTensorType>(part.getSource().getType());
    uint64_t bytes = uint64_t(tile::layoutOf(type).numElements()) * storageBits(op, type.getElementType()) / 8;
    return partRegisters(op) ? 0 : llvm::alignTo(bytes, kScratchAlignBytes);
  }
  return 0;
}

std::optional<SmallVector<std::optional<uint32_t>>> partRegisters(Operation *op) {
  auto part = cast<tile::PartOp>(op);
  auto from = cast<RankedTensorType>(part.getSource().getType());
  LinearLayout source = tile::layoutOf(from), result = tile::layoutOf(part.getResult());
  const LinearLayout &whole = part.getOther() ? result : source, &piece = part.getOther() ? source : result;
  uint32_t begin = 0; // of the part in the whole, a flat number
  for (auto [dim, offset] : llvm::enumerate(part.getOffsets())) {
    APInt value;
    if (!matchPattern(offset, m_ConstantInt(&value))) {
      return std::nullopt;
    }
    int64_t at = part.getOther() ? -value.getSExtValue() : value.getSExtValue(), extent = piece.shape()[dim];
    bool isPiece = from.getDimSize(dim) == cast<RankedTensorType>(part.getType()).getDimSize(dim) ||
                   llvm::all_of(ArrayRef{part.getSource().getType(), part.getType()}, [&, dim = dim](Type type) {
                     return llvm::isPowerOf2_64(cast<RankedTensorType>(type).getDimSize(dim));
                   });
    if (!isPiece || at < 0 || at % extent != 0 || at >= whole.shape()[dim]) {
      return std::nullopt;
    }
    begin |= static_cast<uint32_t>(at) << whole.dimShift(dim);
  }
  if (layout::part(whole, piece.shape()) != std::optional(piece)) {
    return std::nullopt;
  }
  SmallVector<std::optional<uint32_t>> registers(result.numRegisters());
  for (uint32_t reg = 0; reg < whole.numRegisters(); ++reg) {
    auto [which, inside] = layout::partOf(whole, piece.shape(), reg);
    if (which == begin) {
      (part.getOther() ? registers[reg] : registers[inside]) = part.getOther() ? inside : reg;
    }
  }
  return registers;
}

bool scansAlong(const LinearLayout &layout, unsigned axis) { return scanPlan(layout, axis).has_value(); }

bool usesCtaBarrier(Operation *op) {
  if (auto relayout = dyn_cast<tile::RelayoutOp>(op)) {
    auto plan = relayoutPlan(relayout);
    return plan && plan->kind == layout::RelayoutKind::Shared && !plan->shared.warpLocal;
  }
  return isa<tile::PartOp, tile::ReduceOp, tile::ScanOp, tile::AtomicOp>(op) && scratchBytes(op) > 0;
}

} // namespace phobos::lowering
