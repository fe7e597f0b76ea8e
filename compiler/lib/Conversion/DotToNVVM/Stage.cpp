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

LogicalResult lowerPut(Lowering &l, dot::PutOp op) {
  auto type = cast<RankedTensorType>(op.getValue().getType());
  const layout::LinearLayout &layout = l.layoutOf(type);
  layout::SharedLayout shared = dot::sharedLayoutOf(op.getStage().getType());
  SharedAccess access(l, slotOffset(l, op.getStage(), op.getSlot()), layout, shared);
  unsigned elementBytes = tile::elementBits(type.getElementType()) / 8, pack = l.pack(type);
  unsigned bytes = layout::vectorBytes(layout, shared);
  uint32_t replicas = layout.freeVariableMasks().reg;

  if (bytes >= pack * elementBytes) { // whole words
    ArrayRef<Value> words = l.words(op.getValue());
    Type wordType = l.wordType(type);
    bool small = elementBytes * pack < 4;
    unsigned n = small ? 1 : bytes / (pack * elementBytes);
    Type memory = pack > 1 ? l.i32() : wordType;
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
      LLVM::StoreOp::create(l.b, l.loc, x, access.pointer(w * pack), n * pack * elementBytes);
    }
    return success();
  }
  SmallVector<Value> elements = l.elements(op.getValue());
  for (unsigned reg = 0; reg < elements.size(); ++reg) {
    if (!(reg & replicas)) {
      LLVM::StoreOp::create(l.b, l.loc, elements[reg], access.pointer(reg), elementBytes);
    }
  }
  return success();
}

} // namespace

void registerStage(Lowering::HandlerTable &table) {
  Lowering::add<dot::AllocOp, lowerAlloc>(table);
  Lowering::add<dot::CommitOp, lowerCommit>(table);
  Lowering::add<dot::WaitOp, lowerWait>(table);
  Lowering::add<dot::BarrierOp, lowerBarrier>(table);
  Lowering::add<dot::PutOp, lowerPut>(table);
}

} // namespace phobos::lowering
