// cp.async and mbarriers.
#include "KernelToHost.h"

using namespace mlir;

namespace phobos::tohost {
namespace {

LogicalResult lowerCpAsync(KernelToHost &k, NVVM::CpAsyncOp op) {
  Value size = k.i32c(op.getSize());
  k.call(HostCall::copyAsync, {op.getDst(), op.getSrc(), size, op.getCpSize() ? op.getCpSize() : size, k.site(op)});
  op.erase();
  return success();
}

LogicalResult lowerCommit(KernelToHost &k, NVVM::CpAsyncCommitGroupOp op) {
  k.call(HostCall::copyCommit, {k.site(op)});
  op.erase();
  return success();
}

LogicalResult lowerWait(KernelToHost &k, NVVM::CpAsyncWaitGroupOp op) {
  k.call(HostCall::copyWait, {k.i32c(op.getN()), k.site(op)});
  op.erase();
  return success();
}

LogicalResult lowerCopyArrive(KernelToHost &k, NVVM::CpAsyncMBarrierArriveOp op) {
  k.call(HostCall::copyArrive, {op.getAddr(), k.i32c(op.getNoinc()), k.site(op)});
  op.erase();
  return success();
}

// --- mbarrier
LogicalResult lowerInit(KernelToHost &k, NVVM::MBarrierInitOp op) {
  return k.predicated(op, op.getPredicate(),
                      [&] { k.call(HostCall::mbarInit, {op.getAddr(), op.getCount(), k.site(op)}); });
}

LogicalResult lowerInval(KernelToHost &k, NVVM::MBarrierInvalOp op) {
  k.call(HostCall::mbarInval, {op.getAddr(), k.site(op)});
  op.erase();
  return success();
}

template <typename OpT, HostCall call> LogicalResult lowerTx(KernelToHost &k, OpT op) {
  k.call(call, {op.getAddr(), op.getTxcount(), k.site(op)});
  op.erase();
  return success();
}

/// An arrival; count and bytes null: 1 and none.
LogicalResult arrive(KernelToHost &k, Operation *op, Value barrier, Value count, Value bytes, uint32_t flags) {
  flags |= bytes ? uint32_t(host::kMbarExpectTx) : 0;
  Value state = k.call(HostCall::mbarArrive,
                       {barrier, count ? count : k.i32c(1), bytes ? bytes : k.i32c(0), k.i32c(flags), k.site(op)});
  if (op->getNumResults()) {
    op->getResult(0).replaceAllUsesWith(state);
  }
  op->erase();
  return success();
}

template <typename OpT, uint32_t flags> LogicalResult lowerArrive(KernelToHost &k, OpT op) {
  return arrive(k, op, op.getAddr(), op.getCount(), {}, flags);
}

LogicalResult lowerArriveDropExpectTx(KernelToHost &k, NVVM::MBarrierArriveDropExpectTxOp op) {
  return arrive(k, op, op.getAddr(), {}, op.getTxcount(), host::kMbarDrop);
}

LogicalResult lowerArriveExpectTx(KernelToHost &k, NVVM::MBarrierArriveExpectTxOp op) {
  Value predicate = op.getPredicate();
  if (!predicate) {
    return arrive(k, op, op.getAddr(), {}, op.getTxcount(), 0);
  }
  if (op.getRes() && !op.getRes().use_empty()) {
    return k.unknown(op, "a result under a predicate");
  }
  return k.predicated(op, predicate, [&] {
    k.call(HostCall::mbarArrive, {op.getAddr(), k.i32c(1), op.getTxcount(), k.i32c(host::kMbarExpectTx), k.site(op)});
  });
}

LogicalResult lowerTryWaitParity(KernelToHost &k, NVVM::MBarrierTryWaitParityOp op) {
  // The PTX that this op stands for loops until the phase is over.
  k.call(HostCall::mbarWaitParity, {op.getAddr(), op.getPhase(), k.site(op)});
  op.erase();
  return success();
}

LogicalResult lowerTryWait(KernelToHost &k, NVVM::MBarrierTryWaitOp op) {
  // May block for a while before it says no; here it blocks until it can say yes.
  bool parity = op.getStateOrPhase().getType().isInteger(32);
  k.call(parity ? HostCall::mbarWaitParity : HostCall::mbarWaitState, {op.getAddr(), op.getStateOrPhase(), k.site(op)});
  k.replace(op, k.constant(k.i1(), 1));
  return success();
}

LogicalResult lowerTestWait(KernelToHost &k, NVVM::MBarrierTestWaitOp op) {
  bool parity = op.getStateOrPhase().getType().isInteger(32);
  Value over = k.call(parity ? HostCall::mbarTestParity : HostCall::mbarTestState,
                      {op.getAddr(), op.getStateOrPhase(), k.site(op)});
  k.replace(op, k.icmp(LLVM::ICmpPredicate::ne, over, k.i32c(0)));
  return success();
}

} // namespace

void registerAsync(HandlerTable &table) {
  // A loop over threads would have to finish one thread's copies before the next.
  constexpr bool kWaits = true;
  add<NVVM::CpAsyncOp, lowerCpAsync>(table, kWaits);
  add<NVVM::CpAsyncCommitGroupOp, lowerCommit>(table, kWaits);
  add<NVVM::CpAsyncWaitGroupOp, lowerWait>(table, kWaits);
  add<NVVM::CpAsyncMBarrierArriveOp, lowerCopyArrive>(table, kWaits);

  add<NVVM::MBarrierInitOp, lowerInit>(table, kWaits);
  add<NVVM::MBarrierInvalOp, lowerInval>(table, kWaits);
  add<NVVM::MBarrierExpectTxOp, lowerTx<NVVM::MBarrierExpectTxOp, HostCall::mbarExpectTx>>(table, kWaits);
  add<NVVM::MBarrierCompleteTxOp, lowerTx<NVVM::MBarrierCompleteTxOp, HostCall::mbarCompleteTx>>(table, kWaits);
  add<NVVM::MBarrierArriveOp, lowerArrive<NVVM::MBarrierArriveOp, 0>>(table, kWaits);
  add<NVVM::MBarrierArriveDropOp, lowerArrive<NVVM::MBarrierArriveDropOp, host::kMbarDrop>>(table, kWaits);
  add<NVVM::MBarrierArriveNocompleteOp, lowerArrive<NVVM::MBarrierArriveNocompleteOp, host::kMbarNoComplete>>(table,
                                                                                                              kWaits);
  add<NVVM::MBarrierArriveDropNocompleteOp,
      lowerArrive<NVVM::MBarrierArriveDropNocompleteOp, host::kMbarDrop | host::kMbarNoComplete>>(table, kWaits);
  add<NVVM::MBarrierArriveExpectTxOp, lowerArriveExpectTx>(table, kWaits);
  add<NVVM::MBarrierArriveDropExpectTxOp, lowerArriveDropExpectTx>(table, kWaits);
  add<NVVM::MBarrierTryWaitParityOp, lowerTryWaitParity>(table, kWaits);
  add<NVVM::MBarrierTryWaitOp, lowerTryWait>(table, kWaits);
  add<NVVM::MBarrierTestWaitOp, lowerTestWait>(table, kWaits);
}

} // namespace phobos::tohost
