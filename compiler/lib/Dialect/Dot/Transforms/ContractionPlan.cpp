// Which instruction serves a contraction: from element types, the chip's features and the kernel's warps.
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"

#include "TensorMaps.h"
#include "phobos/Dialect/Dot/Transforms/PipelineDepth.h"
#include "phobos/Dialect/Tile/IR/Divisibility.h"
#include "phobos/Dialect/Tile/IR/DroppedDims.h"
#include "phobos/Dialect/Tile/IR/LayoutBridge.h"

#include "mlir/Analysis/SliceAnalysis.h"

#include "llvm/ADT/SetVector.h"

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
  bool alongK = (!a || unitDimOf(op.getA(), a) == (op.getTransA() ? 0u : 1u)) &&
                unitDimOf(op.getB(), b) == (op.getTransB() ? 1u : 0u);
  bool sixteen = element.isF16() || element.isBF16();
  bool others = element.isInteger(8) || isa<Float8E4M3FNType, Float8E5M2Type>(element) ||
                f32Mode(op, element) == ContractionPlan::F32::Tf32;
  return (sixteen || (others && a && alongK)) && op.k() * tile::elementBits(element) / 8 % kWgmmaDepthBytes == 0;
}

/// One contraction of a loop by wgmma.
struct WgmmaPlan {
  WarpGrid groups;
  tile::LoadOp a, b;      // slices that the copy engine brings; no a: from registers
  tile::LoadOp under;     // the slice that a is made of, on its way into registers
  tile::LoadOp still;     // the slice that is a in every turn, brought once into a slot of its own
  int64_t sums, operands; // registers of a thread, for a where it is in them
};

/// The operations of a turn of `loop` that `value` is made by, up to products.
llvm::SetVector<Operation *> madeBy(Value value, scf::ForOp loop) {
  llvm::SetVector<Operation *> ops;
  BackwardSliceOptions options;
  options.omitBlockArguments = options.inclusive = true;
  options.omitUsesFromAbove = false; // of a branch, what it takes from around it
  options.filter = [&](Operation *op) { return op->getBlock() == loop.getBody() && !isa<ContractOp>(op); };
  if (Operation *op = value.getDefiningOp()) {
    (void)getBackwardSlice(op, &ops, options);
  }
  return ops;
}

/// Is `value` known turns ahead: computed from the loop's variable and from what is there before the loop?
bool isKnownAhead(Value value, scf::ForOp loop) {
  auto carried = [&](Value from) { return llvm::is_contained(loop.getRegionIterArgs(), from); };
  return !carried(value) && llvm::all_of(madeBy(value, loop), [&](Operation *op) {
    return isMemoryEffectFree(op) && op->getNumRegions() == 0 && llvm::none_of(op->getOperands(), carried);
  });
}

/// Can the copy engine bring the slice in each turn of `loop`? No thread writes the view, which would need a fence
/// before the engine reads it.
bool comesByTma(tile::LoadOp load, scf::ForOp loop) {
  return load->getBlock() == loop.getBody() &&
         suitsTma(load.getView(), load.getOffsets(), cast<RankedTensorType>(load.getType())) &&
         llvm::none_of(load.getView().getUsers(), llvm::IsaPred<tile::StoreOp, tile::AtomicOp>) &&
         llvm::all_of(load.getOffsets(), [&](Value offset) { return isKnownAhead(offset, loop); });
}

/// The slice behind `operand`, if the copy engine can bring it in each turn of `loop`.
tile::LoadOp sliceOf(Value operand, scf::ForOp loop) {
  tile::LoadOp load = loadOf(operand);
  return load && comesByTma(load, loop) ? load : tile::LoadOp();
}

/// Can a copy of this tile be made in any layout: is every element the same number?
bool isUniform(Value tile) {
  Operation *def = tile.getDefiningOp();
  return def && (isa<tile::SplatOp>(def) || matchPattern(tile, m_Constant()));
}

/// The slice that is the first operand in every turn of `loop`, loaded in front of it, if the copy engine can bring it
/// and nobody else needs it.
tile::LoadOp stillSlice(ContractOp op, scf::ForOp loop) {
  Value tile = op.getA();
  while (auto relayout = tile.getDefiningOp<tile::RelayoutOp>()) {
    tile = relayout.getSource();
  }
  auto load = tile::beforeDrop(tile).getDefiningOp<tile::LoadOp>();
  if (!load || load.getFill() || !load.getIndices().empty() || load->getBlock() != loop->getBlock() || op.getTransA() ||
      !suitsTma(load.getView(), load.getOffsets(), cast<RankedTensorType>(load.getType())) ||
      llvm::any_of(load.getView().getUsers(), llvm::IsaPred<tile::StoreOp, tile::AtomicOp>)) {
    return {};
  }
  std::function<bool(Value)> isOperand = [&](Value value) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      auto contract = dyn_cast<ContractOp>(user);
      return contract ? contract->getBlock() == loop.getBody() && contract.getB() != value && !contract.getTransA()
                      : isa<tile::RelayoutOp, tile::ReshapeOp>(user) && isOperand(user->getResult(0));
    });
  };
  bool alongK = unitDimOf(op.getA(), load) == 1u;
  return alongK && isOperand(load) ? load : tile::LoadOp();
}

/// Is this tile made from one that a turn of `loop` loads, other than through a product? The load would wait for memory
/// in every turn: mma.sync's copies run ahead. A number for each row or column is on its way while the turn's other
/// products run.
bool isLoadedIn(scf::ForOp loop, Value tile) {
  int64_t elements = cast<RankedTensorType>(tile.getType()).getNumElements();
  return llvm::any_of(madeBy(tile, loop), [&](Operation *op) {
    constexpr int64_t kFew = 16;
    return isa<tile::LoadOp>(op) &&
           cast<RankedTensorType>(op->getResult(0).getType()).getNumElements() * kFew > elements;
  });
}

/// Bytes of a slice in a slot.
uint64_t slotBytes(tile::LoadOp load) {
  auto type = cast<RankedTensorType>(load.getType());
  return type.getNumElements() * tile::elementBits(type.getElementType()) / 8;
}

/// Why wgmma cannot run this contraction, in words; empty if it can, by `plan`.
StringRef planOne(ContractOp op, scf::ForOp loop, unsigned warps, WgmmaPlan &plan) {
  auto acc = cast<RankedTensorType>(op.getAcc().getType());
  int64_t m = acc.getDimSize(0), n = acc.getDimSize(1), k = op.k();
  if (!llvm::isPowerOf2_64(m) || !llvm::isPowerOf2_64(n)) {
    return "its extents are no powers of two";
  }
  auto groups = chooseGroups(warps, m, n);
  if (!groups) {
    return "its tile is none of 64 rows or more and 16 to 256 columns for each of one, two or four warpgroups";
  }
  plan = {*groups, sliceOf(op.getA(), loop), sliceOf(op.getB(), loop), {}, {}, 0, 0};
  if (!plan.b) {
    return "its second operand is no slice of a tensor of the launch that the copy engine can bring in each turn: 16 "
           "bytes are the measure of its pitches and beginning, where it begins is known turns ahead, and nobody "
           "writes it";
  }
  if (!suitsWgmma(op, plan.a, plan.b)) {
    return "operands of this type have to lie along k, and k has to be 32 bytes or a multiple";
  }
  if (!plan.a) {
    plan.still = stillSlice(op, loop);
    plan.under = sliceUnder(op.getA(), loop);
    if (op.getTransA() || !llvm::isPowerOf2_64(k) || (!plan.under && isLoadedIn(loop, op.getA()))) {
      return "its first operand is neither such a slice, nor made of one alone, nor computed in registers";
    }
  }
  plan.sums = m / groups->m * (n / groups->n) / 128;
  plan.operands = plan.a ? 0 : m / groups->m * k / 256;
  return "";
}

/// Does nobody but the next turn's product see the sums of this one, which may then still be in flight?
bool isCarried(ContractOp op, scf::ForOp loop) {
  return llvm::is_contained(loop.getRegionIterArgs(), op.getAcc()) && op.getAcc().hasOneUse() && op->hasOneUse() &&
         isa<scf::YieldOp>(*op->user_begin());
}

/// Registers that a thread has for sums and operands: those with room for more beside them, and those at most
/// (gradients of attention of width 128 in tiles of 64 x 64 on an H200: 1.3 times as fast as of 64 x 32, with a few
/// spills around the loop). Beside a producer's, four warpgroups begin with 96, of which ptxas serialises products that
/// need more than 80 (C7512 at 88).
struct RegisterRoom {
  int64_t easy, most;
};
RegisterRoom registersFor(unsigned warps) {
  constexpr int64_t kFile = 65536, kOfFourGroups = 80;
  if (warps >= 16) {
    return {kOfFourGroups, kOfFourGroups};
  }
  int64_t each = kFile / (warps * 32);
  return {std::min<int64_t>(200, each - 40), std::min<int64_t>(224, each - 32)};
}

/// Bytes of the slots of one turn.
uint64_t turnBytes(ArrayRef<WgmmaPlan> plans) {
  llvm::SmallPtrSet<Operation *, 4> loads;
  uint64_t bytes = 0;
  for (const WgmmaPlan &plan : plans) {
    for (tile::LoadOp load : {plan.a, plan.b, plan.under}) {
      bytes += load && loads.insert(load).second ? slotBytes(load) : 0;
    }
  }
  return bytes;
}

/// Do the slots of two turns fit? With fewer there would be nothing to wait for.
bool slotsFit(ArrayRef<WgmmaPlan> plans, const target::Chip &chip) {
  return 2 * turnBytes(plans) <= chip.maxSharedBytes();
}

/// Is there room for what stays the same in every turn in slots of its own, beside the slots of the turns and those
/// that a tile may leave through? There the copy engine brings it, ahead, and it takes no registers.
bool stillFits(ArrayRef<WgmmaPlan> plans, unsigned stages, const target::Chip &chip) {
  constexpr uint64_t kBarriers = 1024;
  llvm::SmallPtrSet<Operation *, 4> loads;
  uint64_t bytes = stages * turnBytes(plans) + kBarriers;
  for (const WgmmaPlan &plan : plans) {
    if (plan.still && loads.insert(plan.still).second) {
      bytes += 2 * slotBytes(plan.still); // what leaves is about as large
    }
  }
  return bytes <= chip.maxSharedBytes();
}

bool isBranchOfArithmetic(Operation &op) {
  auto contracts = [](ContractOp) { return WalkResult::interrupt(); };
  return isa<scf::IfOp>(op) && isMemoryEffectFree(&op) && !op.walk(contracts).wasInterrupted();
}

/// Why wgmma cannot run all contractions of this one's loop, on slices that the copy engine can bring, in words; empty
/// if it can, by `plan`.
StringRef planWgmma(ContractOp op, tile::KernelOp kernel, const target::Chip &chip, ContractionPlan &plan) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop) {
    return "it is in no loop over slices";
  }
  if (pipelineDepth(kernel).stages < 2) {
    return "its loop is not to be pipelined";
  }
  for (Operation *up = loop->getParentOp(); up != kernel; up = up->getParentOp()) {
    if (!isa<scf::ForOp>(up)) { // through which the barriers' phases are carried
      return "around its loop there is a branch or a while loop";
    }
  }
  SmallVector<WgmmaPlan> all;
  int64_t registers = 0;
  bool carried = true;
  size_t own = 0;
  for (Operation &each : *loop.getBody()) {
    if (auto contract = dyn_cast<ContractOp>(each)) {
      WgmmaPlan one;
      if (StringRef why = planOne(contract, loop, kernel.getNumWarps(), one); !why.empty()) {
        return contract == op ? why : "another product of its loop cannot";
      }
      carried &= one.a && isCarried(contract, loop);
      own = contract == op ? all.size() : own;
      all.push_back(one);
    } else if (isa<tile::StoreOp, tile::AtomicOp>(each) ||
               (each.getNumRegions() && !tile::combines(&each) && !isBranchOfArithmetic(each))) {
      return "its loop stores, branches around more than arithmetic, or loops";
    }
  }
  // One product of slots alone has been measured with more.
  bool alone = carried && all.size() == 1;
  if (!slotsFit(all, chip)) {
    return "slots for two turns do not fit in shared memory";
  }
  PipelineDepth depth = pipelineDepth(kernel);
  // In registers what stays the same costs no shared memory reads (attention of width 64 by two warpgroups on an H200:
  // 2 %).
  RegisterRoom room = registersFor(kernel.getNumWarps());
  int64_t inRegisters = 0;
  for (const WgmmaPlan &each : all) {
    inRegisters += each.sums + each.operands;
  }
  bool keepsStill = inRegisters > room.easy && stillFits(all, depth.given ? depth.stages : kStagesOfBulkCopies, chip);
  for (WgmmaPlan &each : all) {
    each.still = keepsStill ? each.still : tile::LoadOp();
    registers += each.still ? each.sums : each.sums + each.operands;
  }
  if (!alone && registers > room.most) {
    return "sums and operands of its loop's products do not fit in registers";
  }
  plan.overlaps = carried;
  bool isLast = own + 1 == all.size();
  plan.rides = !carried && !isLast && isCarried(op, loop);
  plan.still = all[own].still;
  plan.registersA = !all[own].a && !plan.still;
  plan.warps = all[own].groups;
  plan.registers = registers;
  return "";
}

/// Do only contractions in `block` use this tile, through reshapes and relayouts, or puts that one of them has become?
bool onlyContracted(Value tile, Block *block) {
  return llvm::all_of(tile.getUsers(), [&](Operation *user) {
    bool here = user->getBlock() == block;
    return here && (isa<ContractOp, PutOp>(user) ||
                    (isa<tile::RelayoutOp, tile::ReshapeOp>(user) && onlyContracted(user->getResult(0), block)));
  });
}

} // namespace

tile::LoadOp loadOf(Value tile) {
  while (auto relayout = tile.getDefiningOp<tile::RelayoutOp>()) {
    tile = relayout.getSource();
  }
  auto load = tile::beforeDrop(tile).getDefiningOp<tile::LoadOp>();
  bool isSlice = load && !load.getFill() && load.getIndices().empty();
  return isSlice && onlyContracted(load, load->getBlock()) ? load : tile::LoadOp();
}

tile::LoadOp sliceUnder(Value tile, scf::ForOp loop) {
  while (Operation *def = tile.getDefiningOp()) {
    if (def->getBlock() != loop.getBody() || !tile.hasOneUse()) {
      return {};
    }
    if (auto load = dyn_cast<tile::LoadOp>(def)) {
      bool isSlice = !load.getFill() && load.getIndices().empty() && load.getType().getRank() == 2;
      return isSlice && comesByTma(load, loop) ? load : tile::LoadOp();
    }
    Value from;
    if (auto relayout = dyn_cast<tile::RelayoutOp>(def)) {
      from = relayout.getSource();
    } else if (def->hasTrait<OpTrait::Elementwise>() && def->getNumResults() == 1) {
      for (Value operand : def->getOperands()) {
        if (isa<RankedTensorType>(operand.getType()) && !isUniform(operand)) {
          if (from) {
            return {};
          }
          from = operand;
        }
      }
    }
    if (!from) {
      return {};
    }
    tile = from;
  }
  return {};
}

SmallVector<unsigned, 2> viewDims(Value tile, tile::LoadOp load) {
  auto type = cast<RankedTensorType>(tile.getType());
  return *tile::keptDims(cast<RankedTensorType>(load.getType()).getShape(), type.getShape());
}

std::optional<unsigned> unitDimOf(Value tile, tile::LoadOp load) {
  auto unit = tile::unitDim(load.getView().getType());
  SmallVector<unsigned, 2> dims = viewDims(tile, load);
  auto found = unit ? llvm::find(dims, *unit) : dims.end();
  return found == dims.end() ? std::nullopt : std::optional<unsigned>(found - dims.begin());
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

  if (tensorcore && chip.has(target::kWgmma)) {
    plan.notWgmma = planWgmma(op, kernel, chip, plan);
  }
  if (tensorcore && chip.has(target::kWgmma) && plan.notWgmma.empty()) {
    plan.kind = ContractionPlan::Kind::Wgmma;
    plan.stepK = 16;
    plan.paddedK = k;
    plan.acc = layout::wgmmaAccumulator(shape, plan.warps);
    if (plan.registersA) {
      plan.mma.elemBits = element.getIntOrFloatBitWidth();
      plan.mma.k = 16;
      plan.a = layout::wgmmaOperandA({shape[0], int32_t(k)}, plan.mma, plan.warps);
    }
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
