// Random numbers: an integer scalar as the seed, integers of any shape as offsets.
#include "Checker.h"

namespace phobos::sema {

Expr *Checker::randomArgument(const syntax::Expr &expr, llvm::StringRef name, llvm::StringRef role) {
  std::string where = ("the " + role + " of `ph." + name + "`").str();
  Operand operand = check(expr);
  std::optional<Operand> value = asOperand(operand, where);
  if (!value) {
    return nullptr;
  }
  Element element = value->isConstant() ? elementOf(value->constant) : value->value->type->element();
  if (!element.isInteger()) {
    fail(expr.range, "expected integers as " + where + ", got " + describe(*value),
         element.isFloat() ? "floats are rounded towards zero by ph.i64(...)" : "");
    return nullptr;
  }
  return asElement(*value, DType::i64);
}

Operand Checker::random(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args) {
  Expr *seed = randomArgument(*args[0], builtin.name, "seed");
  Expr *offset = randomArgument(*args[1], builtin.name, "offset");
  if (!seed || !offset) {
    return Operand::error();
  }
  if (seed->type->isTile()) {
    return fail(args[0]->range, "expected a scalar as the seed of `ph." + builtin.name + "`, got a tile",
                "numbers of one seed differ by their offset, which may be a tile");
  }
  RandomOp op = builtin.name == "randint" ? RandomOp::Bits
                : builtin.name == "rand"  ? RandomOp::Uniform
                                          : RandomOp::Normal;
  DType element = op == RandomOp::Bits ? DType::u32 : DType::f32;
  return Operand::of(build.make<Random>(expr.range, types.withElement(offset->type, element), op, seed, offset));
}

} // namespace phobos::sema
