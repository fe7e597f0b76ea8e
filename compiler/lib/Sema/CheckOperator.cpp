// Operators: join of dtypes, broadcasting, Python's rules for bool and division.
#include "Checker.h"

namespace phobos::sema {
namespace {

bool isBitwise(syntax::BinaryOp op) {
  return op == syntax::BinaryOp::BitAnd || op == syntax::BinaryOp::BitOr || op == syntax::BinaryOp::BitXor;
}
bool isShift(syntax::BinaryOp op) { return op == syntax::BinaryOp::LShift || op == syntax::BinaryOp::RShift; }

BinaryOp treeOp(syntax::BinaryOp op) {
  switch (op) {
  case syntax::BinaryOp::Add:
    return BinaryOp::Add;
  case syntax::BinaryOp::Sub:
    return BinaryOp::Sub;
  case syntax::BinaryOp::Mul:
    return BinaryOp::Mul;
  case syntax::BinaryOp::Div:
    return BinaryOp::Div;
  case syntax::BinaryOp::FloorDiv:
    return BinaryOp::FloorDiv;
  case syntax::BinaryOp::Mod:
    return BinaryOp::Mod;
  case syntax::BinaryOp::LShift:
    return BinaryOp::Shl;
  case syntax::BinaryOp::RShift:
    return BinaryOp::Shr;
  case syntax::BinaryOp::BitOr:
    return BinaryOp::Or;
  case syntax::BinaryOp::BitXor:
    return BinaryOp::Xor;
  case syntax::BinaryOp::BitAnd:
    return BinaryOp::And;
  case syntax::BinaryOp::Pow:
  case syntax::BinaryOp::MatMul:
    break;
  }
  return BinaryOp::Pow;
}

} // namespace

bool Checker::computes(SourceRange range, llvm::StringRef what, Element element) {
  if (!element.isFloat8()) {
    return true;
  }
  error(range, elementName(element) + " is a storage type; " + what + " does not compute in it")
      .hint("convert first: ph.f16(x) or ph.f32(x)");
  return false;
}

std::optional<Element> Checker::joinAll(SourceRange range, llvm::StringRef what, llvm::ArrayRef<Operand> operands,
                                        bool comparing) {
  // The strongest first, so that a literal between two tiles takes the dtype that both come to.
  llvm::SmallVector<Party, 3> parties;
  for (Strength strength : {Strength::Tile, Strength::Scalar, Strength::Literal}) {
    for (const Operand &operand : operands) {
      if (Party party = partyOf(operand); party.strength == strength) {
        parties.push_back(party);
      }
    }
  }
  Party common = parties[0];
  for (const Party &party : llvm::drop_begin(parties)) {
    std::optional<Element> element = join(common, party, comparing);
    if (!element) {
      error(range,
            elementName(common.element) + " and " + elementName(party.element) + " have no common type for " + what)
          .hint("convert one of them: ph." + elementName(common.element) + "(...)");
      return std::nullopt;
    }
    common.element = *element;
  }
  return common.element;
}

llvm::SmallVector<Expr *, 3> Checker::broadcastAll(SourceRange range, llvm::StringRef what,
                                                   llvm::ArrayRef<Expr *> values) {
  Shape shape;
  for (const Expr *value : values) {
    auto common = broadcastShapes(shape, value->type->shape());
    if (!common) {
      error(range,
            "shapes " + shapeText(shape) + " and " + shapeText(value->type->shape()) + " do not broadcast in " + what);
      return {};
    }
    shape = *common;
  }
  if (shape.size() > 5) {
    error(range, "expected at most 5 dimensions, got " + llvm::Twine(shape.size()));
    return {};
  }
  if (!checkSize(range, shape)) {
    return {};
  }
  llvm::SmallVector<Expr *, 3> result;
  for (Expr *value : values) {
    result.push_back(build.broadcast(value, shape));
  }
  return result;
}

llvm::SmallVector<Expr *, 3> Checker::joined(SourceRange range, llvm::StringRef what, llvm::ArrayRef<Operand> operands,
                                             bool comparing, std::optional<Element> atLeast) {
  llvm::SmallVector<Operand, 3> checked;
  for (const Operand &operand : operands) {
    std::optional<Operand> good = asOperand(operand, "an operand of " + what);
    if (!good) {
      return {};
    }
    checked.push_back(std::move(*good));
  }
  std::optional<Element> element = joinAll(range, what, checked, comparing);
  if (!element) {
    return {};
  }
  if (atLeast && (element->isBool() || (atLeast->isFloat() && !element->isFloat()))) {
    element = atLeast;
  }
  llvm::SmallVector<Expr *, 3> values;
  for (const Operand &operand : checked) {
    Expr *value = asElement(operand, *element);
    if (!value) {
      return {};
    }
    values.push_back(value);
  }
  return broadcastAll(range, what, values);
}

Operand Checker::unary(const syntax::UnaryExpr &expr) {
  Operand operand = check(*expr.operand);
  if (operand.isError()) {
    return operand;
  }
  std::string what = ("`" + syntax::spelling(expr.op) + "`").str();
  if (operand.isConstant()) {
    Folded folded = fold(expr.op, operand.constant);
    return folded ? Operand::of(expr.range, *folded.value) : fail(expr.range, folded.problem);
  }
  std::optional<Operand> value = asOperand(operand, "the operand of " + what);
  if (!value) {
    return Operand::error();
  }
  Expr *node = value->value;
  Element element = node->type->element();
  switch (expr.op) {
  case syntax::UnaryOp::Not: {
    if (node->type->isTile()) {
      return fail(expr.range, "`not` takes a scalar, got " + describe(*value), "write ~ for each element of a tile");
    }
    return Operand::of(build.unary(expr.range, UnaryOp::Invert, build.convert(node, DType::boolean)));
  }
  case syntax::UnaryOp::Invert:
    if (!element.isBool() && !element.isInteger()) {
      return fail(expr.range, "`~` takes integers or bools, got " + describe(*value));
    }
    return Operand::of(build.unary(expr.range, UnaryOp::Invert, node));
  case syntax::UnaryOp::Plus:
  case syntax::UnaryOp::Minus:
    break;
  }
  if (!computes(expr.range, what, element)) {
    return Operand::error();
  }
  node = element.isBool() ? build.convert(node, DType::i32) : node;
  return Operand::of(expr.op == syntax::UnaryOp::Plus ? node : build.unary(expr.range, UnaryOp::Negate, node));
}

Operand Checker::binary(SourceRange range, SourceRange opRange, syntax::BinaryOp op, const Operand &lhs,
                        const Operand &rhs) {
  if (lhs.isError() || rhs.isError()) {
    return Operand::error();
  }
  if (lhs.isConstant() && rhs.isConstant()) {
    Folded folded = fold(op, lhs.constant, rhs.constant);
    return folded ? Operand::of(range, *folded.value) : fail(range, folded.problem);
  }
  std::string what = ("`" + syntax::spelling(op) + "`").str();
  if (op == syntax::BinaryOp::MatMul) {
    return fail(opRange, "`@` is not an operator on tiles", "write ph.dot(a, b)");
  }
  if (op == syntax::BinaryOp::Pow) {
    std::optional<Operand> base = asOperand(lhs, "an operand of `**`"), exponent = asOperand(rhs, "an operand of `**`");
    if (!base || !exponent) {
      return Operand::error();
    }
    if (!partyOf(*base).element.isFloat() && !partyOf(*exponent).element.isFloat()) {
      return notYet(range, "`**` on integers", "write x * x, or convert: ph.f32(x) ** y");
    }
  }
  std::optional<Element> atLeast;
  if (op == syntax::BinaryOp::Div || op == syntax::BinaryOp::Pow) {
    atLeast = DType::f32;
  } else if (!isBitwise(op)) {
    atLeast = DType::i32; // True + True is 2
  }
  llvm::SmallVector<Expr *, 3> operands = joined(range, what, {lhs, rhs}, false, atLeast);
  if (operands.empty()) {
    return Operand::error();
  }
  Element element = operands[0]->type->element();
  if (!computes(range, what, element)) {
    return Operand::error();
  }
  if ((isBitwise(op) || isShift(op)) && element.isFloat()) {
    std::string sign = syntax::spelling(op).str();
    return fail(range, what + " takes integers" + (isBitwise(op) ? " or bools" : "") + ", got " + elementName(element),
                isBitwise(op) ? what + " binds tighter than comparisons: (a < b) " + sign + " (b < c)" : "");
  }
  const auto *known = rhs.isNumber() ? &rhs.constant : nullptr;
  bool divides = op == syntax::BinaryOp::FloorDiv || op == syntax::BinaryOp::Mod;
  if (divides && element.isInteger() && known && isInt(*known) && known->integer == 0) {
    return fail(rhs.range, "division by zero");
  }
  if (isShift(op) && known) {
    int64_t width = element.isIndex() ? 32 : bitWidth(element.dtype());
    if (known->integer < 0 || known->integer >= width) {
      return fail(rhs.range, "expected a shift from 0 to " + llvm::Twine(width - 1) + " for " + elementName(element) +
                                 ", got " + llvm::Twine(known->integer));
    }
  }
  return Operand::of(build.binary(range, treeOp(op), operands[0], operands[1]));
}

Operand Checker::boolOp(const syntax::BoolOpExpr &expr) {
  bool isAnd = expr.op == syntax::BoolOp::And;
  std::string what = isAnd ? "`and`" : "`or`";
  Expr *result = nullptr;
  for (size_t i = 0; i < expr.values.size(); ++i) {
    Operand operand = check(*expr.values[i]);
    if (operand.isError()) {
      return operand;
    }
    if (operand.isConstant()) {
      std::optional<bool> known = truth(operand.constant);
      if (!known) {
        return fail(operand.range, "a dtype is neither true nor false");
      }
      if (*known == isAnd) {
        if (i + 1 == expr.values.size() && !result) {
          return operand; // as Python: the last one, if nothing before decides
        }
        continue; // neutral
      }
      if (!result) {
        return operand;
      }
    }
    std::optional<Operand> value = operand.isConstant() ? operand : asOperand(operand, "an operand of " + what);
    if (!value) {
      return Operand::error();
    }
    if (!value->isConstant() && value->value->type->isTile()) {
      return fail(operand.range, what + " takes scalars, got " + describe(*value),
                  isAnd ? "write & between tiles, with parentheses around comparisons"
                        : "write | between tiles, with parentheses around comparisons");
    }
    Expr *term = asCondition(*value, what);
    if (!term) {
      return Operand::error();
    }
    SourceRange range = SourceRange::join(expr.values[0]->range, operand.range);
    result = result ? build.make<Logical>(range, isAnd, result, term) : term;
  }
  return result ? Operand::of(result) : Operand::of(expr.range, ConstantValue::ofBool(isAnd));
}

Operand Checker::comparePair(SourceRange range, syntax::CompareOp op, const Operand &lhs, const Operand &rhs) {
  if (lhs.isError() || rhs.isError()) {
    return Operand::error();
  }
  if (lhs.isConstant() && rhs.isConstant()) {
    Folded folded = fold(op, lhs.constant, rhs.constant);
    return folded ? Operand::of(range, *folded.value) : fail(range, folded.problem);
  }
  std::string what = ("`" + syntax::spelling(op) + "`").str();
  ComparePredicate predicate = ComparePredicate::Eq;
  switch (op) {
  case syntax::CompareOp::Eq:
    break;
  case syntax::CompareOp::NotEq:
    predicate = ComparePredicate::Ne;
    break;
  case syntax::CompareOp::Lt:
    predicate = ComparePredicate::Lt;
    break;
  case syntax::CompareOp::LtE:
    predicate = ComparePredicate::Le;
    break;
  case syntax::CompareOp::Gt:
    predicate = ComparePredicate::Gt;
    break;
  case syntax::CompareOp::GtE:
    predicate = ComparePredicate::Ge;
    break;
  default: {
    // A run-time value is never None, and an argument that is None never got here as a value.
    bool isNone = (lhs.isConstant() && lhs.constant.kind == ConstantValue::Kind::None) ||
                  (rhs.isConstant() && rhs.constant.kind == ConstantValue::Kind::None);
    if (isNone && (op == syntax::CompareOp::Is || op == syntax::CompareOp::IsNot)) {
      return Operand::of(range, ConstantValue::ofBool(op == syntax::CompareOp::IsNot));
    }
    return fail(range, what + " compares constants only", "write == or != for values");
  }
  }
  llvm::SmallVector<Expr *, 3> operands = joined(range, what, {lhs, rhs}, /*comparing=*/true);
  if (operands.empty() || !computes(range, what, operands[0]->type->element())) {
    return Operand::error();
  }
  return Operand::of(build.compare(range, predicate, operands[0], operands[1]));
}

Operand Checker::compare(const syntax::CompareExpr &expr) {
  Operand left = check(*expr.first);
  if (expr.ops.size() == 1) {
    Operand right = check(*expr.rest[0]);
    return comparePair(expr.range, expr.ops[0], left, right);
  }
  // a < b < c: both, with b computed once; in a loop's condition, which is computed at each turn, it is there twice.
  std::optional<Operand> all;
  for (size_t i = 0; i < expr.ops.size(); ++i) {
    Operand right = check(*expr.rest[i]);
    if (right.isError() || left.isError()) {
      return Operand::error();
    }
    if (i + 1 < expr.ops.size()) {
      if (!inLoopCondition) {
        right = settle(right, "<middle>");
      } else if (right.kind == Operand::Kind::Value && llvm::isa<Call>(right.value)) {
        return notYet(right.range, "a call within a chain of comparisons as a loop's condition");
      }
    }
    SourceRange range = SourceRange::join(left.range, right.range);
    Operand pair = comparePair(range, expr.ops[i], left, right);
    if (pair.isError()) {
      return pair;
    }
    if (!pair.isConstant() && pair.value->type->isTile()) {
      return fail(expr.range, "a chain of comparisons takes scalars, got " + describe(pair), "write (a < b) & (b < c)");
    }
    if (pair.isConstant() && !*truth(pair.constant)) {
      return pair;
    }
    if (!all || all->isConstant()) {
      all = pair;
    } else if (!pair.isConstant()) {
      all = Operand::of(build.make<Logical>(expr.range, /*isAnd=*/true, all->value, pair.value));
    }
    left = right;
  }
  all->range = expr.range;
  return *all;
}

} // namespace phobos::sema
