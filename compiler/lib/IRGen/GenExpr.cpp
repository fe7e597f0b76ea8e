// Expressions. Operands already agree in type, so an operator is one op, or the few that spell Python's meaning of it.
#include "Generator.h"

using namespace mlir;

namespace phobos::irgen {

Value Generator::generate(const sema::Expr *expr) {
  Location loc = at(expr->range);
  switch (expr->kind) {
  case sema::Expr::Kind::Constant:
    return constant(loc, type(expr->type), *cast<sema::Constant>(expr));
  case sema::Expr::Kind::Read:
    return valueOf(cast<sema::Read>(expr)->variable);
  case sema::Expr::Kind::Parameter:
    return parameters[cast<sema::Parameter>(expr)->index];
  case sema::Expr::Kind::Extent: {
    auto [view, axis] = dimSources[cast<sema::Extent>(expr)->dim];
    return tile::ExtentOp::create(builder, loc, view, axis);
  }
  case sema::Expr::Kind::Stride: {
    auto *stride = cast<sema::Stride>(expr);
    return tile::StrideOp::create(builder, loc, parameters[stride->tensor], stride->axis);
  }
  case sema::Expr::Kind::BlockId:
    return tile::BlockIdOp::create(builder, loc, static_cast<tile::Axis>(cast<sema::BlockId>(expr)->axis));
  case sema::Expr::Kind::GridSize:
    return tile::GridDimOp::create(builder, loc, static_cast<tile::Axis>(cast<sema::GridSize>(expr)->axis));
  case sema::Expr::Kind::Load:
    return load(cast<sema::Load>(expr));
  case sema::Expr::Kind::Atomic:
    return atomic(cast<sema::Atomic>(expr));
  case sema::Expr::Kind::Unary:
    return unary(cast<sema::Unary>(expr));
  case sema::Expr::Kind::Binary:
    return binary(cast<sema::Binary>(expr));
  case sema::Expr::Kind::Compare: {
    auto *comparison = cast<sema::Compare>(expr);
    Value lhs = generate(comparison->lhs);
    Value rhs = generate(comparison->rhs);
    return compare(loc, comparison->predicate, lhs, rhs, comparison->lhs->type->element());
  }
  case sema::Expr::Kind::Logical:
    return logical(cast<sema::Logical>(expr));
  case sema::Expr::Kind::Conditional:
    return conditional(cast<sema::Conditional>(expr));
  case sema::Expr::Kind::Select: {
    auto *select = cast<sema::Select>(expr);
    Value condition = generate(select->condition);
    Value thenValue = generate(select->thenValue);
    Value elseValue = generate(select->elseValue);
    return arith::SelectOp::create(builder, loc, condition, thenValue, elseValue);
  }
  case sema::Expr::Kind::Convert: {
    const sema::Expr *operand = cast<sema::Convert>(expr)->operand;
    return convert(loc, generate(operand), operand->type->element(), expr->type->element());
  }
  case sema::Expr::Kind::Bitcast: {
    const sema::Expr *operand = cast<sema::Bitcast>(expr)->operand;
    return bitcast(loc, generate(operand), operand->type->element(), expr->type->element());
  }
  case sema::Expr::Kind::Broadcast:
    return broadcast(cast<sema::Broadcast>(expr));
  case sema::Expr::Kind::Reshape:
    return reshape(cast<sema::Reshape>(expr));
  case sema::Expr::Kind::Transpose:
    return transpose(cast<sema::Transpose>(expr));
  case sema::Expr::Kind::Part:
    return part(cast<sema::Part>(expr));
  case sema::Expr::Kind::Iota:
    return iota(loc, cast<RankedTensorType>(type(expr->type)));
  case sema::Expr::Kind::Math:
    return math(cast<sema::Math>(expr));
  case sema::Expr::Kind::Libdevice: {
    auto *function = cast<sema::Libdevice>(expr);
    SmallVector<Value> operands = llvm::map_to_vector(function->operands, [&](sema::Expr *x) { return generate(x); });
    return tile::LibdeviceOp::create(builder, at(expr->range), type(expr->type), function->name, operands);
  }
  case sema::Expr::Kind::Ptx: {
    auto *ptx = cast<sema::Ptx>(expr);
    SmallVector<Value> operands = llvm::map_to_vector(ptx->operands, [&](sema::Expr *x) { return generate(x); });
    return tile::PtxOp::create(builder, at(expr->range), type(expr->type), ptx->text, operands);
  }
  case sema::Expr::Kind::Random:
    return random(cast<sema::Random>(expr));
  case sema::Expr::Kind::Reduce:
    return reduce(cast<sema::Reduce>(expr));
  case sema::Expr::Kind::Dot:
    return dot(cast<sema::Dot>(expr));
  case sema::Expr::Kind::Call:
    return call(cast<sema::Call>(expr)).front();
  }
  llvm_unreachable("unknown expression");
}

// --- Operators
Value Generator::unary(const sema::Unary *expr) {
  Location loc = at(expr->range);
  Value operand = generate(expr->operand);
  sema::Element element = expr->type->element();
  switch (expr->op) {
  case sema::UnaryOp::Negate:
    if (element.isFloat()) {
      return arith::NegFOp::create(builder, loc, operand);
    }
    return arith::SubIOp::create(builder, loc, integer(loc, operand.getType(), 0), operand);
  case sema::UnaryOp::Invert:
    return arith::XOrIOp::create(builder, loc, operand, integer(loc, operand.getType(), -1));
  case sema::UnaryOp::Abs:
    if (element.isFloat()) {
      return math::AbsFOp::create(builder, loc, operand);
    }
    return element.isSigned() ? Value(math::AbsIOp::create(builder, loc, operand)) : operand;
  }
  llvm_unreachable("unknown unary operator");
}

Value Generator::binary(const sema::Binary *expr) {
  Value lhs = generate(expr->lhs);
  Value rhs = generate(expr->rhs);
  sema::Element element = expr->type->element();
  if (element.isFloat()) {
    return floatBinary(at(expr->range), expr->op, lhs, rhs);
  }
  return integerBinary(at(expr->range), expr->op, lhs, rhs, element);
}

Value Generator::floatBinary(Location loc, sema::BinaryOp op, Value lhs, Value rhs) {
  switch (op) {
  case sema::BinaryOp::Add:
    return arith::AddFOp::create(builder, loc, lhs, rhs);
  case sema::BinaryOp::Sub:
    return arith::SubFOp::create(builder, loc, lhs, rhs);
  case sema::BinaryOp::Mul:
    return arith::MulFOp::create(builder, loc, lhs, rhs);
  case sema::BinaryOp::Div:
    return arith::DivFOp::create(builder, loc, lhs, rhs);
  case sema::BinaryOp::FloorDiv: {
    // Its steps in f32 where the numbers are narrower: each would round to their few bits.
    Type element = getElementTypeOrSelf(lhs.getType());
    Type wide = element.getIntOrFloatBitWidth() < 32 ? Type(builder.getF32Type()) : element;
    Value quotient = floorDivide(loc, convertFloat(loc, lhs, wide), convertFloat(loc, rhs, wide));
    return convertFloat(loc, quotient, element);
  }
  case sema::BinaryOp::Mod:
    return floorRemainder(loc, lhs, rhs);
  case sema::BinaryOp::Pow:
    return math::PowFOp::create(builder, loc, lhs, rhs);
  case sema::BinaryOp::Min:
    return arith::MinimumFOp::create(builder, loc, lhs, rhs);
  case sema::BinaryOp::Max:
    return arith::MaximumFOp::create(builder, loc, lhs, rhs);
  default:
    llvm_unreachable("not an operator of floats");
  }
}

Value Generator::integerBinary(Location loc, sema::BinaryOp op, Value lhs, Value rhs, sema::Element element) {
  bool isSigned = element.isSigned();
  switch (op) {
  case sema::BinaryOp::Add:
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  case sema::BinaryOp::Sub:
    return arith::SubIOp::create(builder, loc, lhs, rhs);
  case sema::BinaryOp::Mul:
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  case sema::BinaryOp::FloorDiv:
    if (isSigned) {
      return arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
    }
    return arith::DivUIOp::create(builder, loc, lhs, rhs);
  case sema::BinaryOp::Mod:
    return isSigned ? floorRemainder(loc, lhs, rhs) : Value(arith::RemUIOp::create(builder, loc, lhs, rhs));
  case sema::BinaryOp::Min:
    return isSigned ? Value(arith::MinSIOp::create(builder, loc, lhs, rhs))
                    : Value(arith::MinUIOp::create(builder, loc, lhs, rhs));
  case sema::BinaryOp::Max:
    return isSigned ? Value(arith::MaxSIOp::create(builder, loc, lhs, rhs))
                    : Value(arith::MaxUIOp::create(builder, loc, lhs, rhs));
  case sema::BinaryOp::And:
    return arith::AndIOp::create(builder, loc, lhs, rhs);
  case sema::BinaryOp::Or:
    return arith::OrIOp::create(builder, loc, lhs, rhs);
  case sema::BinaryOp::Xor:
    return arith::XOrIOp::create(builder, loc, lhs, rhs);
  case sema::BinaryOp::Shl:
  case sema::BinaryOp::Shr:
    return shift(loc, op, lhs, rhs, element);
  case sema::BinaryOp::Div:
  case sema::BinaryOp::Pow:
    break;
  }
  llvm_unreachable("not an operator of integers");
}

/// Of floats, as NumPy's: from the remainder, so that the quotient is exact, and rounded, so that it is whole.
Value Generator::floorDivide(Location loc, Value lhs, Value rhs) {
  Type type = lhs.getType();
  Value zero = real(loc, type, 0.0);
  Value rest = arith::RemFOp::create(builder, loc, lhs, rhs);
  Value restNegative = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, rest, zero);
  Value divisorNegative = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, rhs, zero);
  Value signsDiffer = arith::XOrIOp::create(builder, loc, restNegative, divisorNegative);
  Value hasRest = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, rest, zero);
  Value oneLess = arith::AndIOp::create(builder, loc, hasRest, signsDiffer);
  Value whole = arith::SubFOp::create(builder, loc, lhs, rest);
  Value quotient = arith::DivFOp::create(builder, loc, whole, rhs);
  Value less = arith::SubFOp::create(builder, loc, quotient, real(loc, type, 1.0));
  quotient = arith::SelectOp::create(builder, loc, oneLess, less, quotient);
  quotient = math::RoundEvenOp::create(builder, loc, quotient);
  Value byZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, rhs, zero);
  Value infinite = arith::DivFOp::create(builder, loc, lhs, rhs);
  return arith::SelectOp::create(builder, loc, byZero, infinite, quotient);
}

/// The remainder that has the divisor's sign; of floats or signed integers.
Value Generator::floorRemainder(Location loc, Value lhs, Value rhs) {
  Type type = lhs.getType();
  if (isa<FloatType>(getElementTypeOrSelf(type))) {
    Value zero = real(loc, type, 0.0);
    Value rest = arith::RemFOp::create(builder, loc, lhs, rhs);
    Value restNegative = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, rest, zero);
    Value divisorNegative = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, rhs, zero);
    Value signsDiffer = arith::XOrIOp::create(builder, loc, restNegative, divisorNegative);
    Value hasRest = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, rest, zero);
    Value wrong = arith::AndIOp::create(builder, loc, hasRest, signsDiffer);
    Value moved = arith::AddFOp::create(builder, loc, rest, rhs);
    return arith::SelectOp::create(builder, loc, wrong, moved, rest);
  }
  Value zero = integer(loc, type, 0);
  Value rest = arith::RemSIOp::create(builder, loc, lhs, rhs);
  Value signs = arith::XOrIOp::create(builder, loc, rest, rhs);
  Value signsDiffer = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, signs, zero);
  Value hasRest = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, rest, zero);
  Value wrong = arith::AndIOp::create(builder, loc, hasRest, signsDiffer);
  Value moved = arith::AddIOp::create(builder, loc, rest, rhs);
  return arith::SelectOp::create(builder, loc, wrong, moved, rest);
}

/// A shift by the width or more leaves only the sign, as in Python; arith's would be poison. An amount below zero
/// counts as a large one.
Value Generator::shift(Location loc, sema::BinaryOp op, Value lhs, Value rhs, sema::Element element) {
  Type type = lhs.getType();
  Value last = integer(loc, type, bits(element) - 1);
  if (op == sema::BinaryOp::Shr && element.isSigned()) {
    return arith::ShRSIOp::create(builder, loc, lhs, arith::MinUIOp::create(builder, loc, rhs, last));
  }
  Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, rhs, last);
  Value shifted = op == sema::BinaryOp::Shl ? Value(arith::ShLIOp::create(builder, loc, lhs, rhs))
                                            : Value(arith::ShRUIOp::create(builder, loc, lhs, rhs));
  return arith::SelectOp::create(builder, loc, inside, shifted, integer(loc, type, 0));
}

Value Generator::compare(Location loc, sema::ComparePredicate predicate, Value lhs, Value rhs, sema::Element element) {
  struct Row {
    arith::CmpFPredicate real;
    arith::CmpIPredicate isSigned, isUnsigned;
  };
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  static constexpr Row rows[] = {
      {F::OEQ, I::eq, I::eq},   {F::UNE, I::ne, I::ne},   {F::OLT, I::slt, I::ult},
      {F::OLE, I::sle, I::ule}, {F::OGT, I::sgt, I::ugt}, {F::OGE, I::sge, I::uge},
  };
  const Row &row = rows[static_cast<unsigned>(predicate)];
  if (element.isFloat()) {
    return arith::CmpFOp::create(builder, loc, row.real, lhs, rhs);
  }
  return arith::CmpIOp::create(builder, loc, element.isSigned() ? row.isSigned : row.isUnsigned, lhs, rhs);
}

// --- Evaluated or not
/// Can a scalar be computed whether or not it is wanted? Then no branch is needed. (A quotient cannot: the divisor may
/// be zero for the very reason that the condition excludes.)
static bool isFreeOfEffects(const sema::Expr *expr) {
  if (!expr->type || expr->type->isTile()) {
    return false;
  }
  switch (expr->kind) {
  case sema::Expr::Kind::Constant:
  case sema::Expr::Kind::Read:
  case sema::Expr::Kind::Parameter:
  case sema::Expr::Kind::Extent:
  case sema::Expr::Kind::Stride:
  case sema::Expr::Kind::BlockId:
  case sema::Expr::Kind::GridSize:
    return true;
  case sema::Expr::Kind::Unary:
    return isFreeOfEffects(cast<sema::Unary>(expr)->operand);
  case sema::Expr::Kind::Convert:
    return isFreeOfEffects(cast<sema::Convert>(expr)->operand);
  case sema::Expr::Kind::Binary: {
    auto *binary = cast<sema::Binary>(expr);
    bool divides = binary->op == sema::BinaryOp::FloorDiv || binary->op == sema::BinaryOp::Mod;
    return !divides && isFreeOfEffects(binary->lhs) && isFreeOfEffects(binary->rhs);
  }
  case sema::Expr::Kind::Compare: {
    auto *compare = cast<sema::Compare>(expr);
    return isFreeOfEffects(compare->lhs) && isFreeOfEffects(compare->rhs);
  }
  case sema::Expr::Kind::Logical: {
    auto *logical = cast<sema::Logical>(expr);
    return isFreeOfEffects(logical->lhs) && isFreeOfEffects(logical->rhs);
  }
  default:
    return false;
  }
}

Value Generator::either(Location loc, Value condition, Type type, Thunk thenValue, Thunk elseValue) {
  auto op = scf::IfOp::create(builder, loc, type, condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  auto arm = [&](mlir::Block *block, Thunk value) {
    Region region(*this, block);
    Value result = value();
    scf::YieldOp::create(builder, loc, result);
  };
  arm(op.thenBlock(), thenValue);
  arm(op.elseBlock(), elseValue);
  return op.getResult(0);
}

Value Generator::logical(const sema::Logical *expr) {
  Location loc = at(expr->range);
  Value lhs = generate(expr->lhs);
  if (isFreeOfEffects(expr->rhs)) {
    Value rhs = generate(expr->rhs);
    return expr->isAnd ? Value(arith::AndIOp::create(builder, loc, lhs, rhs))
                       : Value(arith::OrIOp::create(builder, loc, lhs, rhs));
  }
  auto decided = [&] { return integer(loc, lhs.getType(), !expr->isAnd); };
  auto rhs = [&] { return generate(expr->rhs); };
  return expr->isAnd ? either(loc, lhs, lhs.getType(), rhs, decided) : either(loc, lhs, lhs.getType(), decided, rhs);
}

Value Generator::conditional(const sema::Conditional *expr) {
  Location loc = at(expr->range);
  Value condition = generate(expr->condition);
  if (isFreeOfEffects(expr->thenValue) && isFreeOfEffects(expr->elseValue)) {
    Value thenValue = generate(expr->thenValue);
    Value elseValue = generate(expr->elseValue);
    return arith::SelectOp::create(builder, loc, condition, thenValue, elseValue);
  }
  return either(
      loc, condition, type(expr->type), [&] { return generate(expr->thenValue); },
      [&] { return generate(expr->elseValue); });
}

} // namespace phobos::irgen
