// dot.store_async: a warpgroup product's tile through shared memory to global memory, a panel of columns at a time (PTX
// ISA, stmatrix, fence.proxy, cp.async.bulk.tensor).
//
// Warpgroups do not meet each other: while one stores, another's products may still run.
#include "phobos/Conversion/BoxCoordinates.h"
#include "phobos/Conversion/SharedAccess.h"
#include "phobos/Conversion/WordOrder.h"
#include "phobos/Dialect/Dot/IR/StageLayout.h"
#include "phobos/Layout/Ldmatrix.h"
#include "phobos/Layout/Swizzle.h"
#include "phobos/Target/Chip.h"

using namespace mlir;
using phobos::layout::Coords;
using phobos::layout::In;
using phobos::layout::LinearLayout;

namespace phobos::lowering {
namespace {

constexpr unsigned kGroupThreads = 128;
constexpr int64_t kFirstGroupBarrier = 2; // 0 is the CTA's, 1 the consumers'

/// One thread of each warpgroup: bulk groups belong to a thread, so always the same.
Value isGroupLeader(Lowering &l) {
  return l.icmp(LLVM::ICmpPredicate::eq, l.bitAnd(l.thread(), kGroupThreads - 1), l.i32c(0));
}

class Store {
public:
  Store(Lowering &l, dot::StoreAsyncOp op)
      : l(l), op(op), type(cast<RankedTensorType>(op.getValue().getType())), whole(dot::storedLayoutOf(op)),
        stage(op.getStage().getType()), dims(op.getMap().getType().getTileDims()) {
    width = stage.getShape()[1];
    rows = whole.shape()[0];
    columns = whole.shape()[1];
    for (unsigned bit = 2; bit < whole.numBits(In::Warp); ++bit) {
      (whole.basis(In::Warp, bit, 0) ? rows : columns) /= 2;
    }
    // A warpgroup's part, one panel of it.
    SmallVector<Coords> registers;
    for (unsigned bit = 0; bit < whole.numBits(In::Register); ++bit) {
      if (whole.basis(In::Register, bit, 1) < width) {
        registers.push_back(whole.bases(In::Register)[bit]);
      }
    }
    auto warps = whole.bases(In::Warp);
    for (unsigned bit = 2; bit < warps.size(); ++bit) {
      warps[bit] = Coords{0, 0};
    }
    Coords shape = {int32_t(rows), int32_t(width)};
    panel = LinearLayout(shape, registers, whole.bases(In::Lane), warps);
    shared = layout::SharedLayout::panels(shape, stage.elementBits(), {1, 0}, stage.getPanelBytes());
  }

  void run() {
    // The same in all lanes.
    Value warp = NVVM::ShflOp::create(l.b, l.loc, l.i32(), l.i32c(-1), l.warp(), l.i32c(0), l.i32c(31),
                                      NVVM::ShflKind::idx, UnitAttr());
    Value group = l.lshr(warp, 2);
    barrier = l.add(group, kFirstGroupBarrier);
    auto at = llvm::map_to_vector(op.getOffsets(), [&](Value offset) { return l.toI32(l.scalar(offset)); });
    for (unsigned dim : {0, 1}) {
      at[dims[dim]] = l.add(at[dims[dim]], groupOrigin(dim, warp));
    }
    Value part = l.add(l.scalar(op.getStage()), l.mul(group, rows * stage.getPanelBytes()));
    Value leader = isGroupLeader(l);
    int64_t slots = stage.getSlots();
    auto comesBefore = [&](Operation *other) {
      return isa<dot::StoreAsyncOp>(other) && other != op.getOperation() &&
             (other->getBlock() != op->getBlock() || other->isBeforeInBlock(op));
    };
    // May a slot have been used before?
    bool again = op->getParentOfType<LoopLikeOpInterface>() || llvm::any_of(op.getStage().getUsers(), comesBefore);
    SmallVector<unsigned> chunkOfWord;
    for (unsigned reg = 0; reg < whole.numRegisters(); reg += l.pack(type)) {
      chunkOfWord.push_back(chunkOf(reg));
    }
    l.wordOrder->divide(chunkOfWord);
    for (int64_t chunk = 0; chunk * width < columns; ++chunk) {
      l.wordOrder->bring(chunk);
      Value slot = l.add(part, (chunk % slots) * int64_t(stage.slotBytes()));
      if (again || chunk >= slots) { // the slot has been copied from
        l.guarded(leader, [&] {
          NVVM::CpAsyncBulkWaitGroupOp::create(l.b, l.loc, l.b.getI32IntegerAttr(slots - 1), l.b.getUnitAttr());
        });
        meet();
      }
      put(slot, chunk);
      mlir::MLIRContext *context = l.b.getContext();
      NVVM::FenceProxyOp::create(l.b, l.loc, NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
                                 NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
      meet();
      l.guarded(leader, [&] { copy(slot, at, chunk * width); });
    }
  }

private:
  Value groupOrigin(unsigned dim, Value warp) {
    SmallVector<uint32_t> places;
    for (unsigned bit = 0; bit < whole.numBits(In::Warp); ++bit) {
      places.push_back(bit < 2 ? 0 : whole.basis(In::Warp, bit, dim));
    }
    return l.evaluate(layout::decompose({}, places, {}, /*add=*/false), warp);
  }

  void meet() {
    NVVM::BarrierOp::create(l.b, l.loc, TypeRange(), barrier, l.i32c(kGroupThreads), NVVM::BarrierReductionAttr(),
                            Value());
  }

  /// The panel that begins `column` columns into the part at `at`, in boxes of at most 256 rows, as the map has them.
  void copy(Value slot, ArrayRef<Value> at, int64_t column) {
    int64_t box = op.getMap().getType().getBox()[dims[0]];
    for (int64_t row = 0; row < rows; row += box) {
      Value address = l.sharedAddress(l.add(slot, row * stage.getPanelBytes()));
      SmallVector<Value> begin(at);
      begin[dims[0]] = l.add(at[dims[0]], row);
      begin[dims[1]] = l.add(at[dims[1]], column);
      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(l.b, l.loc, l.scalar(op.getMap()), address,
                                                         boxCoordinates(begin, dims[1]), Value(),
                                                         NVVM::TMAStoreMode::TILE, Value());
    }
    NVVM::CpAsyncBulkCommitGroupOp::create(l.b, l.loc);
  }

  /// The registers of this panel's columns, in the order of `panel`'s.
  SmallVector<unsigned> registersOf(int64_t chunk) const {
    SmallVector<unsigned> registers;
    for (unsigned reg = 0; reg < whole.numRegisters(); ++reg) {
      if (chunkOf(reg) == chunk) {
        registers.push_back(reg);
      }
    }
    return registers;
  }

  int64_t chunkOf(unsigned reg) const {
    int64_t column = 0;
    for (unsigned bit = 0; bit < whole.numBits(In::Register); ++bit) {
      column += reg >> bit & 1 ? whole.basis(In::Register, bit, 1) : 0;
    }
    return column / width;
  }

  void put(Value slot, int64_t chunk) {
    SmallVector<unsigned> registers = registersOf(chunk);
    auto plan = stage.elementBits() == 16 ? layout::planStmatrix(panel, shared, 16) : std::nullopt;
    if (plan && plan->perWord == l.pack(type)) {
      return putMatrices(slot, registers, *plan);
    }
    // Neighbours in a row, as wide as the swizzle keeps them together.
    SmallVector<Value> elements = l.elements(op.getValue());
    SharedAccess address(l, slot, panel, shared);
    unsigned bytes = stage.elementBits() / 8, count = std::max(1u, layout::vectorBytes(panel, shared) / bytes);
    for (unsigned reg = 0; reg < registers.size(); reg += count) {
      Value stored = elements[registers[reg]];
      if (count > 1) {
        auto vector = VectorType::get(count, l.b.getIntegerType(8 * bytes));
        stored = LLVM::UndefOp::create(l.b, l.loc, vector);
        for (unsigned i = 0; i < count; ++i) {
          Value each = l.bitcast(vector.getElementType(), elements[registers[reg + i]]);
          stored = LLVM::InsertElementOp::create(l.b, l.loc, stored, each, l.i32c(i));
        }
      }
      LLVM::StoreOp::create(l.b, l.loc, stored, address.pointer(reg), count * bytes);
    }
  }

  void putMatrices(Value slot, ArrayRef<unsigned> registers, const layout::LdmatrixPlan &plan) {
    ArrayRef<Value> words = l.words(op.getValue());
    SharedAccess address(l, slot, plan.rowLayout, shared);
    auto shape = NVVM::LdStMatrixShapeAttr::get(l.b.getContext(), 8, 8);
    auto order = plan.transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
    for (unsigned repetition = 0; repetition < plan.repetitions(); ++repetition) {
      SmallVector<Value> matrices;
      for (unsigned matrix = 0; matrix < plan.matrices; ++matrix) {
        unsigned reg = registers[plan.reg(repetition, matrix, 0)];
        matrices.push_back(l.bitcast(l.i32(), words[reg / l.pack(type)]));
      }
      NVVM::StMatrixOp::create(l.b, l.loc, address.pointer(repetition), matrices, order, shape,
                               NVVM::LdStMatrixEltType::B16);
    }
  }

  Lowering &l;
  dot::StoreAsyncOp op;
  RankedTensorType type;
  LinearLayout whole; // as stored
  dot::StageType stage;
  SmallVector<unsigned, 2> dims; // the view's, of rows and columns
  int64_t width, rows, columns;  // of a panel; of a warpgroup's part
  LinearLayout panel;
  layout::SharedLayout shared;
  Value barrier;
};

LogicalResult lowerStoreAsync(Lowering &l, dot::StoreAsyncOp op) {
  Store(l, op).run();
  return success();
}

LogicalResult lowerStoreWait(Lowering &l, dot::StoreWaitOp) {
  l.guarded(isGroupLeader(l),
            [&] { NVVM::CpAsyncBulkWaitGroupOp::create(l.b, l.loc, l.b.getI32IntegerAttr(0), l.b.getUnitAttr()); });
  return success();
}

} // namespace

void registerStoreAsync(Lowering::HandlerTable &table) {
  Lowering::add<dot::StoreAsyncOp, lowerStoreAsync>(table);
  Lowering::add<dot::StoreWaitOp, lowerStoreWait>(table);
}

} // namespace phobos::lowering
