// dot.copy_async: a slice of a view into a slot, by cp.async (PTX ISA, "Data Movement: cp.async").
//
// Each thread copies chunks of `bytes`. What must not be read is filled with zeros by a source size below the chunk's, never by a
// branch: a branch around the copies splits the loop's block and costs 3 to 7 % of a matrix product.
#include "phobos/Conversion/SharedAccess.h"
#include "phobos/Conversion/SliceAccess.h"
#include "phobos/Dialect/Dot/IR/StageLayout.h"
#include "phobos/Dialect/Tile/IR/Divisibility.h"
#include "phobos/Layout/Constructors.h"

using namespace mlir;
using phobos::layout::In;

namespace phobos::lowering {
namespace {

/// Source bytes of a chunk: all of it, or what is left of the row inside the view, or none.
Value sourceBytes(Lowering &l, SliceAccess &access, const View &view, unsigned reg, std::optional<unsigned> ragged,
                  unsigned bytes, Value valid) {
  Value inside = l.logicalAnd(valid, access.predicate(reg, ragged));
  if (!ragged) {
    return inside ? l.select(inside, l.i32c(bytes), l.i32c(0)) : Value();
  }
  // The chunk may straddle the end of its row: clamp(extent - position, 0, chunk) elements.
  unsigned elementBytes = tile::elementBits(view.type.getElementType()) / 8;
  Value left = l.sub(view.extents[*ragged], access.position(reg, *ragged));
  Value most = l.constant(left.getType(), bytes / elementBytes);
  left = LLVM::SMinOp::create(l.b, l.loc, left, most);
  left = LLVM::SMaxOp::create(l.b, l.loc, left, l.constant(left.getType(), 0));
  // A row that begins before the view has no first elements to give: nothing of such a chunk is read.
  Value begins = l.icmp(LLVM::ICmpPredicate::sge, access.position(reg, *ragged), l.constant(left.getType(), 0));
  inside = l.logicalAnd(inside, begins);
  return l.select(inside, l.toI32(l.mul(left, int64_t(elementBytes))), l.i32c(0));
}

LogicalResult lowerCopyAsync(Lowering &l, dot::CopyAsyncOp op) {
  dot::StageType stage = op.getStage().getType();
  tile::ViewType viewType = op.getView().getType();
  const View &view = l.view(op.getView());
  layout::SharedLayout shared = dot::sharedLayoutOf(stage);
  unsigned bytes = op.getBytes(), elementBytes = stage.elementBits() / 8, chunk = bytes / elementBytes;
  auto unit = tile::unitDim(viewType);

  // Chunks run along the view's unit dimension, so that neighbouring threads read neighbouring memory.
  unsigned rank = shared.rank(), fast = unit ? *unit : stage.getOrder()[0];
  SmallVector<int32_t> perThread(rank, 1);
  perThread[fast] = chunk;
  SmallVector<unsigned> order = {fast};
  for (unsigned dim = rank; dim-- > 0;) {
    if (dim != fast) {
      order.push_back(dim);
    }
  }
  layout::LinearLayout layout = layout::blocked(shared.shape(), perThread, order, l.kernel.getNumWarps());
  SmallVector<int64_t> extents(op.getExtents() ? llvm::to_vector(*op.getExtents()) : llvm::to_vector(stage.getShape()));
  auto whole = [&](unsigned dim) { return op.isWhole(dim); };
  SliceAccess source(l, {op.getView(), op.getOffsets(), extents, whole}, layout);
  SharedAccess target(l, slotOffset(l, op.getStage(), op.getSlot()), layout, shared);

  std::optional<unsigned> ragged;
  if (chunk > 1 && !op.isWhole(fast) &&
      tile::maskGranule(l.kernel, op.getView(), fast, op.getOffsets()[fast], false) < chunk) {
    ragged = fast;
  }
  Value valid = op.getValid() ? l.scalar(op.getValid()) : Value();
  auto mode = bytes == 16 ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;

  // Threads that hold the same chunk as another copy it again into the same place: harmless, and no branch. Registers that do are left out.
  uint32_t replicas = layout.freeVariableMasks().reg;
  for (unsigned reg = 0; reg < layout.numRegisters(); reg += chunk) {
    if (reg & replicas) {
      continue;
    }
    Value from = source.pointer(reg);
    Value size = sourceBytes(l, source, view, reg, ragged, bytes, valid);
    if (size && (!op.getValid() || ragged || source.predicate(reg))) {
      // An address far outside the view is not formed: the base stands in where nothing is read.
      from = l.select(l.icmp(LLVM::ICmpPredicate::ne, size, l.i32c(0)), from, view.base);
    }
    NVVM::CpAsyncOp::create(l.b, l.loc, target.pointer(reg), from, bytes, mode, size);
  }
  return success();
}

} // namespace

void registerCpAsync(Lowering::HandlerTable &table) { Lowering::add<dot::CopyAsyncOp, lowerCopyAsync>(table); }

} // namespace phobos::lowering
