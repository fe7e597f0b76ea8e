// dot-stage-operands: contractions become instructions on fragments read from staged shared memory. See Passes.td.
#include "StageWgmma.h"
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Dialect/Tile/IR/Divisibility.h"
#include "phobos/Dialect/Tile/IR/DroppedDims.h"
#include "phobos/Dialect/Tile/IR/LayoutBridge.h"
#include "phobos/Layout/Relayout.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using phobos::layout::LinearLayout;
using phobos::tile::withLayout;

namespace phobos::dot {

#define GEN_PASS_DEF_STAGEOPERANDS
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

namespace {

/// A padded row of this many bytes more moves each row to other banks.
constexpr unsigned kPadBytes = 16;

/// One operand on its way to the instruction.
struct Operand {
  Value tile;        // in the instruction's layout, or to be staged
  tile::LoadOp load; // if it is loaded for contractions alone
  bool transposed;   // the tile's dimensions are the other way round
  int32_t kDim;      // the tile's dimension along k
  bool inRegisters;  // no shared memory needed: `tile` is in the instruction's layout
  TypedValue<StageType> stage;
};

/// Nothing between the load and the contraction writes memory or leaves the block.
bool nothingWritesBetween(tile::LoadOp load, Operation *contract) {
  if (load->getBlock() != contract->getBlock()) {
    return false;
  }
  for (Operation *op = load->getNextNode(); op != contract; op = op->getNextNode()) {
    if (isa<tile::StoreOp, tile::AtomicOp>(op) || op->getNumRegions()) { // the memory may have changed
      return false;
    }
  }
  return true;
}

struct StageOperands final : impl::StageOperandsBase<StageOperands> {
  void runOnOperation() override {
    kernel = getOperation();
    slots.clear();
    // Those of one loop depend on each other: all are planned before the first is rewritten.
    SmallVector<std::pair<ContractOp, ContractionPlan>, 0> contracts;
    kernel.walk([&](ContractOp op) { contracts.emplace_back(op, planContraction(op, kernel, chipOf(op))); });
    WgmmaStager wgmma(kernel);
    for (auto &[op, planned] : contracts) {
      if (planned.kind == ContractionPlan::Kind::Wgmma) {
        wgmma.stage(op, planned);
      } else {
        if (!planned.notWgmma.empty()) {
          op.emitRemark() << "not by wgmma: " << planned.notWgmma;
        }
        plan = planned;
        lower(op);
      }
    }
  }

  void lower(ContractOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    Operand a = prepare(op, op.getA(), op.getTransA(), op.getTransA() ? 0 : 1, plan.a),
            bOperand = prepare(op, op.getB(), op.getTransB(), op.getTransB() ? 1 : 0, plan.b);

    bool staged = !a.inRegisters || !bOperand.inRegisters;
    Value zero = staged ? Value(arith::ConstantIndexOp::create(b, loc, 0)) : Value();
    bool async = false;
    for (Operand *operand : {&a, &bOperand}) {
      if (!operand->inRegisters) {
        async |= fill(b, op, *operand, zero);
      }
    }
    if (async) {
      CommitOp::create(b, loc);
      WaitOp::create(b, loc, 0);
    }
    Value acc = op.getAcc();
    int64_t m = op.m(), n = op.n();
    for (int64_t k = 0; k < plan.paddedK; k += plan.stepK) {
      Type element = cast<RankedTensorType>(a.tile.getType()).getElementType();
      auto aType = withLayout(RankedTensorType::get({m, plan.stepK}, element), plan.stepA());
      auto bType = withLayout(RankedTensorType::get({plan.stepK, n}, element), plan.stepB());
      Value fragmentA = fragment(b, loc, a, aType, zero, k, /*kDim=*/1);
      Value fragmentB = fragment(b, loc, bOperand, bType, zero, k, /*kDim=*/0);
      acc = multiply(b, loc, fragmentA, fragmentB, acc);
    }
    op.getResult().replaceAllUsesWith(acc);
    op.erase();
    for (Operand *operand : {&a, &bOperand}) {
      eraseChain(operand->tile);
    }
  }

  Operand prepare(ContractOp op, Value tile, bool transposed, int32_t kDim, const LinearLayout &wanted) {
    tile::LoadOp load = loadOf(tile);
    if (load && nothingWritesBetween(load, op)) {
      return {tile, load, transposed, kDim, false, {}};
    }
    // Already a product's sums, say: registers may serve as they are.
    if (auto relayout = tile.getDefiningOp<tile::RelayoutOp>();
        relayout && !transposed && plan.paddedK == op.k() && plan.paddedK == plan.stepK) {
      auto steps = layout::planRelayout(tile::layoutOf(relayout.getSource()), wanted,
                                        tile::elementBits(cast<RankedTensorType>(tile.getType()).getElementType()));
      if (steps && steps->kind <= layout::RelayoutKind::RegisterPermute) {
        return {tile, {}, transposed, kDim, true, {}};
      }
    }
    return {tile, {}, transposed, kDim, false, {}};
  }

  /// Bytes a thread copies at a time, 0 if the slice cannot be copied asynchronously.
  unsigned copyBytes(const target::Chip &chip, tile::LoadOp load, bool alongStage) {
    if (!chip.has(target::kCpAsync)) {
      return 0;
    }
    unsigned element = tile::elementBits(load.getView().getType().getElementType()) / 8;
    unsigned bytes = alongStage ? tile::alignedBytes(load.getView(), load.getOffsets()) : element;
    int64_t row = 1;
    if (auto unit = tile::unitDim(load.getView().getType())) {
      // Of an extent that is no power of two, what divides it: a copy stays inside the tile.
      int64_t extent = cast<RankedTensorType>(load.getType()).getShape()[*unit];
      row = extent & -extent;
    }
    bytes = std::min<int64_t>(bytes, row * element);
    return bytes >= 4 ? bytes : 0;
  }

  /// Brings the operand into a slot of its own; true if by an asynchronous copy.
  bool fill(OpBuilder &b, ContractOp op, Operand &operand, Value zero) {
    const target::Chip &chip = chipOf(op);
    auto type = cast<RankedTensorType>(operand.tile.getType());
    unsigned bits = tile::elementBits(type.getElementType());
    int32_t kDim = operand.kDim;

    // The slot's rows run along memory's; register tiles want neighbours along m or n, and 4-byte copies can turn the
    // tile.
    int32_t fast = 1;
    if (operand.load) {
      fast = unitDimOf(operand.tile, operand.load).value_or(fast);
    }
    int32_t memoryFast = fast;
    bool registerTiles = plan.kind == ContractionPlan::Kind::Fma;
    if (registerTiles && bits == 32 && fast == kDim) {
      fast = 1 - kDim;
    }
    SmallVector<int64_t> shape(type.getShape());
    shape[kDim] = std::max<int64_t>(shape[kDim], plan.paddedK);
    bool turned = fast != memoryFast;
    int64_t rowBytes = layout::nextPowerOf2(shape[fast]) * bits / 8;
    bool swizzled = !registerTiles && rowBytes >= 32;
    auto stageType = StageType::get(b.getContext(), 1, shape, type.getElementType(), {fast, 1 - fast}, swizzled,
                                    turned ? kPadBytes : 0, /*panelBytes=*/0);
    // Contractions that share a loaded tile share its slot.
    TypedValue<StageType> *shared = operand.load ? &slots[{operand.load, stageType}] : nullptr;
    if (shared && *shared) {
      operand.stage = *shared;
      return false;
    }
    OpBuilder entry = OpBuilder::atBlockBegin(&kernel.getBody().front());
    operand.stage = AllocOp::create(entry, op.getLoc(), stageType, IntegerAttr()).getStage();

    if (operand.load) {
      *shared = operand.stage;
      tile::LoadOp load = operand.load;
      if (unsigned bytes = copyBytes(chip, load, !turned)) {
        auto extents =
            ArrayRef<int64_t>(shape) == type.getShape() ? DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(type.getShape());
        SmallVector<unsigned, 2> along = viewDims(operand.tile, load);
        auto dims = along.size() == load.getOffsets().size()
                        ? DenseI64ArrayAttr()
                        : b.getDenseI64ArrayAttr(SmallVector<int64_t>(along.begin(), along.end()));
        CopyAsyncOp::create(b, load.getLoc(), load.getView(), load.getOffsets(), operand.stage, zero,
                            b.getI32IntegerAttr(bytes), Value(), dims, load.getWholeAttr(), extents,
                            DenseI64ArrayAttr());
        return true;
      }
    }
    Value tile = operand.tile;
    while (auto relayout = tile.getDefiningOp<tile::RelayoutOp>()) {
      tile = relayout.getSource();
    }
    // What no turn of a loop changes is put once, before it.
    OpBuilder where = b;
    for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop && loop.isDefinedOutsideOfLoop(tile);
         loop = loop->getParentOfType<LoopLikeOpInterface>()) {
      where.setInsertionPoint(loop);
      zero = {};
    }
    if (!zero) {
      zero = arith::ConstantIndexOp::create(where, op.getLoc(), 0);
    }
    // A put fills what its tile is padded up to; an instruction's k may be deeper still.
    if (shape[kDim] > layout::nextPowerOf2(type.getShape()[kDim])) {
      clear(where, op.getLoc(), operand.stage, zero);
    }
    PutOp::create(where, op.getLoc(), tile, operand.stage, zero);
    return false;
  }

  /// A slot deeper than its tile is zero where the tile ends.
  void clear(OpBuilder &b, Location loc, TypedValue<StageType> stage, Value slot) {
    auto type = RankedTensorType::get(stage.getType().getShape(), stage.getType().getElementType());
    unsigned bits = tile::elementBits(type.getElementType());
    SmallVector<unsigned> order(stage.getType().getOrder().begin(), stage.getType().getOrder().end());
    auto layout = layout::blockedForAccess(tile::paddedShape(type), bits, order, kernel.getNumWarps());
    auto zeroed = withLayout(type, layout);
    auto zero = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(zeroed, b.getZeroAttr(type.getElementType())));
    PutOp::create(b, loc, zero, stage, slot);
  }

  /// One step's fragment, M x stepK or stepK x N.
  Value fragment(OpBuilder &b, Location loc, Operand &operand, RankedTensorType type, Value slot, int64_t k,
                 unsigned kDim) {
    if (operand.inRegisters) {
      return operand.tile;
    }
    SmallVector<int64_t, 2> origin = {0, 0};
    origin[operand.transposed ? 1 - kDim : kDim] = k;
    return FragmentOp::create(b, loc, type, operand.stage, slot, origin, operand.transposed, /*ahead=*/false);
  }

  Value multiply(OpBuilder &b, Location loc, Value x, Value y, Value acc) {
    if (plan.kind == ContractionPlan::Kind::Fma) {
      return FmaOp::create(b, loc, acc.getType(), x, y, acc);
    }
    auto shape = b.getDenseI64ArrayAttr({16, 8, plan.mma.k});
    auto mma = [&](Value p, Value q, Value sum) -> Value {
      return MmaOp::create(b, loc, sum.getType(), p, q, sum, shape);
    };
    switch (plan.f32) {
    case ContractionPlan::F32::Exact:
      return mma(x, y, acc);
    case ContractionPlan::F32::Tf32:
      return mma(RoundTf32Op::create(b, loc, x), RoundTf32Op::create(b, loc, y), acc);
    case ContractionPlan::F32::Tf32x3: {
      auto splitX = SplitTf32Op::create(b, loc, x), splitY = SplitTf32Op::create(b, loc, y);
      // Small products first.
      acc = mma(splitX.getSmall(), splitY.getBig(), acc);
      acc = mma(splitX.getBig(), splitY.getSmall(), acc);
      return mma(splitX.getBig(), splitY.getBig(), acc);
    }
    case ContractionPlan::F32::Bf16x3: {
      auto [bigX, smallX] = splitBf16(b, loc, x);
      auto [bigY, smallY] = splitBf16(b, loc, y);
      acc = mma(smallX, bigY, acc);
      acc = mma(bigX, smallY, acc);
      return mma(bigX, bigY, acc);
    }
    }
    llvm_unreachable("covered");
  }

  /// f32 as the sum of two bf16, up to 2^-17 of it.
  static std::pair<Value, Value> splitBf16(OpBuilder &b, Location loc, Value x) {
    auto type = cast<RankedTensorType>(x.getType());
    auto narrow = RankedTensorType::get(type.getShape(), b.getBF16Type(), type.getEncoding());
    Value big = arith::TruncFOp::create(b, loc, narrow, x);
    Value rest = arith::SubFOp::create(b, loc, x, arith::ExtFOp::create(b, loc, type, big));
    return {big, arith::TruncFOp::create(b, loc, narrow, rest)};
  }

  /// What the contraction alone used.
  static void eraseChain(Value tile) {
    while (Operation *op = tile.getDefiningOp()) {
      if (!isa<tile::RelayoutOp, tile::ReshapeOp, tile::LoadOp>(op) || !op->use_empty()) {
        return;
      }
      Value source = isa<tile::LoadOp>(op) ? Value() : op->getOperand(0);
      op->erase();
      if (!source) {
        return;
      }
      tile = source;
    }
  }

  tile::KernelOp kernel;
  ContractionPlan plan;
  llvm::DenseMap<std::pair<Operation *, Type>, TypedValue<StageType>> slots; // by load: where its tile lies already
};

} // namespace
} // namespace phobos::dot
