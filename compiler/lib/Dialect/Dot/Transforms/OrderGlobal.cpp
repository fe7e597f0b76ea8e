// dot-order-global: a barrier between accesses of one block to the same tensor whose order matters. See Passes.td.
#include "GlobalOrder.h"
#include "TensorMaps.h"
#include "phobos/Dialect/Dot/IR/StageLayout.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Dialect/Dot/Transforms/SharedMemory.h"
#include "phobos/Dialect/Tile/IR/LayoutBridge.h"
#include "phobos/Layout/Algebra.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace phobos::dot {

#define GEN_PASS_DEF_ORDERGLOBAL
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

std::optional<int64_t> movesBy(Value index, scf::ForOp loop) {
  if (loop.isDefinedOutsideOfLoop(index)) {
    return 0;
  }
  APInt constant;
  if (index == loop.getInductionVar()) {
    return matchPattern(loop.getStep(), m_ConstantInt(&constant)) ? std::optional(constant.getSExtValue())
                                                                  : std::nullopt;
  }
  Operation *op = index.getDefiningOp();
  if (isa_and_present<arith::AddIOp, arith::SubIOp>(op)) {
    auto x = movesBy(op->getOperand(0), loop), y = movesBy(op->getOperand(1), loop);
    return x && y ? std::optional(isa<arith::AddIOp>(op) ? *x + *y : *x - *y) : std::nullopt;
  }
  if (isa_and_present<arith::MulIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&constant))) {
    auto x = movesBy(op->getOperand(0), loop);
    return x ? std::optional(*x * constant.getSExtValue()) : std::nullopt;
  }
  return std::nullopt;
}

bool isBlockLoop(LoopLikeOpInterface loop) {
  auto each = dyn_cast<scf::ForOp>(loop.getOperation());
  return each && isa_and_present<tile::ResidentCountOp, tile::QueueOp>(each.getStep().getDefiningOp());
}

namespace {

struct Access {
  Value view;
  SmallVector<Value, 4> offsets;
  SmallVector<int64_t, 4> extents;
  RankedTensorType tile; // who has which element; null where a copy decides that for itself
  bool writes = false;
  bool scattered = false; // anywhere in the view, as a tile of indices says
  /// Of an earlier turn of a loop, where the offsets had other values; `turned` is that loop, if it is one.
  bool earlier = false;
  scf::ForOp turned;
  /// Of an atomic operation whose order among others of its kind does not matter.
  std::optional<tile::AtomicKind> commuting;

  bool operator==(const Access &) const = default;
};

/// A tile that leaves by the copy engine: each warpgroup's part when its warps have met, which is as if each thread
/// stored its own elements.
Access accessOf(StoreAsyncOp store) {
  auto type = cast<RankedTensorType>(store.getValue().getType());
  Value view = viewOf(store.getMap());
  SmallVector<int64_t, 4> extents(store.getOffsets().size(), 1);
  auto dims = store.getMap().getType().getTileDims();
  for (unsigned dim : {0, 1}) {
    extents[dims[dim]] = type.getDimSize(store.getTransposed() ? 1 - dim : dim);
  }
  auto whole = RankedTensorType::get(extents, type.getElementType());
  auto layout = layout::reshape(storedLayoutOf(store), layout::paddedShape(extents));
  return {view, store.getOffsets(), extents, tile::withLayout(whole, layout), true};
}

std::optional<Access> accessOf(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    auto type = cast<RankedTensorType>(load.getType());
    Access access{load.getView(), load.getOffsets(), SmallVector<int64_t, 4>(type.getShape()), type};
    access.scattered = !load.getIndices().empty();
    return access;
  }
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    auto type = cast<RankedTensorType>(store.getValue().getType());
    Access access{store.getView(), store.getOffsets(), SmallVector<int64_t, 4>(type.getShape()), type, true};
    access.scattered = !store.getIndices().empty();
    return access;
  }
  if (auto atomic = dyn_cast<tile::AtomicOp>(op)) {
    auto type = cast<RankedTensorType>(atomic.getValue().getType());
    Access access{atomic.getView(), atomic.getOffsets(), SmallVector<int64_t, 4>(type.getShape()), type, true};
    access.scattered = !atomic.getIndices().empty();
    access.commuting = atomic.commutes() ? std::optional(atomic.getKind()) : std::nullopt;
    return access;
  }
  if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
    return Access{copy.getView(), copy.getOffsets(), SmallVector<int64_t, 4>(copy.getSliceExtents()), {}};
  }
  if (auto store = dyn_cast<StoreAsyncOp>(op)) {
    return accessOf(store);
  }
  return std::nullopt; // bulk loads read only what no store writes: see planContraction
}

/// An index as base + constant.
std::pair<Value, int64_t> split(Value index) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant))) {
    return {Value(), constant.getSExtValue()};
  }
  Operation *op = index.getDefiningOp();
  if (isa_and_present<arith::AddIOp, arith::SubIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&constant))) {
    auto [base, offset] = split(op->getOperand(0));
    int64_t more = constant.getSExtValue();
    return {base, offset + (isa<arith::AddIOp>(op) ? more : -more)};
  }
  return {index, 0};
}

bool areApart(const Access &before, const Access &after) {
  for (auto [dim, offset] : llvm::enumerate(after.offsets)) {
    auto [base, constant] = split(before.offsets[dim]);
    auto [otherBase, otherConstant] = split(offset);
    if (before.earlier) {
      auto moves = before.turned ? movesBy(offset, before.turned) : std::nullopt;
      int64_t extent = std::max(before.extents[dim], after.extents[dim]);
      if (before.offsets[dim] == offset && moves && std::abs(*moves) >= extent) {
        return true;
      }
    } else if (base == otherBase &&
               (constant + before.extents[dim] <= otherConstant || otherConstant + after.extents[dim] <= constant)) {
      return true;
    }
  }
  return false;
}

/// Is each element accessed by the same threads both times? What one thread does is ordered.
bool bySameThreads(const Access &before, const Access &after) {
  if (!before.tile || before.tile != after.tile || before.earlier || before.offsets != after.offsets) {
    return false;
  }
  layout::Place replicas = tile::layoutOf(after.tile).freeVariableMasks();
  return (before.writes && after.writes) || !(replicas.lane || replicas.warp);
}

bool conflict(const Access &before, const Access &after) {
  bool commute = before.commuting && before.commuting == after.commuting;
  bool scattered = before.scattered || after.scattered;
  return before.view == after.view && (before.writes || after.writes) && !commute &&
         (scattered || (!areApart(before, after) && !bySameThreads(before, after)));
}

/// Since the last barrier; asynchronous reads are done once their group has been closed and waited for.
struct Pending {
  SmallVector<Access> accesses, open, unfinished;

  static void addTo(SmallVectorImpl<Access> &list, ArrayRef<Access> more) {
    for (const Access &access : more) {
      if (!llvm::is_contained(list, access)) {
        list.push_back(access);
      }
    }
  }
  void join(const Pending &other) {
    addTo(accesses, other.accesses);
    addTo(open, other.open);
    addTo(unfinished, other.unfinished);
  }
  void commit() {
    addTo(unfinished, open);
    open.clear();
  }
  void wait() {
    addTo(accesses, unfinished);
    unfinished.clear();
  }
  /// What was done in a turn of the loop, seen from the next.
  void turn(LoopLikeOpInterface loop) {
    for (auto *list : {&accesses, &open, &unfinished}) {
      for (Access &access : *list) {
        if (!llvm::all_of(access.offsets, [&](Value offset) { return loop.isDefinedOutsideOfLoop(offset); })) {
          access.turned = access.earlier ? scf::ForOp() : dyn_cast<scf::ForOp>(loop.getOperation());
          access.earlier = true;
        }
      }
    }
  }
};

class Inserter {
public:
  void visit(Block &block, Pending &pending) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      visit(&op, pending);
    }
  }

private:
  void visit(Operation *op, Pending &pending) {
    if (isa<CommitOp>(op)) {
      return pending.commit();
    }
    if (isa<WaitOp>(op)) {
      return pending.wait();
    }
    if (isa<BarrierOp, tile::GridBarrierOp>(op) || (hasInnerBarrier(op) && !isa<tile::AtomicOp>(op))) {
      pending.accesses.clear();
      return;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Pending yes = pending, no = pending;
      visit(*branch.thenBlock(), yes);
      if (branch.elseBlock()) {
        visit(*branch.elseBlock(), no);
      }
      pending = yes;
      pending.join(no);
      return;
    }
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      return isBlockLoop(loop) ? visit(loop.getLoopRegions().front()->front(), pending) : visitLoop(loop, pending);
    }
    if (auto roles = dyn_cast<SpecializeOp>(op)) { // the producer only reads what no store writes
      return visit(roles.getConsumer().front(), pending);
    }
    std::optional<Access> access = accessOf(op);
    if (!access) {
      return;
    }
    if (llvm::any_of(pending.accesses, [&](const Access &before) { return conflict(before, *access); })) {
      OpBuilder b(op);
      BarrierOp::create(b, op->getLoc());
      pending.accesses.clear();
    }
    if (hasInnerBarrier(op)) { // it comes after the access
      pending.accesses.clear();
      return;
    }
    Pending::addTo(isa<CopyAsyncOp>(op) ? pending.open : pending.accesses, *access);
  }

  /// Twice: the second time round meets what the first left behind.
  void visitLoop(LoopLikeOpInterface loop, Pending &pending) {
    for (int turn = 0; turn < 2; ++turn) {
      Pending inside = pending;
      for (Region &region : loop->getRegions()) {
        for (Block &block : region) {
          visit(block, inside);
        }
      }
      inside.turn(loop);
      pending.join(inside);
    }
  }
};

struct OrderGlobal final : impl::OrderGlobalBase<OrderGlobal> {
  void runOnOperation() override {
    Pending pending;
    Inserter().visit(getOperation().getBody().front(), pending);
  }
};

} // namespace
} // namespace phobos::dot
