// Functions that work element by element.
#include "Checker.h"

#include "phobos/Support/IndexLimits.h"

namespace phobos::sema {
namespace {

std::optional<MathOp> mathOp(llvm::StringRef name) {
#define PHOBOS_MATH(op, text, arity)                                                                                   \
  if (name == text) {                                                                                                  \
    return MathOp::op;                                                                                                 \
  }
#include "phobos/Sema/MathOps.def"
  return std::nullopt;
}

} // namespace

Operand Checker::floatMath(SourceRange range, MathOp op, llvm::StringRef name, llvm::ArrayRef<Operand> operands) {
  std::string what = ("`ph." + name + "`").str();
  llvm::SmallVector<Expr *, 3> values = joined(range, what, operands, false, Element(DType::f32));
  if (values.empty() || !computes(range, what, values[0]->type->element())) {
    return Operand::error();
  }
  bool tests = op == MathOp::IsNan || op == MathOp::IsInf;
  const Type *type = tests ? types.withElement(values[0]->type, DType::boolean) : values[0]->type;
  return Operand::of(build.math(range, op, values, type));
}

Operand Checker::absolute(SourceRange range, const Operand &operand) {
  if (operand.isConstant()) {
    Folded folded = *foldCall("abs", {operand.constant});
    return folded ? Operand::of(range, *folded.value) : fail(range, folded.problem);
  }
  llvm::SmallVector<Expr *, 3> value = joined(range, "`abs`", {operand}, false, Element(DType::i32));
  if (value.empty() || !computes(range, "`abs`", value[0]->type->element())) {
    return Operand::error();
  }
  bool isUnsigned = value[0]->type->element().isInteger() && !value[0]->type->element().isSigned();
  return Operand::of(isUnsigned ? value[0] : build.unary(range, UnaryOp::Abs, value[0]));
}

Operand Checker::extreme(SourceRange range, bool greatest, const Operand &lhs, const Operand &rhs) {
  if (lhs.isError() || rhs.isError()) {
    return Operand::error();
  }
  llvm::StringRef name = greatest ? "max" : "min";
  if (lhs.isNumber() && rhs.isNumber()) {
    Folded folded = *foldCall(name, {lhs.constant, rhs.constant});
    return folded ? Operand::of(range, *folded.value) : fail(range, folded.problem);
  }
  std::string what = ("`ph." + name + "`").str();
  llvm::SmallVector<Expr *, 3> values = joined(range, what, {lhs, rhs});
  if (values.empty() || !computes(range, what, values[0]->type->element())) {
    return Operand::error();
  }
  if (values[0]->type->element().isBool()) {
    return Operand::of(build.binary(range, greatest ? BinaryOp::Or : BinaryOp::And, values[0], values[1]));
  }
  return Operand::of(build.binary(range, greatest ? BinaryOp::Max : BinaryOp::Min, values[0], values[1]));
}

Operand Checker::where(SourceRange range, const Operand &condition, const Operand &x, const Operand &y) {
  if (condition.isError() || x.isError() || y.isError()) {
    return Operand::error();
  }
  std::optional<Operand> chosen = asOperand(condition, "the condition of `ph.where`");
  if (!chosen) {
    return Operand::error();
  }
  Expr *mask = chosen->isConstant()
                   ? build.constant(condition.range, ConstantValue::ofBool(truth(chosen->constant).value_or(false)),
                                    DType::boolean)
                   : build.convert(chosen->value, DType::boolean);
  llvm::SmallVector<Expr *, 3> arms = joined(range, "`ph.where`", {x, y});
  if (arms.empty()) {
    return Operand::error();
  }
  llvm::SmallVector<Expr *, 3> all = broadcastAll(range, "`ph.where`", {mask, arms[0], arms[1]});
  return all.empty() ? Operand::error() : Operand::of(build.select(range, all[0], all[1], all[2]));
}

Operand Checker::ceilDivide(SourceRange range, const Operand &a, const Operand &b) {
  if (a.isError() || b.isError()) {
    return Operand::error();
  }
  if (a.isConstant() && b.isConstant()) {
    Folded folded = *foldCall("cdiv", {a.constant, b.constant});
    return folded ? Operand::of(range, *folded.value) : fail(range, folded.problem);
  }
  llvm::SmallVector<Expr *, 3> values = joined(range, "`ph.cdiv`", {a, b}, false, Element(DType::i32));
  if (values.empty()) {
    return Operand::error();
  }
  if (!values[0]->type->element().isInteger()) {
    return fail(range, "`ph.cdiv` takes integers, got " + elementName(values[0]->type->element()));
  }
  if (b.isNumber() && b.constant.integer == 0) {
    return fail(b.range, "division by zero");
  }
  Element element = values[0]->type->element();
  // Of an index, which with a tile's extent more is still one, (a + (b - 1)) // b; else the sum may overflow.
  if (element.isIndex() && b.isNumber() && b.constant.integer > 0 && b.constant.integer <= kTileOverhang) {
    Expr *less = asElement(Operand::of(b.range, ConstantValue::ofInt(b.constant.integer - 1)), element);
    Expr *raised = build.binary(range, BinaryOp::Add, values[0], build.broadcast(less, values[0]->type->shape()));
    return Operand::of(build.binary(range, BinaryOp::FloorDiv, raised, values[1]));
  }
  Expr *quotient = build.binary(range, BinaryOp::FloorDiv, values[0], values[1]);
  Expr *rest = build.binary(range, BinaryOp::Mod, values[0], values[1]);
  Expr *zero = build.constant(range, ConstantValue::ofInt(0), element);
  Expr *more = build.compare(range, ComparePredicate::Ne, rest, build.broadcast(zero, rest->type->shape()));
  return Operand::of(build.binary(range, BinaryOp::Add, quotient, build.convert(more, element)));
}

Operand Checker::elementwise(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args) {
  llvm::SmallVector<Operand, 3> operands;
  for (const syntax::Expr *arg : args.given) {
    operands.push_back(check(*arg));
    if (operands.back().isError()) {
      return Operand::error();
    }
  }
  SourceRange range = expr.range;
  std::string what = ("`ph." + builtin.name + "`").str();
  switch (builtin.rule) {
  case Rule::Math:
  case Rule::FloatTest:
    return floatMath(range, *mathOp(builtin.name), builtin.name, operands);
  case Rule::Fma:
    return floatMath(range, MathOp::Fma, builtin.name, operands);
  case Rule::Rounding: {
    llvm::SmallVector<Expr *, 3> value = joined(range, what, operands, false, Element(DType::i32));
    if (value.empty() || value[0]->type->element().isInteger()) {
      return value.empty() ? Operand::error() : Operand::of(value[0]);
    }
    return floatMath(range, *mathOp(builtin.name), builtin.name, operands);
  }
  case Rule::Abs:
    return absolute(range, operands[0]);
  case Rule::Bits: {
    llvm::SmallVector<Expr *, 3> value = joined(range, what, operands);
    if (value.empty()) {
      return Operand::error();
    }
    Element element = value[0]->type->element();
    if (!element.isInteger() || element.isIndex()) {
      return fail(range, what + " takes integers of a known width, got " + elementName(element),
                  element.isIndex() ? "convert it: ph.i32(...) or ph.u32(...)" : "");
    }
    return Operand::of(build.math(range, *mathOp(builtin.name), value, value[0]->type));
  }
  case Rule::BytePermute: {
    llvm::SmallVector<Expr *, 3> words = joined(range, what, {operands[0], operands[1]});
    llvm::SmallVector<Expr *, 3> selector = joined(range, what, {operands[2]});
    if (words.empty() || selector.empty()) {
      return Operand::error();
    }
    Element element = words[0]->type->element(), by = selector[0]->type->element();
    bool is32 = element == Element(DType::i32) || element == Element(DType::u32);
    if (!is32) {
      return fail(range, what + " takes integers of 32 bits, got " + elementName(element), "convert it: ph.u32(...)");
    }
    if (!by.isInteger()) {
      return fail(operands[2].range, "expected an integer as the selector of " + what + ", got " + elementName(by));
    }
    words.push_back(build.convert(selector[0], element));
    words = broadcastAll(range, what, words);
    return words.empty() ? Operand::error()
                         : Operand::of(build.math(range, MathOp::BytePermute, words, words[0]->type));
  }
  case Rule::Pow: {
    llvm::SmallVector<Expr *, 3> values = joined(range, what, operands, false, Element(DType::f32));
    if (values.empty() || !computes(range, what, values[0]->type->element())) {
      return Operand::error();
    }
    return Operand::of(build.binary(range, BinaryOp::Pow, values[0], values[1]));
  }
  case Rule::Clamp:
    return extreme(range, /*greatest=*/false, extreme(range, /*greatest=*/true, operands[0], operands[1]), operands[2]);
  case Rule::Where:
    return where(range, operands[0], operands[1], operands[2]);
  case Rule::CeilDiv:
    return ceilDivide(range, operands[0], operands[1]);
  default:
    return notYet(range, what);
  }
}

} // namespace phobos::sema
