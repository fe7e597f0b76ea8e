// Tiles from scalars and changes of shape: no data moves between threads, registers are renumbered.
//
// The result's layout is any whose elements each thread already has: it is carried back to the source's shape, and the
// plan from the source's layout to that must be a renumbering of registers. Layout assignment guarantees it.
#include "phobos/Conversion/Registers.h"

#include "phobos/Layout/Algebra.h"
#include "phobos/Layout/Relayout.h"

using namespace mlir;
using phobos::layout::LinearLayout;

namespace phobos::lowering {
namespace {

/// The result is the source under other register numbers. `back` is the result's layout over the source's shape.
LogicalResult renumber(Lowering &l, Operation *op, const LinearLayout &back) {
  Value source = op->getOperand(0), result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  RegisterReader reader(l, source);
  if (back.numElements() == 1) { // also of rank 0, whose layout says nothing of threads
    l.setWords(result, gatherWords(l, reader, type, SmallVector<uint32_t>(l.numWords(type) * l.pack(type), 0)));
    return success();
  }
  auto plan = layout::planRelayout(l.layoutOf(source), back, registerBits(l.scalarType(type.getElementType())));
  if (!plan || plan->kind == layout::RelayoutKind::Shuffle || plan->kind == layout::RelayoutKind::Shared) {
    return op->emitError("internal: expected a result layout whose elements every thread has, got ") << type;
  }
  l.setWords(result, gatherWords(l, reader, type, plan->registers));
  return success();
}

LogicalResult lowerSplat(Lowering &l, tile::SplatOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<Value> one(l.pack(type), l.scalar(op.getValue()));
  Value word = RegisterReader(l, one).group(llvm::to_vector(llvm::seq<uint32_t>(0, one.size())));
  l.setWords(op.getResult(), SmallVector<Value>(l.numWords(type), word));
  return success();
}

LogicalResult lowerIota(Lowering &l, tile::IotaOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Type element = l.scalarType(type.getElementType());
  auto terms = layout::coordinateTerms(l.layoutOf(type), 0);
  Value thread = l.evaluate(terms.thread);
  llvm::DenseMap<uint32_t, Value> made;
  SmallVector<Value> elements;
  for (uint32_t reg : terms.registers) {
    Value &value = made[reg];
    if (!value) {
      Value coordinate = !reg ? thread : terms.disjoint ? l.add(thread, int64_t(reg)) : l.bitXor(thread, l.i32c(reg));
      unsigned bits = element.getIntOrFloatBitWidth();
      value = bits == 32  ? coordinate
              : bits > 32 ? Value(LLVM::ZExtOp::create(l.b, l.loc, element, coordinate))
                          : Value(LLVM::TruncOp::create(l.b, l.loc, element, coordinate));
    }
    elements.push_back(value);
  }
  l.setElements(op.getResult(), elements);
  return success();
}

LogicalResult lowerExpandDims(Lowering &l, tile::ExpandDimsOp op) {
  return renumber(l, op, layout::reshape(l.layoutOf(op.getResult()), l.layoutOf(op.getSource()).shape()));
}

LogicalResult lowerReshape(Lowering &l, tile::ReshapeOp op) {
  return renumber(l, op, layout::reshape(l.layoutOf(op.getResult()), l.layoutOf(op.getSource()).shape()));
}

LogicalResult lowerBroadcast(Lowering &l, tile::BroadcastOp op) {
  auto from = cast<RankedTensorType>(op.getSource().getType());
  LinearLayout back = l.layoutOf(op.getResult());
  for (unsigned dim = 0; dim < from.getRank(); ++dim) {
    if (from.getDimSize(dim) == 1 && back.shape()[dim] > 1) {
      back = layout::expandDims(layout::slice(back, dim), dim);
    }
  }
  return renumber(l, op, back);
}

LogicalResult lowerTranspose(Lowering &l, tile::TransposeOp op) {
  SmallVector<unsigned> inverse(op.getPermutation().size());
  for (auto [i, dim] : llvm::enumerate(op.getPermutation())) {
    inverse[dim] = i;
  }
  return renumber(l, op, layout::transpose(l.layoutOf(op.getResult()), inverse));
}

LogicalResult lowerToScalar(Lowering &l, tile::ToScalarOp op) {
  l.setScalar(op.getResult(), RegisterReader(l, op.getSource()).element(0));
  return success();
}

} // namespace

void registerShape(Lowering::HandlerTable &table) {
  Lowering::add<tile::SplatOp, lowerSplat>(table);
  Lowering::add<tile::IotaOp, lowerIota>(table);
  Lowering::add<tile::ExpandDimsOp, lowerExpandDims>(table);
  Lowering::add<tile::BroadcastOp, lowerBroadcast>(table);
  Lowering::add<tile::TransposeOp, lowerTranspose>(table);
  Lowering::add<tile::ReshapeOp, lowerReshape>(table);
  Lowering::add<tile::ToScalarOp, lowerToScalar>(table);
}

} // namespace phobos::lowering
