// Functions of libdevice: of floats, of which 16-bit ones are computed in f32 and rounded once.
#include "Checker.h"
#include "Libdevice.h"

namespace phobos::sema {

std::optional<LibdeviceFunction> findLibdevice(llvm::StringRef name) {
#define PHOBOS_LIBDEVICE(function, kind, parameters, sentence)                                                         \
  if (name == #function) {                                                                                             \
    auto [operands, result] = llvm::StringRef(#kind).split('_');                                                       \
    return LibdeviceFunction{operands, !result.empty(), parameters};                                                   \
  }
#include "phobos/Support/Libdevice.def"
  return std::nullopt;
}

llvm::StringRef nearestLibdevice(llvm::StringRef name) {
  static constexpr llvm::StringRef kNames[] = {
#define PHOBOS_LIBDEVICE(function, kind, parameters, sentence) #function,
#include "phobos/Support/Libdevice.def"
  };
  return nearestName(name, kNames);
}

Operand Checker::libdevice(const syntax::CallExpr &expr, llvm::StringRef name) {
  LibdeviceFunction function = *findLibdevice(name);
  std::string what = ("`ph.libdevice." + name + "`").str();
  if (!expr.keywords.empty()) {
    return fail(expr.keywords[0].nameRange, what + " takes no keyword arguments",
                "it takes (" + function.parameters.str() + ")");
  }
  if (expr.args.size() != function.operands.size()) {
    return fail(expr.range,
                what + " takes " + llvm::Twine(function.operands.size()) + " arguments, got " +
                    llvm::Twine(expr.args.size()),
                "it takes (" + function.parameters.str() + ")");
  }
  llvm::SmallVector<Operand, 4> floats;
  std::optional<Operand> whole;
  for (auto [arg, kind] : llvm::zip(expr.args, function.operands)) {
    Operand operand = check(*arg);
    if (operand.isError()) {
      return operand;
    }
    if (kind == 'F') {
      floats.push_back(operand);
      continue;
    }
    whole = asOperand(operand, "an operand of " + what);
    if (!whole) {
      return Operand::error();
    }
    Element element = partyOf(*whole).element;
    if (element.isFloat() || element.isBool()) {
      return fail(arg->range, "expected an integer, got " + describe(operand), "convert it: ph.i32(...)");
    }
  }
  llvm::SmallVector<Expr *, 3> values = joined(expr.range, what, floats, false, Element(DType::f32));
  if (values.empty() || !computes(expr.range, what, values[0]->type->element())) {
    return Operand::error();
  }
  Element given = values[0]->type->element();
  Element computed = given == Element(DType::f64) ? DType::f64 : DType::f32;
  for (Expr *&value : values) {
    value = build.convert(value, computed);
  }
  if (whole) {
    Expr *integer = asElement(*whole, DType::i32);
    if (!integer) {
      return Operand::error();
    }
    values.insert(function.operands.front() == 'I' ? values.begin() : values.end(), integer);
    values = broadcastAll(expr.range, what, values);
    if (values.empty()) {
      return Operand::error();
    }
  }
  const Type *type = types.withElement(values[0]->type, function.givesInteger ? Element(DType::i32) : computed);
  Expr *node = build.make<Libdevice>(expr.range, type, build.copy(name), build.copy(llvm::ArrayRef<Expr *>(values)));
  return Operand::of(function.givesInteger ? node : build.convert(node, given));
}

} // namespace phobos::sema
