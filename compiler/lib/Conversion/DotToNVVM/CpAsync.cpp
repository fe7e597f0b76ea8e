// dot.copy_async: a slice of a view into a slot, by cp.async (PTX ISA, "Data Movement: cp.async").
//
// Each thread copies chunks of `bytes`. What must not be read is filled with zeros by a source size below the chunk's,
// never by a branch: a branch around the copies splits the loop's block and costs 3 to 7 % of a matrix product.
#include "phobos/Conversion/SharedAccess.h"
#include "phobos/Conversion/SliceAccess.h"
#include "phobos/Dialect/Dot/IR/StageLayout.h"
#include "phobos/Dialect/Tile/IR/Divisibility.h"
#include "phobos/Layout/Algebra.h"
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

/// Who copies which chunk: neighbouring threads along memory's fast dimension, a sector's worth of them where the slot
/// has the tile turned (so that the stores of a warp, a padded row apart, meet in no bank), as many as there are
/// otherwise.
layout::LinearLayout copyLayout(const layout::SharedLayout &shared, unsigned fast, unsigned chunk, unsigned warps) {
  unsigned rank = shared.rank();
  if (shared.order()[0] == fast || chunk > 1) {
    SmallVector<int32_t> perThread(rank, 1);
    perThread[fast] = chunk;
    SmallVector<unsigned> order = {fast};
    for (unsigned dim = rank; dim-- > 0;) {
      if (dim != fast) {
        order.push_back(dim);
      }
    }
    return layout::blocked(shared.shape(), perThread, order, warps);
  }
  constexpr unsigned kSectorBytes = 32;
  layout::LinearLayout shape = layout::blocked(shared.shape(), SmallVector<int32_t>(rank, 1), shared.order(), 1);
  SmallVector<uint32_t> lead, rest, across;
  for (unsigned bit = 0; bit < shape.dimBits(fast); ++bit) {
    bool inSector = (shared.elemBytes() << bit) < kSectorBytes;
    (inSector ? lead : rest).push_back(1u << (shape.dimShift(fast) + bit));
  }
  for (unsigned dim : shared.order()) {
    for (unsigned bit = 0; dim != fast && bit < shape.dimBits(dim); ++bit) {
      across.push_back(1u << (shape.dimShift(dim) + bit));
    }
  }
  SmallVector<uint32_t> all = lead;
  llvm::append_range(all, across);
  llvm::append_range(all, rest);
  unsigned laneBits = 5, warpBits = llvm::Log2_32(warps);
  SmallVector<uint32_t> registers;
  if (all.size() > laneBits + warpBits) {
    registers.assign(all.begin() + laneBits + warpBits, all.end());
  }
  all.resize(laneBits + warpBits, 0);
  return layout::LinearLayout::fromFlat(shared.shape(), registers, ArrayRef(all).take_front(laneBits),
                                        ArrayRef(all).drop_front(laneBits));
}

LogicalResult lowerCopyAsync(Lowering &l, dot::CopyAsyncOp op) {
  dot::StageType stage = op.getStage().getType();
  tile::ViewType viewType = op.getView().getType();
  const View &view = l.view(op.getView());
  layout::SharedLayout shared = dot::sharedLayoutOf(stage);
  unsigned bytes = op.getBytes(), elementBytes = stage.elementBits() / 8, chunk = bytes / elementBytes;
  auto unit = tile::unitDim(viewType);

  unsigned fast = stage.getOrder()[0];
  for (unsigned dim = 0; dim < stage.getShape().size(); ++dim) {
    fast = op.getViewDim(dim) == unit ? dim : fast;
  }
  layout::LinearLayout layout = copyLayout(shared, fast, chunk, l.kernel.getNumWarps());
  layout::LinearLayout inView = layout;
  SmallVector<int64_t> extents = op.getSliceExtents();
  for (unsigned dim = 0; dim < viewType.getRank(); ++dim) {
    if (op.getDims() && !llvm::is_contained(*op.getDims(), dim)) {
      inView = layout::expandDims(inView, dim);
    }
  }
  auto whole = [&](unsigned dim) { return op.isWhole(dim); };
  SliceAccess source(l, {op.getView(), op.getOffsets(), extents, whole}, inView);
  SharedAccess target(l, slotOffset(l, op.getStage(), op.getSlot()), layout, shared);

  std::optional<unsigned> ragged;
  if (unsigned dim = op.getViewDim(fast);
      chunk > 1 && !op.isWhole(dim) &&
      tile::maskGranule(l.kernel, op.getView(), dim, op.getOffsets()[dim], false, extents[dim]) < chunk) {
    ragged = dim;
  }
  Value valid = op.getValid() ? l.scalar(op.getValid()) : Value();
  auto mode = bytes == 16 ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;

  // Of threads with the same chunk one copies; a tile large enough to be worth speed has none.
  uint32_t replicas = layout.freeVariableMasks().reg;
  SmallVector<unsigned> chunks;
  for (unsigned reg = 0; reg < layout.numRegisters(); reg += chunk) {
    if (!(reg & replicas)) {
      chunks.push_back(reg);
    }
  }
  ArrayRef<unsigned> share = chunks;
  if (op.getShare()) {
    size_t i = (*op.getShare())[0], n = (*op.getShare())[1], begin = chunks.size() * i / n;
    share = share.slice(begin, chunks.size() * (i + 1) / n - begin);
  }
  l.guarded(l.isWriter(layout), [&] {
    for (unsigned reg : share) {
      Value size = sourceBytes(l, source, view, reg, ragged, bytes, valid);
      NVVM::CpAsyncOp::create(l.b, l.loc, target.pointer(reg), source.pointer(reg), bytes, mode, size);
    }
  });
  return success();
}

} // namespace

void registerCpAsync(Lowering::HandlerTable &table) { Lowering::add<dot::CopyAsyncOp, lowerCopyAsync>(table); }

} // namespace phobos::lowering
