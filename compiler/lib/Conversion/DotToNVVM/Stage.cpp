// Buffers, waits, barriers, and tiles stored from registers.
#include "phobos/Conversion/SharedAccess.h"
#include "phobos/Dialect/Dot/IR/StageLayout.h"
#include "phobos/Layout/Swizzle.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

LogicalResult lowerAlloc(Lowering &l, dot::AllocOp op) {
  if (!op.getOffset()) {
    return op.emitError("internal: shared memory was not allocated before lowering");
  }
  l.setScalar(op.getStage(), l.i32c(*op.getOffset()));
  return success();
}

LogicalResult lowerCommit(Lowering &l, dot::CommitOp) {
  NVVM::CpAsyncCommitGroupOp::create(l.b, l.loc);
  return success();
}

LogicalResult lowerWait(Lowering &l, dot::WaitOp op) {
  NVVM::CpAsyncWaitGroupOp::create(l.b, l.loc, op.getPending());
  return success();
}

LogicalResult lowerBarrier(Lowering &l, dot::BarrierOp) {
  l.ctaBarrier();
  return success();
}

LogicalResult lowerClusterBarrier(Lowering &l, dot::ClusterBarrierOp) {
  NVVM::ClusterArriveOp::create(l.b, l.loc, l.b.getUnitAttr());
  NVVM::ClusterWaitOp::create(l.b, l.loc, l.b.getUnitAttr());
  return success();
}

/// The tile's words, with zeros where its layout is wider than the tile.
SmallVector<Value> paddingZeroed(Lowering &l, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  const layout::LinearLayout &layout = l.layoutOf(type);
  if (llvm::equal(layout.shape(), type.getShape())) {
    return SmallVector<Value>(l.words(tile));
  }
  SmallVector<Value> elements = l.elements(tile);
  Value zero = LLVM::ZeroOp::create(l.b, l.loc, l.scalarType(type.getElementType()));
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    if (layout.shape()[dim] == type.getShape()[dim]) {
      continue;
    }
    auto terms = layout::coordinateTerms(layout, dim);
    Value thread = l.evaluate(terms.thread);
    for (auto [reg, element] : llvm::enumerate(elements)) {
      Value coordinate = l.bitXor(thread, l.i32c(terms.registers[reg]));
      Value inside = l.icmp(LLVM::ICmpPredicate::ult, coordinate, l.i32c(type.getShape()[dim]));
      element = l.select(inside, element, zero);
    }
  }
  return l.packElements(type, elements);
}

/// Stores packed words, as wide as the slot allows.
void putWords(Lowering &l, SharedAccess &access, RankedTensorType type, ArrayRef<Value> words, unsigned bytes,
              uint32_t replicas) {
  unsigned pack = l.pack(type), wordBytes = pack * tile::elementBits(type.getElementType()) / 8;
  Type memory = pack > 1 ? l.i32() : l.wordType(type);
  unsigned n = wordBytes < 4 ? 1 : bytes / wordBytes;
  for (unsigned w = 0; w < words.size(); w += n) {
    if ((w * pack) & replicas) {
      continue;
    }
    Value x = l.bitcast(memory, words[w]);
    if (n > 1) {
      Value vector = LLVM::UndefOp::create(l.b, l.loc, VectorType::get(n, memory));
      for (unsigned i = 0; i < n; ++i) {
        vector = LLVM::InsertElementOp::create(l.b, l.loc, vector, l.bitcast(memory, words[w + i]), l.i32c(i));
      }
      x = vector;
    }
    LLVM::StoreOp::create(l.b, l.loc, x, access.pointer(w * pack), n * wordBytes);
  }
}

LogicalResult lowerPut(Lowering &l, dot::PutOp op) {
  auto type = cast<RankedTensorType>(op.getValue().getType());
  layout::SharedLayout shared = dot::sharedLayoutOf(op.getStage().getType());
  const layout::LinearLayout &own = l.layoutOf(type);
  layout::LinearLayout layout(shared.shape(), own.bases(layout::In::Register), own.bases(layout::In::Lane),
                              own.bases(layout::In::Warp));
  SmallVector<Value> words = paddingZeroed(l, op.getValue());
  SharedAccess access(l, slotOffset(l, op.getStage(), op.getSlot()), layout, shared);
  unsigned elementBytes = tile::elementBits(type.getElementType()) / 8;
  unsigned bytes = layout::vectorBytes(layout, shared);
  uint32_t replicas = layout.freeVariableMasks().reg;

  l.guarded(l.isWriter(layout), [&] {
    if (bytes >= l.pack(type) * elementBytes) {
      return putWords(l, access, type, words, bytes, replicas);
    }
    for (auto [reg, element] : llvm::enumerate(l.unpackWords(type, words))) {
      if (!(reg & replicas)) {
        LLVM::StoreOp::create(l.b, l.loc, element, access.pointer(reg), elementBytes);
      }
    }
  });
  return success();
}

} // namespace

void registerStage(Lowering::HandlerTable &table) {
  Lowering::add<dot::AllocOp, lowerAlloc>(table);
  Lowering::add<dot::CommitOp, lowerCommit>(table);
  Lowering::add<dot::WaitOp, lowerWait>(table);
  Lowering::add<dot::BarrierOp, lowerBarrier>(table);
  Lowering::add<dot::ClusterBarrierOp, lowerClusterBarrier>(table);
  Lowering::add<dot::PutOp, lowerPut>(table);
}

} // namespace phobos::lowering
