// tile-assign-layouts: every tile gets a layout. See Passes.td.
//
// One walk in program order. A tile's layout is decided where it is made; a use that needs another gets it through
// `inLayout`, which computes cheap values again and converts the rest.
#include "phobos/Conversion/Scratch.h"
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"
#include "phobos/Dialect/Tile/IR/Divisibility.h"
#include "phobos/Dialect/Tile/Transforms/AccessLayout.h"
#include "phobos/Dialect/Tile/Transforms/Passes.h"
#include "phobos/Layout/Algebra.h"
#include "phobos/Layout/Constructors.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using phobos::layout::LinearLayout;

namespace phobos::tile {

#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "phobos/Dialect/Tile/Transforms/Passes.h.inc"

namespace {

constexpr size_t kMaxLook = 64; // values, for reductions of a loaded tile

RankedTensorType tileType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }
bool hasLayout(Value tile) { return bool(tileType(tile).getEncoding()); }

bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 && isTile(op->getResult(0).getType());
}

/// Layouts of a plain conversion of `layout` for the result of a shape op that moves nothing; nothing for other ops.
std::optional<LinearLayout> throughShapeOp(Operation *op, const LinearLayout &layout) {
  if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    return layout::expandDims(layout, expand.getAxis());
  }
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    SmallVector<unsigned> permutation(transpose.getPermutation().begin(), transpose.getPermutation().end());
    return layout::transpose(layout, permutation);
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    return layout::reshape(layout, paddedShape(cast<RankedTensorType>(reshape.getType())));
  }
  return std::nullopt;
}

struct AssignLayouts final : impl::AssignLayoutsBase<AssignLayouts> {
  void runOnOperation() override {
    kernel = getOperation();
    kernel.walk([&](dot::ContractOp op) { widenFloat8(op); });
    assignBlock(kernel.getBody().front());
  }

  // --- conversions
  LinearLayout defaultLayout(RankedTensorType type) {
    SmallVector<unsigned> order;
    for (unsigned dim = type.getRank(); dim-- > 0;) {
      order.push_back(dim);
    }
    Type element = type.getElementType();
    unsigned bits = element.isIndex() ? kernel.getIndexBits() : elementBits(element);
    return layout::blockedForAccess(paddedShape(type), bits, order, kernel.getNumWarps());
  }

  /// What is widened lies in registers along the new places, unless that would be more of them than the tile needs: a
  /// single number widened would be in every thread as often as the tile has elements.
  LinearLayout broadcastLayout(BroadcastOp op, const LinearLayout &source) {
    auto type = cast<RankedTensorType>(op.getType());
    LinearLayout wide = layout::broadcastTo(source, paddedShape(type)), usual = defaultLayout(type);
    return wide.numRegisters() > usual.numRegisters() ? usual : wide;
  }

  /// Of several operands the layout of one is taken: of one that would have to be moved to another rather than of one
  /// that is widened from less, and of what is cheap to compute again only where there is nothing else.
  SmallVector<Value> byPreference(Operation *op) {
    auto rankOf = [&](Value x) { return isCheap(x) ? 2 : int(bool(x.getDefiningOp<BroadcastOp>())); };
    SmallVector<Value> operands;
    for (int rank : {0, 1, 2}) {
      llvm::copy_if(op->getOperands(), std::back_inserter(operands),
                    [&](Value operand) { return tileType(operand) && rankOf(operand) == rank; });
    }
    return operands;
  }

  void setLayout(Value tile, const LinearLayout &layout) { tile.setType(withLayout(tileType(tile), layout)); }

  /// Is computing this value again cheaper than moving it?
  bool isCheap(Value tile, unsigned depth = 0) {
    // Masks, which are comparisons of places, are deeper than numbers.
    constexpr unsigned kMostNumbers = 4, kMostOfMask = 10;
    Operation *op = tile.getDefiningOp();
    bool isNumber = isa<FloatType>(getElementTypeOrSelf(tile.getType()));
    if (!op || depth > (isNumber ? kMostNumbers : kMostOfMask)) {
      return false;
    }
    if (isa<arith::ConstantOp, SplatOp, IotaOp>(op)) {
      return true;
    }
    if (isa<ExpandDimsOp, BroadcastOp>(op) || isElementwise(op)) {
      return llvm::all_of(op->getOperands(), [&](Value x) { return !tileType(x) || isCheap(x, depth + 1); });
    }
    return false;
  }

  /// `tile` in `layout`, for a use at the builder's place.
  Value inLayout(OpBuilder &b, Value tile, const LinearLayout &layout) {
    RankedTensorType type = withLayout(tileType(tile), layout);
    if (tile.getType() == type) {
      return tile;
    }
    Operation *op = tile.getDefiningOp();
    bool widens = op && isa<ExpandDimsOp, BroadcastOp>(op);
    if (widens || isCheap(tile)) {
      return again(b, op, type, layout);
    }
    return RelayoutOp::create(b, tile.getLoc(), type, tile);
  }

  /// The value of `op` once more, in `layout`.
  Value again(OpBuilder &b, Operation *op, RankedTensorType type, const LinearLayout &layout) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto value = cast<DenseElementsAttr>(constant.getValue());
      return arith::ConstantOp::create(b, op->getLoc(), DenseElementsAttr::get(type, value.getSplatValue<Attribute>()));
    }
    IRMapping mapping;
    for (Value operand : op->getOperands()) {
      RankedTensorType operandType = tileType(operand);
      if (!operandType) {
        continue;
      }
      LinearLayout wanted = layout;
      if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
        wanted = layout::slice(layout, expand.getAxis());
      } else if (isa<BroadcastOp>(op)) {
        wanted = layout::beforeBroadcast(layout, paddedShape(operandType));
      }
      mapping.map(operand, inLayout(b, operand, wanted));
    }
    Operation *copy = b.clone(*op, mapping);
    copy->getResult(0).setType(type);
    return copy->getResult(0);
  }

  void convertOperand(OpOperand &operand, const LinearLayout &layout) {
    OpBuilder b(operand.getOwner());
    operand.set(inLayout(b, operand.get(), layout));
  }

  // --- what a value in a loop will have
  /// The layout that `tile`, not assigned yet, will get from its definition; nothing if that says nothing.
  std::optional<LinearLayout> expected(Value tile, unsigned depth = 0) {
    if (hasLayout(tile)) {
      return isCheap(tile) ? std::nullopt : std::optional(layoutOf(tile));
    }
    Operation *op = tile.getDefiningOp();
    if (!op || depth > 32) {
      return std::nullopt;
    }
    if (auto contract = dyn_cast<dot::ContractOp>(op)) {
      return dot::planContraction(contract, kernel, dot::chipOf(kernel)).acc;
    }
    if (auto load = dyn_cast<LoadOp>(op)) {
      return loadLayout(load);
    }
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      auto source = expected(reduce.getSources()[0], depth + 1);
      return source ? std::optional(layout::slice(*source, reduce.getAxis())) : std::nullopt;
    }
    if (auto scan = dyn_cast<ScanOp>(op)) {
      auto source = expected(scan.getSources()[0], depth + 1);
      return source && lowering::scansAlong(*source, scan.getAxis()) ? source : std::nullopt;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned result = cast<OpResult>(tile).getResultNumber();
      auto yes = expected(branch.thenBlock()->getTerminator()->getOperand(result), depth + 1);
      return yes ? yes : expected(branch.elseBlock()->getTerminator()->getOperand(result), depth + 1);
    }
    if (isElementwise(op)) {
      std::optional<LinearLayout> best;
      for (Value operand : byPreference(op)) {
        best = best ? best : expected(operand, depth + 1);
      }
      return best;
    }
    if (op->getNumOperands() == 1 && tileType(op->getOperand(0))) {
      if (auto source = expected(op->getOperand(0), depth + 1)) {
        auto broadcast = dyn_cast<BroadcastOp>(op);
        return broadcast ? broadcastLayout(broadcast, *source) : throughShapeOp(op, *source);
      }
    }
    return std::nullopt;
  }

  // --- one op
  void assignBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      assign(&op);
    }
  }

  void assign(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      return assignFor(loop);
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      return assignIf(branch);
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      return assignWhile(loop);
    }
    if (auto load = dyn_cast<LoadOp>(op)) {
      setLayout(load.getResult(), loadLayout(load));
      return convertIndices(load, layoutOf(load.getResult()));
    }
    if (auto store = dyn_cast<StoreOp>(op)) {
      return assignStore(store);
    }
    if (auto atomic = dyn_cast<AtomicOp>(op)) {
      return assignAtomic(atomic);
    }
    if (auto contract = dyn_cast<dot::ContractOp>(op)) {
      return assignContract(contract);
    }
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      return assignReduce(reduce);
    }
    if (auto scan = dyn_cast<ScanOp>(op)) {
      return assignScan(scan);
    }
    if (auto part = dyn_cast<PartOp>(op)) {
      return assignPart(part);
    }
    if (auto any = dyn_cast<AnyInWarpOp>(op)) {
      return convertOperand(any.getConditionMutable(), layoutOf(any.getBeside()));
    }
    if (auto print = dyn_cast<PrintOp>(op)) {
      if (print.firstTile()) {
        joinOperands(print);
      }
      return;
    }
    if (isElementwise(op)) {
      return setLayout(op->getResult(0), joinOperands(op));
    }
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      LinearLayout layout = broadcastLayout(broadcast, layoutOf(broadcast.getSource()));
      if (layout == defaultLayout(tileType(broadcast))) { // what is there may have to move
        auto source = layout::beforeBroadcast(layout, paddedShape(tileType(broadcast.getSource())));
        convertOperand(broadcast.getSourceMutable(), source);
      }
      return setLayout(broadcast, layout);
    }
    if (op->getNumResults() == 1 && tileType(op->getResult(0))) {
      if (op->getNumOperands() == 1 && tileType(op->getOperand(0))) {
        if (auto layout = throughShapeOp(op, layoutOf(op->getOperand(0)))) {
          return setLayout(op->getResult(0), *layout);
        }
      }
      assignSource(op);
    }
  }

  LinearLayout loadLayout(LoadOp load) {
    return layoutOfAccess(load, tileType(load.getResult()), reducedAxis(load.getResult()));
  }

  /// Coalesced; but where indices say which of a row's elements there are, nothing would be, and they stay where they
  /// are.
  template <typename OpT>
  LinearLayout layoutOfAccess(OpT op, RankedTensorType type, std::optional<unsigned> lastForWarps = std::nullopt) {
    for (Value indices : op.getIndices()) {
      if (picksElements(op) && hasLayout(indices) && !isCheap(indices)) {
        return layoutOf(indices);
      }
    }
    auto whole = op.getWhole();
    return accessLayout(kernel, op.getView(), op.getOffsets(), whole ? *whole : ArrayRef<bool>(), type, lastForWarps,
                        picksElements(op));
  }

  template <typename OpT> static bool picksElements(OpT op) {
    auto unit = unitDim(op.getView().getType());
    return unit && op.indicesOf(*unit);
  }

  template <typename OpT> void convertIndices(OpT op, const LinearLayout &layout) {
    for (OpOperand &indices : op.getIndicesMutable()) {
      convertOperand(indices, layout);
    }
  }

  /// The axis along which alone the tile, or what is made of it element by element, is reduced. Warps are better kept
  /// apart along the others: what one warp holds it reduces without meeting the rest.
  std::optional<unsigned> reducedAxis(Value tile) {
    std::optional<unsigned> axis;
    llvm::SmallSetVector<Value, 16> reached;
    reached.insert(tile);
    for (size_t i = 0; i < reached.size() && i < kMaxLook; ++i) {
      for (Operation *user : reached[i].getUsers()) {
        if (combines(user)) {
          unsigned own = cast<IntegerAttr>(user->getAttr("axis")).getInt();
          if (axis.value_or(own) != own) {
            return std::nullopt;
          }
          axis = own;
        } else if (isElementwise(user)) {
          reached.insert(user->getResult(0));
        }
      }
    }
    return axis;
  }

  /// Constants, splats, iota: a default, and copies in other layouts wherever one is wanted.
  void assignSource(Operation *op) {
    auto type = tileType(op->getResult(0));
    LinearLayout layout = defaultLayout(type);
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto value = cast<DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(DenseElementsAttr::get(withLayout(type, layout), value.getSplatValue<Attribute>()));
    }
    setLayout(op->getResult(0), layout);
  }

  /// Brings the tiles among the operands to the layout of one of them, which it returns.
  LinearLayout joinOperands(Operation *op) {
    LinearLayout layout = layoutOf(byPreference(op).front());
    for (OpOperand &operand : op->getOpOperands()) {
      if (tileType(operand.get())) {
        convertOperand(operand, layout);
      }
    }
    return layout;
  }

  /// 8-bit floats multiply as f16, which holds them exactly, where wgmma does not take them as they are.
  void widenFloat8(dot::ContractOp op) {
    if (dot::planContraction(op, kernel, dot::chipOf(kernel)).kind == dot::ContractionPlan::Kind::Wgmma) {
      return;
    }
    OpBuilder b(op);
    for (OpOperand *operand : {&op.getAMutable(), &op.getBMutable()}) {
      auto type = tileType(operand->get());
      if (isa<FloatType>(type.getElementType()) && elementBits(type.getElementType()) == 8) {
        auto wide = RankedTensorType::get(type.getShape(), b.getF16Type(), type.getEncoding());
        operand->set(arith::ExtFOp::create(b, op.getLoc(), wide, operand->get()));
      }
    }
  }

  void assignContract(dot::ContractOp op) {
    auto plan = dot::planContraction(op, kernel, dot::chipOf(kernel));
    auto operandLayout = [](LinearLayout layout, bool transposed) {
      return transposed ? layout::transpose(layout, {1, 0}) : layout;
    };
    // A slot may be deeper than the tile; the operand itself is not. Its layout is that of the tile's own k, or, where
    // an instruction's k is more than the tile has, stays what it is: staging goes through shared memory then.
    auto convert = [&](OpOperand &operand, const LinearLayout &layout, bool transposed) {
      LinearLayout wanted = operandLayout(layout, transposed);
      if (llvm::equal(wanted.shape(), paddedShape(tileType(operand.get())))) {
        convertOperand(operand, wanted);
      }
    };
    bool slots = plan.kind == dot::ContractionPlan::Kind::Wgmma; // the copy engine brings them, whatever their layout
    if (!slots || plan.registersA) {
      convert(op.getAMutable(), plan.a, op.getTransA());
    }
    if (!slots) {
      convert(op.getBMutable(), plan.b, op.getTransB());
    }
    convertOperand(op.getAccMutable(), plan.acc);
    setLayout(op.getResult(), plan.acc);
  }

  void assignReduce(ReduceOp op) {
    LinearLayout layout = layoutOf(op.getSources()[0]);
    if (!layout::axisBits(layout, op.getAxis()).separable) {
      layout = defaultLayout(tileType(op.getSources()[0]));
    }
    for (OpOperand &operand : op.getSourcesMutable()) {
      convertOperand(operand, layout);
    }
    for (Value result : op.getResults()) {
      setLayout(result, layout::slice(layout, op.getAxis()));
    }
  }

  /// Where the axis is not in order, a thread gets neighbours along it, the next thread the next ones.
  void assignScan(ScanOp op) {
    LinearLayout layout = layoutOf(op.getSources()[0]);
    unsigned axis = op.getAxis();
    if (!lowering::scansAlong(layout, axis)) {
      layout::Coords shape = paddedShape(tileType(op.getSources()[0])), run(shape.size(), 1);
      int64_t share = layout.numElements() / (int64_t(layout::kWarpSize) * kernel.getNumWarps());
      run[axis] = std::clamp<int64_t>(share, 1, shape[axis]);
      SmallVector<unsigned> order = {axis};
      for (unsigned dim = shape.size(); dim-- > 0;) {
        if (dim != axis) {
          order.push_back(dim);
        }
      }
      layout = layout::blocked(shape, run, order, kernel.getNumWarps());
    }
    for (OpOperand &operand : op.getSourcesMutable()) {
      convertOperand(operand, layout);
    }
    for (Value result : op.getResults()) {
      setLayout(result, layout);
    }
  }

  /// The tile stays as it lies, and a part of it as each thread has it, where each has the same of every part.
  void assignPart(PartOp op) {
    auto pieceShape = paddedShape(tileType(op.getOther() ? op.getSource() : op.getResult()));
    Value other = op.getOther();
    LinearLayout whole =
        other && isCheap(other) ? defaultLayout(tileType(other)) : layoutOf(other ? other : op.getSource());
    bool fits = llvm::all_of(llvm::zip(whole.shape(), pieceShape), [](auto each) {
      auto [extent, piece] = each;
      return piece <= extent;
    });
    auto piece = fits ? layout::part(whole, pieceShape) : std::nullopt;
    if (!other) {
      return setLayout(op.getResult(), piece ? *piece : defaultLayout(tileType(op.getResult())));
    }
    convertOperand(op.getOtherMutable()[0], whole);
    if (piece) {
      convertOperand(op.getSourceMutable(), *piece);
    }
    setLayout(op.getResult(), whole);
  }

  void assignStore(StoreOp op) {
    assignStored(op);
    convertIndices(op, layoutOf(op.getValue()));
  }

  void assignStored(StoreOp op) {
    auto type = tileType(op.getValue());
    LinearLayout layout = layoutOf(type);
    unsigned bits = elementBits(type.getElementType());
    if (isCheap(op.getValue())) {
      return convertOperand(op.getValueMutable(), layoutOfAccess(op, type));
    }
    if (picksElements(op) || storesWell(op.getView(), layout, bits)) {
      return;
    }
    auto whole = op.getWhole();
    auto unit = unitDim(op.getView().getType());
    unsigned vector = alignedBytes(op.getView(), op.getOffsets()) * 8 / bits;
    vector = std::min(vector, maskGranule(kernel, op.getView(), *unit, op.getOffsets()[*unit], whole && (*whole)[*unit],
                                          type.getShape()[*unit]));
    if (auto local = warpLocalAccess(op.getView(), layout, bits, vector)) {
      return convertOperand(op.getValueMutable(), *local);
    }
    convertOperand(op.getValueMutable(), layoutOfAccess(op, type));
  }

  /// Elements go one by one: what is computed stays where it is unless neighbours are then apart.
  void assignAtomic(AtomicOp op) {
    auto type = tileType(op.getValue());
    LinearLayout layout = layoutOf(type);
    bool isWell = picksElements(op) || storesWell(op.getView(), layout, elementBits(type.getElementType()));
    if (isCheap(op.getValue()) || !isWell) {
      layout = layoutOfAccess(op, type);
    }
    convertOperand(op.getValueMutable(), layout);
    if (op.getCompare()) {
      convertOperand(op.getCompareMutable()[0], layout);
    }
    convertIndices(op, layout);
    setLayout(op.getResult(), layout);
  }

  // --- control flow
  void convertYield(Operation *terminator, unsigned first, TypeRange types) {
    for (auto [i, type] : llvm::enumerate(types)) {
      if (auto tile = dyn_cast<RankedTensorType>(type)) {
        convertOperand(terminator->getOpOperand(first + i), layoutOf(tile));
      }
    }
  }

  void assignFor(scf::ForOp op) {
    Operation *yield = op.getBody()->getTerminator();
    for (auto [i, argument] : llvm::enumerate(op.getRegionIterArgs())) {
      if (!tileType(argument)) {
        continue;
      }
      Value init = op.getInitArgs()[i];
      // What a reduction leaves in many registers of a thread is carried in one: to LLVM they would be as many values.
      LinearLayout layout = layout::removeZeroRegisterBases(expected(yield->getOperand(i)).value_or(layoutOf(init)));
      convertOperand(op.getInitArgsMutable()[i], layout);
      setLayout(argument, layout);
      setLayout(op.getResult(i), layout);
    }
    assignBlock(*op.getBody());
    convertYield(yield, 0, op.getResultTypes());
  }

  void assignIf(scf::IfOp op) {
    assignBlock(*op.thenBlock());
    if (!op.elseBlock()) {
      return;
    }
    assignBlock(*op.elseBlock());
    Operation *yes = op.thenBlock()->getTerminator(), *no = op.elseBlock()->getTerminator();
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      if (tileType(result)) {
        Value kept = isCheap(yes->getOperand(i)) ? no->getOperand(i) : yes->getOperand(i);
        setLayout(result, layoutOf(kept));
      }
    }
    convertYield(yes, 0, op.getResultTypes());
    convertYield(no, 0, op.getResultTypes());
  }

  void assignWhile(scf::WhileOp op) {
    for (auto [i, argument] : llvm::enumerate(op.getBeforeArguments())) {
      if (tileType(argument)) {
        setLayout(argument, layoutOf(op.getInits()[i]));
      }
    }
    assignBlock(*op.getBeforeBody());
    auto condition = op.getConditionOp();
    for (auto [i, value] : llvm::enumerate(condition.getArgs())) {
      if (tileType(value)) {
        setLayout(op.getAfterArguments()[i], layoutOf(value));
        setLayout(op.getResult(i), layoutOf(value));
      }
    }
    assignBlock(*op.getAfterBody());
    convertYield(op.getYieldOp(), 0, op.getBeforeBody()->getArgumentTypes());
  }

  KernelOp kernel;
};

} // namespace
} // namespace phobos::tile
