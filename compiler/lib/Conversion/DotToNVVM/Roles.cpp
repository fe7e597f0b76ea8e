// dot.specialize: a branch by warpgroup, and the registers that they trade (PTX ISA, setmaxnreg).
#include "phobos/Conversion/Lowering.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

// Registers a thread beside three warpgroups of consumers: what the producer's gives up, they take, within the 64 K of
// a multiprocessor. Fewer consumers have enough: ptxas allows 168 a thread of a CTA of 384.
constexpr unsigned kTradingGroups = 3, kProducerRegisters = 24, kConsumerRegisters = 160;

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
  bool trades = l.kernel.getNumWarps() / 4 >= kTradingGroups;
  auto take = [&](unsigned count, NVVM::SetMaxRegisterAction action) {
    NVVM::SetMaxRegisterOp::create(l.b, l.loc, count, action);
  };
  int64_t consumers = l.kernel.getThreads();
  LogicalResult produced = success(), consumed = success();
  l.guarded(l.icmp(LLVM::ICmpPredicate::uge, l.thread(), l.i32c(consumers)), [&] {
    if (trades) {
      take(kProducerRegisters, NVVM::SetMaxRegisterAction::decrease);
    }
    Value one = l.icmp(LLVM::ICmpPredicate::eq, l.thread(), l.i32c(consumers));
    produced = lowerRole(l, Lowering::Role::Producer, op.getProducer(), one);
  });
  l.guarded(l.icmp(LLVM::ICmpPredicate::ult, l.thread(), l.i32c(consumers)), [&] {
    if (trades) {
      take(kConsumerRegisters, NVVM::SetMaxRegisterAction::increase);
    }
    consumed = lowerRole(l, Lowering::Role::Consumer, op.getConsumer(), Value());
  });
  return success(succeeded(produced) && succeeded(consumed));
}

} // namespace

void registerRoles(Lowering::HandlerTable &table) { Lowering::add<dot::SpecializeOp, lowerSpecialize>(table); }

} // namespace phobos::lowering
