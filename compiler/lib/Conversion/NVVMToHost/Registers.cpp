// Special registers: numbers of the thread come with it, those of the CTA from its registers, loaded once.
#include "KernelToHost.h"

using namespace mlir;

namespace phobos::tohost {
namespace {

template <unsigned axis> LogicalResult lowerTid(KernelToHost &k, Operation *op) {
  k.replace(op, k.tid(axis));
  return success();
}

template <size_t offset> LogicalResult lowerCtaRegister(KernelToHost &k, Operation *op) {
  k.replace(op, k.ctaRegister(offset));
  return success();
}

/// Three ops, one an axis, that read consecutive words.
template <size_t offset, typename X, typename Y, typename Z> void addAxes(HandlerTable &table) {
  table[X::getOperationName()] = {lowerCtaRegister<offset>};
  table[Y::getOperationName()] = {lowerCtaRegister<offset + 4>};
  table[Z::getOperationName()] = {lowerCtaRegister<offset + 8>};
}

LogicalResult lowerLaneId(KernelToHost &k, NVVM::LaneIdOp op) {
  k.replace(op, k.lane());
  return success();
}

LogicalResult lowerWarpId(KernelToHost &k, NVVM::WarpIdOp op) {
  k.replace(op, LLVM::LShrOp::create(k.b, k.loc, k.linearIndex(), k.i32c(llvm::Log2_32(host::kWarpLanes))));
  return success();
}

LogicalResult lowerWarpSize(KernelToHost &k, NVVM::WarpSizeOp op) {
  k.replace(op, k.i32c(host::kWarpLanes));
  return success();
}

/// %nwarpid: warps that fit on a multiprocessor.
LogicalResult lowerWarpDim(KernelToHost &k, NVVM::WarpDimOp op) {
  k.replace(op, k.i32c(64));
  return success();
}

LogicalResult lowerGridId(KernelToHost &k, NVVM::GridIdOp op) {
  k.replace(op, k.ctaRegister(offsetof(host::CtaRegisters, gridid))); // its low half
  return success();
}

enum class LaneMask { Eq, Le, Lt, Ge, Gt };

template <LaneMask which> LogicalResult lowerLaneMask(KernelToHost &k, Operation *op) {
  Value lane = k.lane();
  auto shifted = [&](int64_t bits) -> Value { return LLVM::ShlOp::create(k.b, k.loc, k.i32c(bits), lane); };
  auto inverted = [&](Value x) -> Value { return LLVM::XOrOp::create(k.b, k.loc, x, k.i32c(-1)); };
  switch (which) {
  case LaneMask::Eq:
    k.replace(op, shifted(1));
    break;
  case LaneMask::Ge:
    k.replace(op, shifted(-1));
    break;
  case LaneMask::Gt:
    k.replace(op, shifted(-2));
    break;
  case LaneMask::Lt:
    k.replace(op, inverted(shifted(-1)));
    break;
  case LaneMask::Le:
    k.replace(op, inverted(shifted(-2)));
    break;
  }
  return success();
}

} // namespace

void registerRegisters(HandlerTable &table) {
  table[NVVM::ThreadIdXOp::getOperationName()] = {lowerTid<0>};
  table[NVVM::ThreadIdYOp::getOperationName()] = {lowerTid<1>};
  table[NVVM::ThreadIdZOp::getOperationName()] = {lowerTid<2>};
  using R = host::CtaRegisters;
  addAxes<offsetof(R, ctaid), NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(table);
  addAxes<offsetof(R, ntid), NVVM::BlockDimXOp, NVVM::BlockDimYOp, NVVM::BlockDimZOp>(table);
  addAxes<offsetof(R, nctaid), NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(table);
  addAxes<offsetof(R, clusterid), NVVM::ClusterIdXOp, NVVM::ClusterIdYOp, NVVM::ClusterIdZOp>(table);
  addAxes<offsetof(R, nclusterid), NVVM::ClusterDimXOp, NVVM::ClusterDimYOp, NVVM::ClusterDimZOp>(table);
  addAxes<offsetof(R, clusterCtaid), NVVM::BlockInClusterIdXOp, NVVM::BlockInClusterIdYOp, NVVM::BlockInClusterIdZOp>(
      table);
  addAxes<offsetof(R, clusterNctaid), NVVM::ClusterDimBlocksXOp, NVVM::ClusterDimBlocksYOp, NVVM::ClusterDimBlocksZOp>(
      table);
  table[NVVM::ClusterId::getOperationName()] = {lowerCtaRegister<offsetof(R, clusterCtarank)>};
  table[NVVM::ClusterDim::getOperationName()] = {lowerCtaRegister<offsetof(R, clusterNctarank)>};
  table[NVVM::SmIdOp::getOperationName()] = {lowerCtaRegister<offsetof(R, smid)>};
  table[NVVM::SmDimOp::getOperationName()] = {lowerCtaRegister<offsetof(R, nsmid)>};
  table[NVVM::TotalSmemSize::getOperationName()] = {lowerCtaRegister<offsetof(R, totalSharedBytes)>};
  table[NVVM::DynamicSmemSize::getOperationName()] = {lowerCtaRegister<offsetof(R, dynamicSharedBytes)>};
  add<NVVM::GridIdOp, lowerGridId>(table);
  add<NVVM::LaneIdOp, lowerLaneId>(table);
  add<NVVM::WarpIdOp, lowerWarpId>(table);
  add<NVVM::WarpSizeOp, lowerWarpSize>(table);
  add<NVVM::WarpDimOp, lowerWarpDim>(table);
  table[NVVM::LaneMaskEqOp::getOperationName()] = {lowerLaneMask<LaneMask::Eq>};
  table[NVVM::LaneMaskLeOp::getOperationName()] = {lowerLaneMask<LaneMask::Le>};
  table[NVVM::LaneMaskLtOp::getOperationName()] = {lowerLaneMask<LaneMask::Lt>};
  table[NVVM::LaneMaskGeOp::getOperationName()] = {lowerLaneMask<LaneMask::Ge>};
  table[NVVM::LaneMaskGtOp::getOperationName()] = {lowerLaneMask<LaneMask::Gt>};
}

} // namespace phobos::tohost
