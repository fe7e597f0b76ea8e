// Arithmetic on compile-time values as Python does it, and evaluation of whole expressions of the AST on them:
// decorator arguments, dims, `when`. Python itself is never run. Integers are of 64 bits; beyond is an error, not a
// wrap.
#pragma once

#include "phobos/Driver/Contract.h"
#include "phobos/Support/Diagnostic.h"
#include "phobos/Syntax/AST.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cmath>
#include <optional>
#include <string>

namespace phobos::sema {

class LangNames;

/// "an int", "a dtype".
std::string kindText(const ConstantValue &value);

inline bool isNumber(const ConstantValue &value) {
  return value.kind == ConstantValue::Kind::Bool || value.kind == ConstantValue::Kind::Int ||
         value.kind == ConstantValue::Kind::Float;
}
inline bool isInt(const ConstantValue &value) {
  return value.kind == ConstantValue::Kind::Bool || value.kind == ConstantValue::Kind::Int;
}
/// Python's bool(value); none for a dtype.
std::optional<bool> truth(const ConstantValue &value);

/// A value, or what is wrong: "division by zero".
struct Folded {
  std::optional<ConstantValue> value;
  std::string problem;
  Folded(ConstantValue value) : value(std::move(value)) {}
  static Folded error(std::string text) {
    Folded folded{ConstantValue()};
    folded.value.reset();
    folded.problem = std::move(text);
    return folded;
  }
  explicit operator bool() const { return value.has_value(); }
};

Folded fold(syntax::UnaryOp op, const ConstantValue &operand);
Folded fold(syntax::BinaryOp op, const ConstantValue &lhs, const ConstantValue &rhs);
Folded fold(syntax::CompareOp op, const ConstantValue &lhs, const ConstantValue &rhs);
/// `min`, `max`, `abs`, `len`, `int`, `float`, `bool`, `cdiv`, `round` on constants; none if `name` is no such
/// function.
std::optional<Folded> foldCall(llvm::StringRef name, llvm::ArrayRef<ConstantValue> args);

/// Evaluates an expression with names from `lookup`. Reports what is not constant; `context` says where constants are
/// wanted: "the dims of a tile".
class ConstantEvaluator {
public:
  /// What a name stands for; none: unknown.
  using Lookup = llvm::function_ref<std::optional<ConstantValue>(llvm::StringRef)>;

  ConstantEvaluator(const LangNames &names, Lookup lookup, DiagnosticEngine &diagnostics, std::string context)
      : names(names), lookup(lookup), diagnostics(diagnostics), context(std::move(context)) {}

  /// None after an error.
  std::optional<ConstantValue> evaluate(const syntax::Expr &expr);
  /// Names that lookup did not know are listed here, and not reported, if set.
  std::vector<std::string> *unknown = nullptr;
  /// Names among which a misspelt one is looked for.
  llvm::ArrayRef<std::string> candidates;

private:
  std::optional<ConstantValue> literal(const syntax::Expr &expr);
  std::optional<ConstantValue> call(const syntax::CallExpr &call);
  std::optional<ConstantValue> items(llvm::ArrayRef<syntax::Expr *> elements);
  std::optional<ConstantValue> boolOp(const syntax::BoolOpExpr &expr);
  std::optional<ConstantValue> compare(const syntax::CompareExpr &expr);
  std::optional<ConstantValue> subscript(const syntax::SubscriptExpr &expr);
  std::optional<ConstantValue> take(const Folded &folded, SourceRange range);
  std::nullopt_t fail(SourceRange range, const llvm::Twine &message);

  const LangNames &names;
  Lookup lookup;
  DiagnosticEngine &diagnostics;
  std::string context;
};

} // namespace phobos::sema
