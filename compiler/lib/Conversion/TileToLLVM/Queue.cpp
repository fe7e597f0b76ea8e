// tile.queue: a loop over blocks that are drawn from the launch's counter, one a turn.
//
// The first block of a CTA is its own number; the counter's t-th ticket is block CTAs + t. A turn draws its successor
// as it begins, so that the answer has come when it ends, and hands it round in one of two words of shared memory,
// which take turns. Without roles the CTA meets in between. With roles the producer draws: `full` says that a word is
// there, `empty` that every warp of the consumers has taken it.
//
// Every turn draws once, so that the tickets of a launch are 0 to blocks - 1 and who draws the last knows that nobody
// comes after: it puts the counter back to 0 for the next launch.
#include "phobos/Conversion/Queue.h"

#include "phobos/Conversion/Lowering.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

constexpr unsigned kFull = 0, kEmpty = 16, kWords = 32; // offsets of two each
constexpr int64_t kTryWaitTicks = 10'000'000;           // ns that one try_wait may suspend a thread
constexpr StringLiteral kDeviceScope = "device";

int64_t offsetOf(tile::QueueOp op) {
  auto offset = op->getAttrOfType<IntegerAttr>(dot::kSharedOffsetAttr);
  return offset ? offset.getInt() : 0;
}

/// One of two neighbours of `bytes` each.
Value ofTurn(Lowering &l, tile::QueueOp queue, unsigned first, unsigned bytes, Value turn) {
  Value which = l.mul(l.bitAnd(turn, 1), int64_t(bytes));
  return l.sharedAddress(l.add(which, offsetOf(queue) + first));
}

Value atomic(Lowering &l, LLVM::AtomicBinOp kind, Value operand) {
  return LLVM::AtomicRMWOp::create(l.b, l.loc, kind, l.counters(), operand, LLVM::AtomicOrdering::monotonic,
                                   kDeviceScope);
}

void await(Lowering &l, Value barrier, Value parity) {
  NVVM::MBarrierTryWaitParityOp::create(l.b, l.loc, barrier, parity, l.i32c(kTryWaitTicks));
  l.pinMemory();
}

void arrive(Lowering &l, Value barrier) {
  l.pinMemory();
  NVVM::MBarrierArriveOp::create(l.b, l.loc, Type(), barrier, Value(), NVVM::MemScopeKind::CTA, /*relaxed=*/false);
}

/// After the last ticket.
void putBack(Lowering &l, Value ticket, Value blocks) {
  Value last = l.icmp(LLVM::ICmpPredicate::eq, ticket, l.sub(l.toI32(blocks), l.i32c(1)));
  l.guarded(last, [&] { atomic(l, LLVM::AtomicBinOp::xchg, l.i32c(0)); });
}

} // namespace

void initQueue(Lowering &l, tile::QueueOp op) {
  if (!l.kernel->hasAttr(dot::kSpecializedAttr)) {
    return;
  }
  l.guarded(l.isLeader(), [&] {
    for (unsigned word = 0; word < 2; ++word) {
      for (auto [first, count] : {std::pair(kFull, 1u), std::pair(kEmpty, l.kernel.getNumWarps())}) {
        Value address = l.sharedAddress(l.i32c(offsetOf(op) + first + 8 * word));
        NVVM::MBarrierInitOp::create(l.b, l.loc, address, l.i32c(count), Value());
      }
    }
  });
}

Value drawTicket(Lowering &l) {
  if (l.role == Lowering::Role::Consumer) {
    return {};
  }
  return l.guardedValue(l.isLeader(), [&] { return atomic(l, LLVM::AtomicBinOp::add, l.i32c(1)); });
}

Value nextBlock(Lowering &l, const QueueTurn &drawn) {
  auto [queue, ticket, blocks, turn, next] = drawn;
  Value word = ofTurn(l, queue, kWords, 4, turn);
  Value full = ofTurn(l, queue, kFull, 8, turn), empty = ofTurn(l, queue, kEmpty, 8, turn);
  Value phase = l.bitAnd(l.lshr(turn, 1), 1);
  auto put = [&] {
    LLVM::StoreOp::create(l.b, l.loc, ticket, word, 4);
    putBack(l, ticket, blocks);
  };
  auto take = [&]() -> Value { return LLVM::LoadOp::create(l.b, l.loc, l.i32(), word, 4); };
  switch (l.role) {
  case Lowering::Role::All:
    l.guarded(l.isLeader(), put);
    l.ctaBarrier();
    ticket = take();
    break;
  case Lowering::Role::Producer:
    await(l, empty, l.sub(l.i32c(1), phase)); // the first time round each word is free
    put();
    arrive(l, full);
    break;
  case Lowering::Role::Consumer:
    // One lane alone: another that looked later might find the phase after the next.
    ticket = l.guardedValue(l.icmp(LLVM::ICmpPredicate::eq, l.lane(), l.i32c(0)), [&] {
      await(l, full, phase);
      Value word = take();
      arrive(l, empty);
      return word;
    });
    break;
  }
  if (l.role != Lowering::Role::Producer) { // to ptxas too it is then the same for the warp
    ticket = NVVM::ShflOp::create(l.b, l.loc, l.i32(), l.i32c(-1), ticket, l.i32c(0), l.i32c(31), NVVM::ShflKind::idx,
                                  UnitAttr());
  }
  return l.toIndex(l.add(ticket, Value(NVVM::GridDimXOp::create(l.b, l.loc, l.i32()))));
}

static LogicalResult lowerQueue(Lowering &l, tile::QueueOp op) {
  l.setScalar(op.getResult(), l.toIndex(NVVM::GridDimXOp::create(l.b, l.loc, l.i32()))); // at least
  return success();
}

namespace {

/// Marks what orders threads: for who looks at what is executed.
struct WithoutWork final : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (isa<NVVM::MBarrierTryWaitParityOp, NVVM::MBarrierArriveOp>(op)) {
      op->setAttr("tile.without_work", UnitAttr::get(op->getContext()));
    }
  }
};

} // namespace

static LogicalResult lowerNextBlock(Lowering &l, tile::NextBlockOp op) {
  if (!l.queueTurn) {
    return op.emitError() << "not in a loop that draws its blocks";
  }
  WithoutWork marks;
  l.b.setListener(op.getWithoutWork() ? &marks : nullptr);
  l.setScalar(op.getResult(), nextBlock(l, *l.queueTurn));
  l.b.setListener(nullptr);
  return success();
}

static LogicalResult lowerGoOn(Lowering &l, tile::GoOnOp op) {
  if (!l.queueTurn) {
    return op.emitError() << "not in a loop that draws its blocks";
  }
  l.queueTurn->next = l.scalar(op.getBlock());
  return success();
}

void registerQueue(Lowering::HandlerTable &table) {
  Lowering::add<tile::QueueOp, lowerQueue>(table);
  Lowering::add<tile::NextBlockOp, lowerNextBlock>(table);
  Lowering::add<tile::GoOnOp, lowerGoOn>(table);
}

} // namespace phobos::lowering
