// ph.ptx: text that the assembler understands and nobody else.
#include "Checker.h"

namespace phobos::sema {

/// Why not a register of PTX, in words; empty for the dtypes that are one.
static llvm::StringRef whyNoRegister(Element element) {
  if (element.isBool() || element.isIndex() || byteWidth(element.dtype()) == 1) {
    return "PTX has registers of 16, 32 and 64 bits";
  }
  return "";
}

Operand Checker::ptx(const syntax::CallExpr &expr, const BoundArguments &args) {
  auto text = constantText(*args[0], "the PTX", "write ph.ptx(\"cvt.rni.f32.f32 $0, $1;\", x)");
  std::optional<DType> dtype = args[2] ? constantDType(*args[2], "of what `ph.ptx` makes") : std::nullopt;
  if (!text || (args[2] && !dtype)) {
    return Operand::error();
  }
  llvm::SmallVector<Expr *, 3> operands;
  for (const syntax::Expr *arg : args.rest) {
    Operand operand = check(*arg);
    std::optional<Operand> value = asOperand(operand, "an operand of `ph.ptx`");
    if (!value) {
      return Operand::error();
    }
    if (value->isConstant()) {
      return fail(arg->range, "a number has no dtype in `ph.ptx`", "write it in the text, or give it one: ph.i32(1)");
    }
    Expr *node = asValue(*value);
    if (!node) {
      return Operand::error();
    }
    if (node->type->element().isIndex()) {
      return fail(arg->range, "an index has 32 or 64 bits, as tensors need", "convert it: ph.i32(...) or ph.i64(...)");
    }
    if (llvm::StringRef why = whyNoRegister(node->type->element()); !why.empty()) {
      return fail(arg->range, "expected no " + elementName(node->type->element()) + " in `ph.ptx`: " + why,
                  "convert it: ph.i32(...)");
    }
    operands.push_back(node);
  }
  if (operands.empty()) {
    return fail(expr.range,
                "`ph.ptx` needs an operand: what it makes, it makes of each element of a tile, or of a number",
                "what a thread is cannot be asked for; ph.ctx.block says which block this is");
  }
  Element result = dtype ? Element(*dtype) : operands[0]->type->element();
  if (llvm::StringRef why = whyNoRegister(result); !why.empty()) {
    return fail(args[2]->range, "expected no " + elementName(result) + " from `ph.ptx`: " + why);
  }
  if (!checkPlaceholders(*args[0], *text, operands.size())) {
    return Operand::error();
  }
  operands = broadcastAll(expr.range, "`ph.ptx`", operands);
  if (operands.empty()) {
    return Operand::error();
  }
  const Type *type = types.withElement(operands[0]->type, result);
  return Operand::of(build.make<Ptx>(expr.range, type, *text, build.copy(llvm::ArrayRef<Expr *>(operands))));
}

bool Checker::checkPlaceholders(const syntax::Expr &expr, llvm::StringRef text, size_t operands) {
  bool writes = false;
  for (size_t at = text.find('$'); at != llvm::StringRef::npos; at = text.find('$', at + 1)) {
    unsigned number = 0;
    if (llvm::StringRef rest = text.substr(at + 1); rest.consumeInteger(10, number)) {
      fail(expr.range, "expected a number behind `$` in the PTX", "$0 is the result, $1 the first operand");
      return false;
    }
    if (number > operands) {
      fail(expr.range, "`$" + llvm::Twine(number) + "` stands for no operand: there are " + llvm::Twine(operands),
           "$0 is the result, $1 the first operand");
      return false;
    }
    writes |= number == 0;
  }
  if (!writes) {
    fail(expr.range, "the PTX does not write its result, `$0`", "what only has an effect cannot be written in PTX");
  }
  return writes;
}

} // namespace phobos::sema
