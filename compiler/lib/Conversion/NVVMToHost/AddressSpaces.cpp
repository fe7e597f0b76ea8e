// Pointers: shared arrays are offsets from the CTA's arena, integers are addresses in the shared window.
//
// The arena lies in a window aligned to 4 GiB, so the low 32 bits of a host address are the device's address in shared
// memory: pointer to integer is a truncation, integer to pointer puts the window's upper half back, and a CTA of the
// cluster is reached by its rank in the bits above its arena.
#include "KernelToHost.h"

using namespace mlir;

namespace phobos::tohost {
namespace {

Value cast(KernelToHost &k, Value value, Type type) {
  return value.getType() == type ? value : Value(LLVM::AddrSpaceCastOp::create(k.b, k.loc, type, value));
}

LogicalResult lowerAddressOf(KernelToHost &k, LLVM::AddressOfOp op) {
  auto offset = k.shared.sharedOffsets.find(op.getGlobalNameAttr().getAttr());
  if (offset != k.shared.sharedOffsets.end()) {
    if (!k.thread()) {
      return k.needThread(op);
    }
    k.replace(op, cast(k, k.byteOffset(k.sharedBase(), offset->second), op.getType()));
  }
  return success();
}

/// The address in this CTA's window with these low 32 bits.
Value inWindow(KernelToHost &k, Value low, Type type) {
  if (low.getType() != k.i32()) {
    low = low.getType().getIntOrFloatBitWidth() > 32 ? Value(LLVM::TruncOp::create(k.b, k.loc, k.i32(), low))
                                                     : Value(LLVM::ZExtOp::create(k.b, k.loc, k.i32(), low));
  }
  Value base = LLVM::PtrToIntOp::create(k.b, k.loc, k.i64(), k.sharedBase());
  Value window = LLVM::AndOp::create(k.b, k.loc, base, k.i64c(-int64_t(host::kWindowBytes)));
  Value wide = LLVM::ZExtOp::create(k.b, k.loc, k.i64(), low);
  return LLVM::IntToPtrOp::create(k.b, k.loc, type, Value(LLVM::OrOp::create(k.b, k.loc, window, wide)));
}

LogicalResult lowerIntToPtr(KernelToHost &k, LLVM::IntToPtrOp op) {
  if (isShared(op.getRes())) {
    k.replace(op, inWindow(k, op.getArg(), op.getType()));
  }
  return success();
}

LogicalResult lowerPtrToInt(KernelToHost &k, LLVM::PtrToIntOp op) {
  auto type = dyn_cast<IntegerType>(op.getType());
  if (isShared(op.getArg()) && type && type.getWidth() > 32) {
    Value low = LLVM::PtrToIntOp::create(k.b, k.loc, k.i32(), op.getArg());
    k.replace(op, LLVM::ZExtOp::create(k.b, k.loc, type, low));
  }
  return success();
}

LogicalResult lowerMapa(KernelToHost &k, NVVM::MapaOp op) {
  constexpr int64_t kOffset = (int64_t(1) << host::kClusterRankShift) - 1;
  Value address = LLVM::PtrToIntOp::create(k.b, k.loc, k.i32(), op.getA());
  Value offset = LLVM::AndOp::create(k.b, k.loc, address, k.i32c(kOffset));
  Value rank = LLVM::ShlOp::create(k.b, k.loc, op.getB(), k.i32c(host::kClusterRankShift));
  k.replace(op, inWindow(k, LLVM::OrOp::create(k.b, k.loc, offset, rank), op.getType()));
  return success();
}

} // namespace

void registerAddressSpaces(HandlerTable &table) {
  addPure<LLVM::AddressOfOp, lowerAddressOf>(table);
  add<LLVM::IntToPtrOp, lowerIntToPtr>(table);
  add<LLVM::PtrToIntOp, lowerPtrToInt>(table);
  add<NVVM::MapaOp, lowerMapa>(table);
}

} // namespace phobos::tohost
