// Which instruction serves a contraction: from element types, the chip's features and the kernel's warps.
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"

#include "TensorMaps.h"
#include "phobos/Dialect/Dot/Transforms/PipelineDepth.h"
#include "phobos/Dialect/Tile/IR/Divisibility.h"
#include "phobos/Dialect/Tile/IR/LayoutBridge.h"

using namespace mlir;
using phobos::layout::Coords;
using phobos::layout::LinearLayout;
using phobos::layout::WarpGrid;

namespace phobos::dot {
namespace {

/// The grid of warps with the smallest sum of operand rows and columns that a warp reads, which is what shared-memory
/// traffic goes with. Pieces smaller than `minM` x `minN` waste the instruction. Of equals, the taller piece if
/// `preferTall`.
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

/// Can the copy engine bring the slice? No thread writes the view, which would need a fence before the engine reads it.
bool comesByTma(tile::LoadOp load, RankedTensorType type) {
  return suitsTma(load.getView(), load.getOffsets(), type) && llvm::none_of(load.getView().getUsers(), llvm::IsaPred<tile::StoreOp>);
}

/// Warpgroups over rows of 64, then over columns; nothing if they do not come out even.
std::optional<WarpGrid> chooseGroups(unsigned warps, int64_t m, int64_t n) {
  unsigned groups = warps / 4;
  if (warps % 4 || !llvm::isPowerOf2_32(groups) || m % 64) {
    return std::nullopt;
  }
  unsigned rows = std::min<int64_t>(groups, m / 64), columns = groups / rows;
  // An instruction is up to 256 columns wide; a thread has room for some 200 sums.
  bool fits = n / columns >= 16 && n / columns <= 256 && m / rows * (n / columns) / 128 <= 160;
  return fits ? std::optional(WarpGrid{rows, columns}) : std::nullopt;
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

/// Bytes along k of one instruction.
constexpr int64_t kWgmmaDepthBytes = 32;

/// Can wgmma take operands of this type as they lie? Those of 16 bits in any order, others with neighbours along k.
bool suitsWgmma(ContractOp op, tile::LoadOp a, tile::LoadOp b) {
  Type element = cast<RankedTensorType>(op.getA().getType()).getElementType();
  bool alongK = tile::unitDim(a.getView().getType()) == (op.getTransA() ? 0u : 1u) &&
                tile::unitDim(b.getView().getType()) == (op.getTransB() ? 1u : 0u);
  bool any = element.isF16() || element.isBF16();
  bool others = element.isInteger(8) || f32Mode(op, element) == ContractionPlan::F32::Tf32;
  return (any || (others && alongK)) && op.k() * tile::elementBits(element) / 8 % kWgmmaDepthBytes == 0;
}

/// Is this a loop's one contraction, carried from turn to turn, of two slices that the copy engine can bring? Then
/// wgmma runs it.
std::optional<WarpGrid> planWgmma(ContractOp op, tile::KernelOp kernel, const target::Chip &chip) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  auto a = cast<RankedTensorType>(op.getA().getType()), b = cast<RankedTensorType>(op.getB().getType());
  auto acc = cast<RankedTensorType>(op.getAcc().getType());
  if (!loop || !chip.has(target::kWgmma) || pipelineDepth(kernel).stages < 2) {
    return std::nullopt;
  }
  for (Operation *up = loop->getParentOp(); up != kernel; up = up->getParentOp()) {
    if (!isa<scf::ForOp>(up)) { // through which the barriers' phases are carried
      return std::nullopt;
    }
  }
  // Nobody else sees the sums of the turn before, which may still be in flight.
  bool carried = llvm::is_contained(loop.getRegionIterArgs(), op.getAcc()) && op.getAcc().hasOneUse() &&
                 op->hasOneUse() && isa<scf::YieldOp>(*op->user_begin());
  bool alone = llvm::none_of(*loop.getBody(), [&](Operation &other) {
    return other.getNumRegions() || isa<tile::StoreOp>(other) || (isa<ContractOp>(other) && &other != op);
  });
  tile::LoadOp loadA = loadOf(op.getA()), loadB = loadOf(op.getB());
  if (!carried || !alone || !loadA || !loadB || loadA == loadB || loadA->getBlock() != loop.getBody() ||
      loadB->getBlock() != loop.getBody() || !comesByTma(loadA, a) || !comesByTma(loadB, b) ||
      !suitsWgmma(op, loadA, loadB)) {
    return std::nullopt;
  }
  bool whole = llvm::isPowerOf2_64(acc.getDimSize(0)) && llvm::isPowerOf2_64(acc.getDimSize(1));
  return whole ? chooseGroups(kernel.getNumWarps(), acc.getDimSize(0), acc.getDimSize(1)) : std::nullopt;
}

/// Do only contractions in `block` use this tile, through relayouts, or puts that one of them has become?
bool onlyContracted(Value tile, Block *block) {
  return llvm::all_of(tile.getUsers(), [&](Operation *user) {
    bool here = user->getBlock() == block;
    return here &&
           (isa<ContractOp, PutOp>(user) || (isa<tile::RelayoutOp>(user) && onlyContracted(user->getResult(0), block)));
  });
}

} // namespace

tile::LoadOp loadOf(Value tile) {
  while (auto relayout = tile.getDefiningOp<tile::RelayoutOp>()) {
    tile = relayout.getSource();
  }
  auto load = tile.getDefiningOp<tile::LoadOp>();
  return load && !load.getFill() && onlyContracted(load, load->getBlock()) ? load : tile::LoadOp();
}

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

  if (auto groups = tensorcore ? planWgmma(op, kernel, chip) : std::nullopt) {
    plan.kind = ContractionPlan::Kind::Wgmma;
    plan.warps = *groups;
    plan.stepK = 16;
    plan.paddedK = k;
    plan.acc = layout::wgmmaAccumulator(shape, *groups);
    return plan;
  }
  int64_t instruction = tensorcore && llvm::isPowerOf2_32(warps) ? instructionK(element, k, chip, plan.f32) : 0;
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
