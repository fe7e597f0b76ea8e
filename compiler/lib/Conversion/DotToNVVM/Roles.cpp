// dot.specialize: a branch by warpgroup, and the registers that they trade (PTX ISA, setmaxnreg).
#include "phobos/Conversion/WordOrder.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

/// What the producer's warpgroup gives up the consumers' take, within the 64 K registers of a multiprocessor.
struct Registers {
  unsigned producer = 0, consumer = 0; // a thread; 0: as many as the CTA's size allows
};

/// What the tiles among `values` take of a thread, each counted once.
int64_t registersOf(Lowering &l, ValueRange values) {
  int64_t registers = 0;
  for (Value value : llvm::SmallSetVector<Value, 4>(values.begin(), values.end())) {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    registers += tile ? l.numWords(tile) * l.pack(tile) : 0;
  }
  return registers;
}

/// Does it compute on tiles where they leave little room: in a turn of the loop on the sums, or behind it, as biases
/// and activations do on many of them?
bool isWork(Lowering &l, Operation *op) {
  if (isa<dot::WgmmaJoinOp>(op)) {
    return true;
  }
  if (auto wait = dyn_cast<dot::WgmmaWaitOp>(op)) {
    return wait.getTied();
  }
  bool computes =
      isa<tile::LoadOp>(op) || (op->hasTrait<OpTrait::Elementwise>() &&
                                !isa<arith::ConstantOp, arith::TruncFOp, arith::TruncIOp, tile::ToFloat8Op>(op));
  return computes && std::max(registersOf(l, op->getResults()), registersOf(l, op->getOperands())) >= kManySums;
}

/// Beside four warpgroups of consumers ptxas allows 96 a thread, beside two 168: enough for a product whose sums are
/// all that is kept. What is asked for fits 96 of 640 threads, not the whole file: more would wait for ever (seen on an
/// H200).
Registers registersOf(Lowering &l, dot::SpecializeOp op, unsigned groups) {
  auto find = [&](Operation *each) { return isWork(l, each) ? WalkResult::interrupt() : WalkResult::advance(); };
  bool works = op.getConsumer().walk(find).wasInterrupted();
  return groups == 4 ? Registers{24, 112} : groups == 2 && works ? Registers{24, 240} : Registers{};
}

/// Runs `body` as `role` where `condition` holds; null: everywhere.
LogicalResult lowerRole(Lowering &l, Lowering::Role role, Region &region, Value condition) {
  LogicalResult result = success();
  l.guarded(condition, [&] {
    l.role = role;
    result = l.lowerBlock(region.front());
    l.role = Lowering::Role::All;
  });
  return result;
}

LogicalResult lowerSpecialize(Lowering &l, dot::SpecializeOp op) {
  Registers registers = registersOf(l, op, l.kernel.getNumWarps() / 4);
  auto take = [&](unsigned count, NVVM::SetMaxRegisterAction action) {
    NVVM::SetMaxRegisterOp::create(l.b, l.loc, count, action);
  };
  int64_t consumers = l.kernel.getThreads();
  LogicalResult produced = success(), consumed = success();
  l.guarded(l.icmp(LLVM::ICmpPredicate::uge, l.thread(), l.i32c(consumers)), [&] {
    if (registers.producer) {
      take(registers.producer, NVVM::SetMaxRegisterAction::decrease);
    }
    Value one = l.icmp(LLVM::ICmpPredicate::eq, l.thread(), l.i32c(consumers));
    produced = lowerRole(l, Lowering::Role::Producer, op.getProducer(), one);
  });
  l.guarded(l.icmp(LLVM::ICmpPredicate::ult, l.thread(), l.i32c(consumers)), [&] {
    if (registers.consumer) {
      take(registers.consumer, NVVM::SetMaxRegisterAction::increase);
    }
    consumed = lowerRole(l, Lowering::Role::Consumer, op.getConsumer(), Value());
  });
  return success(succeeded(produced) && succeeded(consumed));
}

} // namespace

void registerRoles(Lowering::HandlerTable &table) { Lowering::add<dot::SpecializeOp, lowerSpecialize>(table); }

} // namespace phobos::lowering
