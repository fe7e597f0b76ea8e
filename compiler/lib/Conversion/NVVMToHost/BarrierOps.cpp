// Barriers of CTAs and clusters, fences, timers.
#include "KernelToHost.h"

using namespace mlir;

namespace phobos::tohost {
namespace {

Value orZero(KernelToHost &k, Value value) { return value ? value : k.i32c(0); }

LogicalResult lowerBarrier0(KernelToHost &k, NVVM::Barrier0Op op) {
  k.call(HostCall::ctaBarrier, {k.i32c(0), k.i32c(0), k.site(op)});
  op.erase();
  return success();
}

host::BarrierReduction reductionOf(NVVM::BarrierReduction kind) {
  switch (kind) {
  case NVVM::BarrierReduction::POPC:
    return host::BarrierReduction::popc;
  case NVVM::BarrierReduction::AND:
    return host::BarrierReduction::all;
  case NVVM::BarrierReduction::OR:
    return host::BarrierReduction::any;
  }
  llvm_unreachable("unknown reduction");
}

LogicalResult lowerBarrier(KernelToHost &k, NVVM::BarrierOp op) {
  Value id = orZero(k, op.getBarrierId()), threads = orZero(k, op.getNumberOfThreads());
  if (!op.getReductionOp()) {
    k.call(HostCall::ctaBarrier, {id, threads, k.site(op)});
    op.erase();
    return success();
  }
  Value kind = k.i32c(int64_t(reductionOf(*op.getReductionOp())));
  k.replace(op, k.call(HostCall::ctaBarrierReduce, {id, threads, kind, op.getReductionPredicate(), k.site(op)}));
  return success();
}

LogicalResult lowerBarrierArrive(KernelToHost &k, NVVM::BarrierArriveOp op) {
  k.call(HostCall::ctaBarrierArrive, {orZero(k, op.getBarrierId()), op.getNumberOfThreads(), k.site(op)});
  op.erase();
  return success();
}

template <bool relaxed> LogicalResult lowerClusterArrive(KernelToHost &k, Operation *op) {
  k.call(HostCall::clusterArrive, {k.i32c(relaxed), k.site(op)});
  op->erase();
  return success();
}

LogicalResult lowerClusterWait(KernelToHost &k, NVVM::ClusterWaitOp op) {
  k.call(HostCall::clusterWait, {k.site(op)});
  op.erase();
  return success();
}

// --- fences
LogicalResult fence(KernelToHost &k, Operation *op, host::FenceKind kind) {
  k.call(HostCall::fence, {k.i32c(int64_t(kind)), k.site(op)});
  op->erase();
  return success();
}

template <host::FenceKind kind> LogicalResult lowerFence(KernelToHost &k, Operation *op) { return fence(k, op, kind); }

LogicalResult lowerMembar(KernelToHost &k, NVVM::MembarOp op) {
  switch (op.getScope()) {
  case NVVM::MemScopeKind::CTA:
    return fence(k, op, host::FenceKind::cta);
  case NVVM::MemScopeKind::CLUSTER:
    return fence(k, op, host::FenceKind::cluster);
  case NVVM::MemScopeKind::GPU:
    return fence(k, op, host::FenceKind::gpu);
  case NVVM::MemScopeKind::SYS:
    return fence(k, op, host::FenceKind::sys);
  }
  llvm_unreachable("unknown scope");
}

LogicalResult lowerFenceProxy(KernelToHost &k, NVVM::FenceProxyOp op) {
  switch (op.getKind()) {
  case NVVM::ProxyKind::alias:
    return fence(k, op, host::FenceKind::proxyAlias);
  case NVVM::ProxyKind::async:
    return fence(k, op, host::FenceKind::proxyAsync);
  case NVVM::ProxyKind::async_global:
    return fence(k, op, host::FenceKind::proxyAsyncGlobal);
  case NVVM::ProxyKind::async_shared:
    return fence(k, op, host::FenceKind::proxyAsyncShared);
  case NVVM::ProxyKind::TENSORMAP:
    return fence(k, op, host::FenceKind::proxyTensorMap);
  case NVVM::ProxyKind::GENERIC:
    return fence(k, op, host::FenceKind::proxyGeneric);
  }
  llvm_unreachable("unknown proxy");
}

/// LLVM's own fence: on the host's memory it stays one.
LogicalResult lowerLLVMFence(KernelToHost &k, LLVM::FenceOp op) {
  StringRef scope = op.getSyncscope().value_or("");
  host::FenceKind kind = scope == "block"     ? host::FenceKind::cta
                         : scope == "cluster" ? host::FenceKind::cluster
                         : scope == "device"  ? host::FenceKind::gpu
                                              : host::FenceKind::sys;
  return fence(k, op, kind);
}

/// Launches are in order here, so that it is only the checkers that hear of the wait.
LogicalResult lowerGriddepcontrol(KernelToHost &k, NVVM::GriddepcontrolOp op) {
  if (op.getKind() == NVVM::GridDepActionKind::wait && k.shared.options.checkGlobal) {
    k.call(HostCall::awaitPrevious, {k.site(op)});
  }
  op.erase();
  return success();
}

// --- time
template <HostCall call> LogicalResult lowerTime(KernelToHost &k, Operation *op) {
  Value now = k.call(call, {});
  if (op->getResult(0).getType() != now.getType()) {
    now = LLVM::TruncOp::create(k.b, k.loc, op->getResult(0).getType(), now);
  }
  k.replace(op, now);
  return success();
}

LogicalResult lowerNanosleep(KernelToHost &k, NVVM::NanosleepOp op) {
  k.call(HostCall::sleep, {op.getDuration(), k.site(op)});
  op.erase();
  return success();
}

} // namespace

void registerBarriers(HandlerTable &table) {
  constexpr bool kWaits = true;
  add<NVVM::Barrier0Op, lowerBarrier0>(table, kWaits);
  add<NVVM::BarrierOp, lowerBarrier>(table, kWaits);
  add<NVVM::BarrierArriveOp, lowerBarrierArrive>(table, kWaits);
  table[NVVM::ClusterArriveOp::getOperationName()] = {lowerClusterArrive<false>, kWaits};
  table[NVVM::ClusterArriveRelaxedOp::getOperationName()] = {lowerClusterArrive<true>, kWaits};
  add<NVVM::ClusterWaitOp, lowerClusterWait>(table, kWaits);

  add<NVVM::MembarOp, lowerMembar>(table);
  add<NVVM::FenceProxyOp, lowerFenceProxy>(table);
  add<LLVM::FenceOp, lowerLLVMFence>(table);
  table[NVVM::FenceMbarrierInitOp::getOperationName()] = {lowerFence<host::FenceKind::mbarrierInit>};
  table[NVVM::FenceScClusterOp::getOperationName()] = {lowerFence<host::FenceKind::cluster>};
  table[NVVM::WgmmaFenceAlignedOp::getOperationName()] = {lowerFence<host::FenceKind::wgmma>, kWaits};

  table[NVVM::ClockOp::getOperationName()] = {lowerTime<HostCall::clock>};
  table[NVVM::Clock64Op::getOperationName()] = {lowerTime<HostCall::clock>};
  table[NVVM::GlobalTimerOp::getOperationName()] = {lowerTime<HostCall::globalTimer>};
  table[NVVM::GlobalTimerLoOp::getOperationName()] = {lowerTime<HostCall::globalTimer>};
  add<NVVM::NanosleepOp, lowerNanosleep>(table, kWaits);

  add<NVVM::GriddepcontrolOp, lowerGriddepcontrol>(table);
  // What a chip does for speed only: register budgets, prefetches.
  drop<NVVM::SetMaxRegisterOp, NVVM::PrefetchOp, NVVM::CpAsyncBulkPrefetchOp, NVVM::CpAsyncBulkTensorPrefetchOp,
       NVVM::PMEventOp>(table);
}

} // namespace phobos::tohost
