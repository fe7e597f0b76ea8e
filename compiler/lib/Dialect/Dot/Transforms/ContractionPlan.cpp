// Which instruction serves a contraction: from element types, the chip's features and the kernel's warps.
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"

#include "phobos/Dialect/Tile/IR/LayoutBridge.h"

using namespace mlir;
using phobos::layout::Coords;
using phobos::layout::LinearLayout;
using phobos::layout::WarpGrid;

namespace phobos::dot {
namespace {

/// The grid of warps with the smallest sum of operand rows and columns that a warp reads, which is what shared-memory traffic goes with.
/// Pieces smaller than `minM` x `minN` waste the instruction. Of equals, the taller piece if `preferTall`.
WarpGrid chooseWarps(unsigned warps, int64_t m, int64_t n, int64_t minM, int64_t minN, bool preferTall) {
  WarpGrid best;
  int64_t bestCost = std::numeric_limits<int64_t>::max();
  for (unsigned gridM = 1; gridM <= warps; gridM *= 2) {
    unsigned gridN = warps / gridM;
    int64_t pieceM = std::max(m / gridM, minM), pieceN = std::max(n / gridN, minN);
    // Work done twice counts more than operands read twice.
    int64_t waste = std::max<int64_t>(1, pieceM * gridM / m) * std::max<int64_t>(1, pieceN * gridN / n);
    int64_t cost = ((pieceM + pieceN) * 2 + (preferTall ? pieceM < pieceN : pieceM > pieceN)) * waste;
    if (cost < bestCost) {
      best = {gridM, gridN};
      bestCost = cost;
    }
  }
  return best;
}

/// The k of an instruction for these operands, 0 if the chip has none.
int64_t instructionK(Type element, int64_t k, const target::Chip &chip, ContractionPlan::F32 f32) {
  if (element.isF16()) {
    return chip.has(target::kMmaF16K16) && k > 8 ? 16 : chip.has(target::kMmaF16K8) ? 8 : 0;
  }
  if (element.isBF16() || f32 == ContractionPlan::F32::Bf16x3) {
    return chip.has(target::kMmaBf16) ? (k > 8 ? 16 : 8) : 0;
  }
  if (element.isF32()) {
    return f32 != ContractionPlan::F32::Exact && chip.has(target::kMmaTf32) ? 8 : 0;
  }
  if (element.isInteger(8)) {
    return chip.has(target::kMmaInt8K32) ? (k > 16 ? 32 : 16) : 0;
  }
  return 0;
}

ContractionPlan::F32 f32Mode(ContractOp op, Type element) {
  if (!element.isF32() || !op.getPrecision()) {
    return ContractionPlan::F32::Exact;
  }
  return llvm::StringSwitch<ContractionPlan::F32>(*op.getPrecision())
      .Case("tf32", ContractionPlan::F32::Tf32)
      .Case("bf16x3", ContractionPlan::F32::Bf16x3)
      .Default(ContractionPlan::F32::Tf32x3);
}

} // namespace

LinearLayout ContractionPlan::stepA() const {
  Coords shape = {acc.shape()[0], int32_t(stepK)};
  return kind == Kind::Mma ? layout::mmaOperandA(shape, mma, warps) : layout::fmaOperandA(shape, warps);
}

LinearLayout ContractionPlan::stepB() const {
  Coords shape = {int32_t(stepK), acc.shape()[1]};
  return kind == Kind::Mma ? layout::mmaOperandB(shape, mma, warps) : layout::fmaOperandB(shape, warps);
}

const target::Chip &chipOf(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto name = module ? module->getAttrOfType<StringAttr>(tile::kChipAttr) : StringAttr();
  const target::Chip *chip = target::findChip(name ? name.getValue() : "sm_80");
  return chip ? *chip : *target::findChip("sm_80");
}

ContractionPlan planContraction(ContractOp op, tile::KernelOp kernel, const target::Chip &chip) {
  ContractionPlan plan;
  auto aType = cast<RankedTensorType>(op.getA().getType());
  auto accType = cast<RankedTensorType>(op.getAcc().getType());
  Coords shape = layout::paddedShape(accType.getShape());
  int64_t m = shape[0], n = shape[1], k = layout::nextPowerOf2(op.k());
  unsigned warps = kernel.getNumWarps();
  Type element = aType.getElementType();
  bool tensorcore = kernel->hasAttr(tile::kTensorcoreAttr);
  plan.f32 = f32Mode(op, element);

  int64_t instruction =
      tensorcore && llvm::isPowerOf2_32(warps) ? instructionK(element, k, chip, plan.f32) : 0;
  bool sums = accType.getElementType().isF32() || accType.getElementType().isInteger(32);
  if (instruction && sums) {
    plan.kind = ContractionPlan::Kind::Mma;
    plan.mma.elemBits = plan.f32 == ContractionPlan::F32::Bf16x3 ? 16 : element.getIntOrFloatBitWidth();
    plan.mma.k = instruction;
    plan.warps = chooseWarps(warps, m, n, 16, 16, /*preferTall=*/true);
    plan.stepK = instruction;
    plan.acc = layout::mmaAccumulator(shape, plan.warps);
  } else {
    plan.kind = ContractionPlan::Kind::Fma;
    plan.f32 = ContractionPlan::F32::Exact;
    plan.warps = chooseWarps(llvm::bit_floor(warps), m, n, 4, 8, /*preferTall=*/false);
    plan.stepK = 1;
    plan.acc = layout::fmaAccumulator(shape, plan.warps);
  }
  plan.paddedK = std::max(k, plan.stepK);
  Coords aShape = {shape[0], int32_t(plan.paddedK)}, bShape = {int32_t(plan.paddedK), shape[1]};
  if (plan.kind == ContractionPlan::Kind::Mma) {
    plan.a = layout::mmaOperandA(aShape, plan.mma, plan.warps);
    plan.b = layout::mmaOperandB(bShape, plan.mma, plan.warps);
  } else {
    plan.a = layout::fmaOperandA(aShape, plan.warps);
    plan.b = layout::fmaOperandB(bShape, plan.warps);
  }
  return plan;
}

} // namespace phobos::dot
