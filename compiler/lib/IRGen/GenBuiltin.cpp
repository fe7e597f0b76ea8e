// Elementwise functions, reductions and contractions.
#include "Generator.h"

#include <limits>

using namespace mlir;

namespace phobos::irgen {

/// 1 / (1 + exp(-x)), where x is negative as exp(x) / (1 + exp(x)), so that no power overflows; of 16 bits in f32,
/// rounded once.
Value Generator::sigmoid(Location loc, Value x) {
  Type type = x.getType(), element = getElementTypeOrSelf(type);
  if (element.getIntOrFloatBitWidth() < 32) {
    Value wide = arith::ExtFOp::create(builder, loc, withElement(type, builder.getF32Type()), x);
    return arith::TruncFOp::create(builder, loc, type, sigmoid(loc, wide));
  }
  Value one = real(loc, type, 1.0), magnitude = math::AbsFOp::create(builder, loc, x);
  Value power = math::ExpOp::create(builder, loc, arith::NegFOp::create(builder, loc, magnitude));
  Value negative = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, x, real(loc, type, 0.0));
  Value above = arith::SelectOp::create(builder, loc, negative, power, one);
  return arith::DivFOp::create(builder, loc, above, arith::AddFOp::create(builder, loc, one, power));
}

Value Generator::math(const sema::Math *expr) {
  Location loc = at(expr->range);
  SmallVector<Value> operands = llvm::map_to_vector(expr->operands, [&](sema::Expr *arg) { return generate(arg); });
  Value x = operands.front();
  Type type = x.getType();
  switch (expr->op) {
  case sema::MathOp::Exp:
    return math::ExpOp::create(builder, loc, x);
  case sema::MathOp::Exp2:
    return math::Exp2Op::create(builder, loc, x);
  case sema::MathOp::Exp2Flushed:
    return math::Exp2Op::create(builder, loc, x, arith::FastMathFlags::afn);
  case sema::MathOp::Log:
    return math::LogOp::create(builder, loc, x);
  case sema::MathOp::Log2:
    return math::Log2Op::create(builder, loc, x);
  case sema::MathOp::Log1p:
    return math::Log1pOp::create(builder, loc, x);
  case sema::MathOp::Sqrt:
    return math::SqrtOp::create(builder, loc, x);
  case sema::MathOp::Rsqrt:
    return math::RsqrtOp::create(builder, loc, x);
  case sema::MathOp::Sin:
    return math::SinOp::create(builder, loc, x);
  case sema::MathOp::Cos:
    return math::CosOp::create(builder, loc, x);
  case sema::MathOp::Tan:
    return math::TanOp::create(builder, loc, x);
  case sema::MathOp::Tanh:
    return math::TanhOp::create(builder, loc, x);
  case sema::MathOp::Erf:
    return math::ErfOp::create(builder, loc, x);
  case sema::MathOp::Floor:
    return math::FloorOp::create(builder, loc, x);
  case sema::MathOp::Ceil:
    return math::CeilOp::create(builder, loc, x);
  case sema::MathOp::Round:
    return math::RoundEvenOp::create(builder, loc, x);
  case sema::MathOp::Trunc:
    return math::TruncOp::create(builder, loc, x);
  case sema::MathOp::Sigmoid:
    return sigmoid(loc, x);
  case sema::MathOp::Fma:
    return math::FmaOp::create(builder, loc, x, operands[1], operands[2]);
  case sema::MathOp::IsNan:
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, x, x);
  case sema::MathOp::IsInf: {
    Value magnitude = math::AbsFOp::create(builder, loc, x);
    Value infinity = real(loc, type, std::numeric_limits<double>::infinity());
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, magnitude, infinity);
  }
  case sema::MathOp::PopCount:
    return math::CtPopOp::create(builder, loc, x);
  case sema::MathOp::CountLeadingZeros:
    return math::CountLeadingZerosOp::create(builder, loc, x);
  case sema::MathOp::BytePermute:
    return tile::BytePermuteOp::create(builder, loc, type, x, operands[1], operands[2]);
  }
  llvm_unreachable("unknown function");
}

// --- Reductions
Value Generator::reduce(const sema::Reduce *expr) {
  Location loc = at(expr->range);
  Value value = generate(expr->operand);
  sema::Element element = expr->operand->type->element();
  if (expr->running) {
    auto scan = tile::ScanOp::create(builder, loc, value.getType(), value, expr->axes.front());
    combineBy(scan.getCombine(), loc, value, [&](ValueRange numbers) {
      return SmallVector<Value>{combine(loc, expr->op, numbers[0], numbers[1], element)};
    });
    return scan.getResult(0);
  }
  if (expr->op == sema::ReduceOp::ArgMin || expr->op == sema::ReduceOp::ArgMax) {
    value = reduceToPlace(loc, expr->op, value, expr->axes.front(), element);
  } else {
    // From the last axis, so that the numbers of those before it stay right.
    for (int64_t axis : llvm::reverse(expr->axes)) {
      value = reduceAxis(loc, expr->op, value, axis, element);
    }
  }
  Type wanted = type(expr->type);
  return expr->type->isScalar() ? Value(tile::ToScalarOp::create(builder, loc, wanted, value)) : value;
}

static Type withoutAxis(Type type, unsigned axis) {
  auto tile = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tile.getShape());
  shape.erase(shape.begin() + axis);
  return RankedTensorType::get(shape, tile.getElementType());
}

Value Generator::reduceAxis(Location loc, sema::ReduceOp op, Value source, unsigned axis, sema::Element element) {
  auto reduction = tile::ReduceOp::create(builder, loc, withoutAxis(source.getType(), axis), source, axis,
                                          builder.getArrayAttr(identity(op, element)));
  combineBy(reduction.getCombine(), loc, source,
            [&](ValueRange numbers) { return SmallVector<Value>{combine(loc, op, numbers[0], numbers[1], element)}; });
  return reduction.getResult(0);
}

void Generator::combineBy(mlir::Region &region, Location loc, ValueRange tiles,
                          llvm::function_ref<SmallVector<Value>(ValueRange numbers)> body) {
  SmallVector<Type> numbers;
  for (int side = 0; side < 2; ++side) {
    for (Value tile : tiles) {
      numbers.push_back(getElementTypeOrSelf(tile.getType()));
    }
  }
  OpBuilder::InsertionGuard guard(builder);
  mlir::Block *block = builder.createBlock(&region, {}, numbers, SmallVector<Location>(numbers.size(), loc));
  Region inside(*this, block);
  tile::YieldOp::create(builder, loc, body(block->getArguments()));
}

/// Of an axis that is padded, a second tile says which elements are there: no number is neutral to every function.
SmallVector<Value> Generator::fold(const sema::Call *call) {
  Location loc = at(call->range);
  SmallVector<Value> tiles = llvm::map_to_vector(call->args, [&](sema::Expr *arg) { return generate(arg); });
  unsigned axis = call->fold->axis, n = tiles.size();
  auto shape = cast<RankedTensorType>(tiles[0].getType()).getShape();
  bool padded = !call->fold->running && !llvm::isPowerOf2_64(shape[axis]);
  auto combined = [&](ValueRange numbers) {
    SmallVector<Value> lhs(numbers.take_front(n)), rhs(numbers.drop_front(numbers.size() / 2).take_front(n));
    SmallVector<Value> both(lhs);
    llvm::append_range(both, rhs);
    SmallVector<Value> results = inlined(call, both);
    if (padded) {
      Value left = numbers[n], right = numbers[2 * n + 1];
      for (unsigned i = 0; i < n; ++i) {
        Value one = arith::SelectOp::create(builder, loc, left, lhs[i], rhs[i]);
        Value two = arith::AndIOp::create(builder, loc, left, right);
        results[i] = arith::SelectOp::create(builder, loc, two, results[i], one);
      }
      results.push_back(arith::OrIOp::create(builder, loc, left, right));
    }
    return results;
  };
  SmallVector<Attribute> neutral;
  for (Value tile : tiles) {
    neutral.push_back(builder.getZeroAttr(getElementTypeOrSelf(tile.getType())));
  }
  if (padded) {
    tiles.push_back(integer(loc, withElement(tiles[0].getType(), builder.getI1Type()), 1));
    neutral.push_back(builder.getBoolAttr(false));
  }
  Operation *op;
  if (call->fold->running) {
    auto scan = tile::ScanOp::create(builder, loc, ValueRange(tiles).getTypes(), tiles, axis);
    combineBy(scan.getCombine(), loc, tiles, combined);
    op = scan;
  } else {
    auto types = llvm::map_to_vector(tiles, [&](Value tile) { return withoutAxis(tile.getType(), axis); });
    auto reduction = tile::ReduceOp::create(builder, loc, types, tiles, axis, builder.getArrayAttr(neutral));
    combineBy(reduction.getCombine(), loc, tiles, combined);
    op = reduction;
  }
  bool computes = true;
  op->getRegion(0).walk([&](Operation *inner) {
    auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
    bool ofTiles = llvm::any_of(inner->getOperandTypes(), isTile) || llvm::any_of(inner->getResultTypes(), isTile);
    computes &= !ofTiles && (isMemoryEffectFree(inner) || isa<LoopLikeOpInterface>(inner));
  });
  if (!computes) {
    error(call->range, "`" + call->function->name +
                           "` combines elements: it may compute with numbers, but not use tiles, " +
                           "tensors, or print")
        .note(call->function->range, "the function");
  }
  SmallVector<Value> results(op->getResults().take_front(n));
  for (auto [result, type] : llvm::zip(results, call->fold->results)) {
    if (type->isScalar()) {
      result = tile::ToScalarOp::create(builder, loc, this->type(type), result);
    }
  }
  return results;
}

TypedAttr Generator::identity(sema::ReduceOp op, sema::Element element) {
  Type scalar = elementType(element);
  switch (op) {
  case sema::ReduceOp::Sum:
  case sema::ReduceOp::Prod: {
    int one = op == sema::ReduceOp::Prod;
    return element.isFloat() ? floatAttr(scalar, one) : integerAttr(scalar, one);
  }
  case sema::ReduceOp::Any:
    return integerAttr(scalar, 0);
  case sema::ReduceOp::All:
    return integerAttr(scalar, 1);
  case sema::ReduceOp::Min:
  case sema::ReduceOp::ArgMin:
  case sema::ReduceOp::Max:
  case sema::ReduceOp::ArgMax: {
    bool greatest = op == sema::ReduceOp::Min || op == sema::ReduceOp::ArgMin;
    if (element.isFloat()) {
      double infinity = std::numeric_limits<double>::infinity();
      return floatAttr(scalar, greatest ? infinity : -infinity);
    }
    unsigned width = bits(element);
    if (element.isSigned()) {
      return integerAttr(scalar, greatest ? APInt::getSignedMaxValue(width).getSExtValue()
                                          : APInt::getSignedMinValue(width).getSExtValue());
    }
    return integerAttr(scalar, greatest ? -1 : 0);
  }
  }
  llvm_unreachable("unknown reduction");
}

Value Generator::combine(Location loc, sema::ReduceOp op, Value lhs, Value rhs, sema::Element element) {
  auto binary = [&](sema::BinaryOp binaryOp) {
    return element.isFloat() ? floatBinary(loc, binaryOp, lhs, rhs) : integerBinary(loc, binaryOp, lhs, rhs, element);
  };
  switch (op) {
  case sema::ReduceOp::Sum:
    return binary(sema::BinaryOp::Add);
  case sema::ReduceOp::Prod:
    return binary(sema::BinaryOp::Mul);
  case sema::ReduceOp::Min:
    return binary(sema::BinaryOp::Min);
  case sema::ReduceOp::Max:
    return binary(sema::BinaryOp::Max);
  case sema::ReduceOp::Any:
    return binary(sema::BinaryOp::Or);
  case sema::ReduceOp::All:
    return binary(sema::BinaryOp::And);
  case sema::ReduceOp::ArgMin:
  case sema::ReduceOp::ArgMax:
    break;
  }
  llvm_unreachable("a reduction of two operands");
}

/// Pairs of value and place: the better value wins, a NaN is better than any number, and of equals the one that comes
/// first. Whatever the order of combination, the result is NumPy's.
Value Generator::reduceToPlace(Location loc, sema::ReduceOp op, Value source, unsigned axis, sema::Element element) {
  auto from = cast<RankedTensorType>(source.getType());
  Type i32 = builder.getI32Type();
  // Places along the axis, in the source's shape.
  Value places = iota(loc, RankedTensorType::get({from.getDimSize(axis)}, i32));
  SmallVector<int64_t> shape(from.getRank(), 1);
  shape[axis] = from.getDimSize(axis);
  if (from.getRank() > 1) {
    places = tile::ReshapeOp::create(builder, loc, RankedTensorType::get(shape, i32), places);
    places = tile::BroadcastOp::create(builder, loc, withElement(from, i32), places);
  }

  Type values = withoutAxis(from, axis), indices = withElement(values, i32);
  auto reduction = tile::ReduceOp::create(
      builder, loc, {values, indices}, {source, places}, axis,
      builder.getArrayAttr({identity(op, element), integerAttr(i32, std::numeric_limits<int32_t>::max())}));
  {
    OpBuilder::InsertionGuard guard(builder);
    Type scalar = elementType(element);
    mlir::Block *body =
        builder.createBlock(&reduction.getCombine(), {}, {scalar, i32, scalar, i32}, {loc, loc, loc, loc});
    Value lhs = body->getArgument(0), lhsPlace = body->getArgument(1);
    Value rhs = body->getArgument(2), rhsPlace = body->getArgument(3);
    bool greatest = op == sema::ReduceOp::ArgMax;
    auto isBetter = [&](Value a, Value b) -> Value {
      if (!element.isFloat()) {
        return compare(loc, greatest ? sema::ComparePredicate::Gt : sema::ComparePredicate::Lt, a, b, element);
      }
      // Unordered: true also where a is NaN; where b is, a is not better.
      auto predicate = greatest ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT;
      Value beats = arith::CmpFOp::create(builder, loc, predicate, a, b);
      Value isNumber = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD, b, b);
      return arith::AndIOp::create(builder, loc, beats, isNumber);
    };
    Value lhsBetter = isBetter(lhs, rhs);
    Value rhsBetter = isBetter(rhs, lhs);
    Value rhsFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, rhsPlace, lhsPlace);
    // rhs wins if it is better, or if neither is and it comes first.
    Value tieToRhs = arith::SelectOp::create(builder, loc, lhsBetter, integer(loc, builder.getI1Type(), 0), rhsFirst);
    Value takeRhs = arith::OrIOp::create(builder, loc, rhsBetter, tieToRhs);
    Value value = arith::SelectOp::create(builder, loc, takeRhs, rhs, lhs);
    Value place = arith::SelectOp::create(builder, loc, takeRhs, rhsPlace, lhsPlace);
    tile::YieldOp::create(builder, loc, {value, place});
  }
  return arith::IndexCastOp::create(builder, loc, withElement(values, builder.getIndexType()), reduction.getResult(1));
}

// --- Contractions
Value Generator::dot(const sema::Dot *expr) {
  Location loc = at(expr->range);
  Value a = generate(expr->a);
  Value b = generate(expr->b);
  sema::Element element = expr->a->type->element();
  Type result = type(expr->type);
  // What dot.contract has no words for becomes operands that hold every value of it: u8, and two kinds of f8.
  auto widen = [&](Type to) {
    if (element.isFloat()) {
      a = convertFloat(loc, a, to);
      b = convertFloat(loc, b, to);
    } else {
      a = arith::ExtUIOp::create(builder, loc, withElement(a.getType(), to), a);
      b = arith::ExtUIOp::create(builder, loc, withElement(b.getType(), to), b);
    }
  };
  if (element == sema::Element(DType::u8)) {
    widen(builder.getI32Type());
  } else if (expr->b->type->element() != element) {
    widen(builder.getF16Type());
  }
  Value accumulator;
  if (expr->accumulator) {
    accumulator = generate(expr->accumulator);
  } else {
    accumulator = expr->type->element().isFloat() ? real(loc, result, 0.0) : integer(loc, result, 0);
  }
  // On tensor cores f32 operands are split or rounded as the kernel said; without them products are exact.
  bool says = kernel.options.tensorCore && element == sema::Element(DType::f32);
  StringAttr precision = says ? builder.getStringAttr(spelling(*kernel.options.tensorCore)) : StringAttr();
  return dot::ContractOp::create(builder, loc, a, b, accumulator, /*trans_a=*/false, expr->transposeB, precision);
}

} // namespace phobos::irgen
