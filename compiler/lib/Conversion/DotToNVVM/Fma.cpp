// dot.fma: products of register tiles by scalar multiply-adds, and the rounding of f32 to tf32.
//
// The order of the multiply-adds matters: ptxas keeps most of it, and an operand that stays from one to the next is
// read from the reuse cache. The inner walk goes along the shorter side of the thread's tile, back and forth (8 % over
// rows in order).
#include "phobos/Conversion/Lowering.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

/// Operands in the accumulator's type: exact.
SmallVector<Value> widened(Lowering &l, Value tile, Type to) {
  SmallVector<Value> elements = l.elements(tile);
  for (Value &x : elements) {
    Type from = x.getType();
    if (from == to) {
      continue;
    }
    x = isa<FloatType>(to) ? Value(LLVM::FPExtOp::create(l.b, l.loc, to, x))
                           : Value(LLVM::SExtOp::create(l.b, l.loc, to, x));
  }
  return elements;
}

Value multiplyAdd(Lowering &l, Value x, Value y, Value sum) {
  if (isa<FloatType>(sum.getType())) {
    return LLVM::FMAOp::create(l.b, l.loc, x, y, sum);
  }
  return l.add(l.mul(x, y), sum);
}

LogicalResult lowerFma(Lowering &l, dot::FmaOp op) {
  auto accType = cast<RankedTensorType>(op.getAcc().getType());
  auto aType = cast<RankedTensorType>(op.getA().getType());
  Type element = accType.getElementType();
  SmallVector<Value> a = widened(l, op.getA(), element), b = widened(l, op.getB(), element);
  SmallVector<Value> acc = l.elements(op.getAcc());
  unsigned steps = layout::nextPowerOf2(aType.getShape()[1]);
  unsigned rows = a.size() / steps, columns = b.size() / steps;
  assert(acc.size() == rows * columns && "operand and accumulator layouts agree");

  bool byColumns = rows <= columns;
  unsigned outer = byColumns ? columns : rows, inner = byColumns ? rows : columns;
  for (unsigned step = 0; step < steps; ++step) {
    for (unsigned i = 0; i < outer; ++i) {
      for (unsigned n = 0; n < inner; ++n) {
        unsigned j = i % 2 ? inner - 1 - n : n;
        unsigned row = byColumns ? j : i, column = byColumns ? i : j;
        Value &sum = acc[row * columns + column];
        sum = multiplyAdd(l, a[step * rows + row], b[step * columns + column], sum);
      }
    }
  }
  l.setElements(op.getResult(), acc);
  return success();
}

/// Rounded to tf32, as f32 bits again.
Value roundTf32(Lowering &l, Value x) {
  Value bits = NVVM::ConvertFloatToTF32Op::create(l.b, l.loc, l.i32(), x, NVVM::FPRoundingMode::RNA);
  return l.bitcast(x.getType(), bits);
}

LogicalResult lowerRoundTf32(Lowering &l, dot::RoundTf32Op op) {
  SmallVector<Value> elements = l.elements(op.getSource());
  for (Value &x : elements) {
    x = roundTf32(l, x);
  }
  l.setElements(op.getResult(), elements);
  return success();
}

LogicalResult lowerSplitTf32(Lowering &l, dot::SplitTf32Op op) {
  SmallVector<Value> big, small;
  for (Value x : l.elements(op.getSource())) {
    big.push_back(roundTf32(l, x));
    small.push_back(roundTf32(l, LLVM::FSubOp::create(l.b, l.loc, x, big.back())));
  }
  l.setElements(op.getBig(), big);
  l.setElements(op.getSmall(), small);
  return success();
}

} // namespace

void registerFma(Lowering::HandlerTable &table) {
  Lowering::add<dot::FmaOp, lowerFma>(table);
  Lowering::add<dot::RoundTf32Op, lowerRoundTf32>(table);
  Lowering::add<dot::SplitTf32Op, lowerSplitTf32>(table);
}

} // namespace phobos::lowering
