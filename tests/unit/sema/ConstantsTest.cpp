// Constant arithmetic against what Python prints for the same expression.
#include "ConstEval.h"
#include "LangNames.h"
#include "SemaTesting.h"
#include "gtest/gtest.h"

namespace phobos::sema::testing {
namespace {

std::string evaluated(const std::string &expression) {
  SourceFile file("e.py", expression);
  syntax::ASTContext context;
  DiagnosticEngine diagnostics;
  const syntax::Expr *expr = syntax::parseExpression(file, context, diagnostics);
  if (!expr) {
    return diagnostics.render();
  }
  auto lookup = [](llvm::StringRef name) -> std::optional<ConstantValue> {
    return name == "T" ? std::optional(ConstantValue::ofInt(64)) : std::nullopt;
  };
  std::optional<ConstantValue> value =
      ConstantEvaluator(LangNames(nullptr), lookup, diagnostics, "this").evaluate(*expr);
  return value ? toText(*value) : diagnostics.diagnostics().front().message;
}

TEST(Constants, AreWhatPythonSays) {
  const std::pair<const char *, const char *> kCases[] = {
      {"7 // 2", "3"},
      {"-7 // 2", "-4"},
      {"7 // -2", "-4"},
      {"-7 % 3", "2"},
      {"7 % -3", "-2"},
      {"-7.5 // 2", "-4.0"},
      {"-7.5 % 2", "0.5"},
      {"7 / 2", "3.5"},
      {"2 ** 10", "1024"},
      {"2 ** -1", "0.5"},
      {"2.0 ** 3", "8.0"},
      {"(-2) ** 63", "-9223372036854775808"},
      {"(-1) ** 1000000000001", "-1"},
      {"1 << 62", "4611686018427387904"},
      {"-9 >> 1", "-5"},
      {"6 & 3 | 8 ^ 1", "11"},
      {"True & False", "False"},
      {"True + True", "2"},
      {"~5", "-6"},
      {"not 0", "True"},
      {"1 < 2 < 3", "True"},
      {"1 < 2 > 3", "False"},
      {"1 == 1.0", "True"},
      {"0 or 5", "5"},
      {"3 and 0 and 7", "0"},
      {"1 if T > 32 else 2", "1"},
      {"min(3, 1, 2)", "1"},
      {"max((4, 9, 2))", "9"},
      {"abs(-3)", "3"},
      {"int(-2.9)", "-2"},
      {"float(3)", "3.0"},
      {"bool(0.0)", "False"},
      {"len((1, 2, 3))", "3"},
      {"(1, 2) + (3,)", "(1, 2, 3)"},
      {"(T, T * 2)[-1]", "128"},
      {"[1, 2][0]", "1"},
      {"3 in (1, 2, 3)", "True"},
      {"3 not in (1, 2, 3)", "False"},
      {"None is None", "True"},
      {"1e16", "1e+16"},
      {"1e15", "1000000000000000.0"},
      {"0.0001", "0.0001"},
      {"0.00001", "1e-05"},
      {"float('inf')", "inf"},
      {"-float('inf')", "-inf"},
      {"float('nan') == float('nan')", "False"},
      {"ph.f16", "f16"},
      {"ph.f16 == ph.bf16", "False"},
      {"ph.cdiv(7, 2)", "4"},
      {"ph.cdiv(-7, 2)", "-3"},
      {"ph.std.cdiv(8, 2)", "4"},
  };
  for (const auto &[expression, expected] : kCases) {
    EXPECT_EQ(evaluated(expression), expected) << expression;
  }
}

TEST(Constants, ErrorsSayWhat) {
  const std::pair<const char *, const char *> kCases[] = {
      {"1 // 0", "division by zero"},
      {"1.0 / 0", "division by zero"},
      {"1 % 0", "division by zero"},
      {"0 ** -1", "division by zero"},
      {"9223372036854775807 + 1", "the result does not fit in a 64-bit integer"},
      {"-9223372036854775807 - 2", "the result does not fit in a 64-bit integer"},
      {"3037000500 * 3037000500", "the result does not fit in a 64-bit integer"},
      {"3 ** 41", "the result does not fit in a 64-bit integer"},
      {"1 << 63", "the result does not fit in a 64-bit integer"},
      {"1 << -1", "negative shift count"},
      {"1.5 & 1", "`&` is not defined on floats"},
      {"1 + None", "`+` is not defined on an int and None"},
      {"~1.5", "`~` is not defined on a float"},
      {"ph.f16 < 1", "`<` is not defined on a dtype and an int"},
      {"not ph.f16", "a dtype is neither true nor false"},
      {"int('3')", "cannot make an int of \"3\""},
      {"float('x')", "cannot make a float of \"x\""},
      {"len(3)", "an int has no length"},
      {"min()", "nothing to choose from"},
      {"abs(1, 2)", "`abs` takes 1 argument, not 2"},
      {"(1, 2)[5]", "index 5 is past the end of a tuple of 2"},
      {"Q + 1", "expected this to be constant; `Q` is not"},
      {"foo(1)", "expected this to be constant; this call is not"},
      {"ph.ctx.block.x", "expected this to be constant; `ph.ctx.block.x` is not"},
  };
  for (const auto &[expression, expected] : kCases) {
    EXPECT_EQ(evaluated(expression), expected) << expression;
  }
}

} // namespace
} // namespace phobos::sema::testing
