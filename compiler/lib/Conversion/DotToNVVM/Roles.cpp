// dot.specialize: a branch by warpgroup, and the registers that they trade (PTX ISA, setmaxnreg).
#include "phobos/Conversion/Lowering.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

/// What the producer's warpgroup gives up the consumers' take, within the 64 K registers of a multiprocessor.
struct Registers {
  unsigned producer = 0, consumer = 0; // a thread; 0: as many as the CTA's size allows
};

/// Beside three warpgroups of consumers ptxas allows 128 a thread, beside two 168: enough for a product whose sums are
/// all that is kept, not where a turn works on them.
Registers registersOf(dot::SpecializeOp op, unsigned groups) {
  bool works =
      op.getConsumer()
          .walk([](dot::WgmmaWaitOp wait) { return wait.getTied() ? WalkResult::interrupt() : WalkResult::advance(); })
          .wasInterrupted();
  return groups == 3 ? Registers{24, 160} : groups == 2 && works ? Registers{24, 240} : Registers{};
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
  Registers registers = registersOf(op, l.kernel.getNumWarps() / 4);
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
