// Bulk copies: boxes of tensors by tensor maps, runs of bytes, their groups.
#include "KernelToHost.h"

using namespace mlir;

namespace phobos::tohost {
namespace {

/// Five coordinates, zeros beyond those given.
void appendCoordinates(KernelToHost &k, SmallVectorImpl<Value> &arguments, ValueRange coordinates) {
  for (unsigned i = 0; i < 5; ++i) {
    arguments.push_back(i < coordinates.size() ? coordinates[i] : k.i32c(0));
  }
}

Value mask(KernelToHost &k, Value mask) {
  return mask ? Value(LLVM::ZExtOp::create(k.b, k.loc, k.i32(), mask)) : k.i32c(0);
}

LogicalResult lowerTensorLoad(KernelToHost &k, NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op) {
  if (op.getMode() != NVVM::TMALoadMode::TILE || !op.getIm2colOffsets().empty()) {
    return k.unknown(op, "only the tile mode");
  }
  if (op.getGroup() && *op.getGroup() != NVVM::CTAGroupKind::CTA_1) {
    return k.unknown(op, "a pair of CTAs");
  }
  return k.predicated(op, op.getPredicate(), [&] {
    SmallVector<Value> arguments = {op.getDstMem(), op.getTmaDescriptor(), op.getMbar()};
    appendCoordinates(k, arguments, op.getCoordinates());
    arguments.append({mask(k, op.getMulticastMask()), k.site(op)});
    k.call(HostCall::tmaLoad, arguments);
  });
}

LogicalResult lowerTensorStore(KernelToHost &k, NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp op) {
  if (op.getMode() != NVVM::TMAStoreMode::TILE) {
    return k.unknown(op, "only the tile mode");
  }
  return k.predicated(op, op.getPredicate(), [&] {
    SmallVector<Value> arguments = {op.getTmaDescriptor(), op.getSrcMem()};
    appendCoordinates(k, arguments, op.getCoordinates());
    arguments.push_back(k.site(op));
    k.call(HostCall::tmaStore, arguments);
  });
}

host::BulkReduction reductionOf(NVVM::TMAReduxKind kind) {
  switch (kind) {
  case NVVM::TMAReduxKind::ADD:
    return host::BulkReduction::add;
  case NVVM::TMAReduxKind::MIN:
    return host::BulkReduction::min;
  case NVVM::TMAReduxKind::MAX:
    return host::BulkReduction::max;
  case NVVM::TMAReduxKind::INC:
    return host::BulkReduction::inc;
  case NVVM::TMAReduxKind::DEC:
    return host::BulkReduction::dec;
  case NVVM::TMAReduxKind::AND:
    return host::BulkReduction::bitAnd;
  case NVVM::TMAReduxKind::OR:
    return host::BulkReduction::bitOr;
  case NVVM::TMAReduxKind::XOR:
    return host::BulkReduction::bitXor;
  }
  llvm_unreachable("unknown reduction");
}

LogicalResult lowerTensorReduce(KernelToHost &k, NVVM::CpAsyncBulkTensorReduceOp op) {
  if (op.getMode() != NVVM::TMAStoreMode::TILE) {
    return k.unknown(op, "only the tile mode");
  }
  SmallVector<Value> arguments = {op.getTmaDescriptor(), op.getSrcMem(), k.i32c(int64_t(reductionOf(op.getRedKind())))};
  appendCoordinates(k, arguments, op.getCoordinates());
  arguments.push_back(k.site(op));
  k.call(HostCall::tmaReduce, arguments);
  op.erase();
  return success();
}

LogicalResult lowerLoad(KernelToHost &k, NVVM::CpAsyncBulkGlobalToSharedClusterOp op) {
  k.call(HostCall::bulkLoad,
         {op.getDstMem(), op.getSrcMem(), op.getMbar(), op.getSize(), mask(k, op.getMulticastMask()), k.site(op)});
  op.erase();
  return success();
}

LogicalResult lowerStore(KernelToHost &k, NVVM::CpAsyncBulkSharedCTAToGlobalOp op) {
  Value bytes = op.getByteMask() ? mask(k, op.getByteMask()) : k.i32c(0xffff);
  k.call(HostCall::bulkStore, {op.getDstMem(), op.getSrcMem(), op.getSize(), bytes, k.site(op)});
  op.erase();
  return success();
}

LogicalResult lowerShared(KernelToHost &k, NVVM::CpAsyncBulkSharedCTAToSharedClusterOp op) {
  k.call(HostCall::bulkShared, {op.getDstMem(), op.getSrcMem(), op.getMbar(), op.getSize(), k.site(op)});
  op.erase();
  return success();
}

LogicalResult lowerCommit(KernelToHost &k, NVVM::CpAsyncBulkCommitGroupOp op) {
  k.call(HostCall::bulkCommit, {k.site(op)});
  op.erase();
  return success();
}

LogicalResult lowerWait(KernelToHost &k, NVVM::CpAsyncBulkWaitGroupOp op) {
  k.call(HostCall::bulkWait, {k.i32c(op.getGroup()), k.i32c(bool(op.getRead())), k.site(op)});
  op.erase();
  return success();
}

} // namespace

void registerBulk(HandlerTable &table) {
  constexpr bool kWaits = true;
  add<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp, lowerTensorLoad>(table, kWaits);
  add<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp, lowerTensorStore>(table, kWaits);
  add<NVVM::CpAsyncBulkTensorReduceOp, lowerTensorReduce>(table, kWaits);
  add<NVVM::CpAsyncBulkGlobalToSharedClusterOp, lowerLoad>(table, kWaits);
  add<NVVM::CpAsyncBulkSharedCTAToGlobalOp, lowerStore>(table, kWaits);
  add<NVVM::CpAsyncBulkSharedCTAToSharedClusterOp, lowerShared>(table, kWaits);
  add<NVVM::CpAsyncBulkCommitGroupOp, lowerCommit>(table, kWaits);
  add<NVVM::CpAsyncBulkWaitGroupOp, lowerWait>(table, kWaits);
}

} // namespace phobos::tohost
