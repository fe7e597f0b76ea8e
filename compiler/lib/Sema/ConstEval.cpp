// Walks an expression of the AST that must be constant. See ConstFold.cpp for the operators.
#include "ConstEval.h"
#include "LangNames.h"
#include "llvm/ADT/SmallVector.h"

namespace phobos::sema {

using syntax::Expr;
using Kind = ConstantValue::Kind;

std::nullopt_t ConstantEvaluator::fail(SourceRange range, const llvm::Twine &message) {
  diagnostics.error(range, message);
  return std::nullopt;
}

std::optional<ConstantValue> ConstantEvaluator::take(const Folded &folded, SourceRange range) {
  if (!folded) {
    return fail(range, folded.problem);
  }
  return folded.value;
}

std::optional<ConstantValue> ConstantEvaluator::items(llvm::ArrayRef<Expr *> elements) {
  ConstantValue tuple;
  tuple.kind = Kind::Tuple;
  bool good = true;
  for (const Expr *element : elements) {
    std::optional<ConstantValue> item = evaluate(*element);
    good &= item.has_value();
    if (item) {
      tuple.items.push_back(std::move(*item));
    }
  }
  return good ? std::optional(tuple) : std::nullopt;
}

std::optional<ConstantValue> ConstantEvaluator::boolOp(const syntax::BoolOpExpr &expr) {
  std::optional<ConstantValue> value;
  for (const Expr *operand : expr.values) {
    value = evaluate(*operand);
    std::optional<bool> known = value ? truth(*value) : std::nullopt;
    if (!value) {
      return std::nullopt;
    }
    if (!known) {
      return fail(operand->range, "a dtype is neither true nor false");
    }
    if (*known == (expr.op == syntax::BoolOp::Or)) {
      return value;
    }
  }
  return value;
}

std::optional<ConstantValue> ConstantEvaluator::compare(const syntax::CompareExpr &expr) {
  std::optional<ConstantValue> left = evaluate(*expr.first);
  for (size_t i = 0; left && i < expr.ops.size(); ++i) {
    std::optional<ConstantValue> right = evaluate(*expr.rest[i]);
    if (!right) {
      return std::nullopt;
    }
    std::optional<ConstantValue> holds = take(fold(expr.ops[i], *left, *right), expr.range);
    if (!holds || !*truth(*holds)) {
      return holds;
    }
    left = right;
  }
  return left ? std::optional(ConstantValue::ofBool(true)) : std::nullopt;
}

std::optional<ConstantValue> ConstantEvaluator::subscript(const syntax::SubscriptExpr &expr) {
  std::optional<ConstantValue> base = evaluate(*expr.base);
  if (!base || expr.indices.size() != 1) {
    return base ? fail(expr.range, "expected one index") : std::nullopt;
  }
  std::optional<ConstantValue> index = evaluate(*expr.indices[0]);
  if (!index) {
    return std::nullopt;
  }
  if (base->kind != Kind::Tuple || !isInt(*index)) {
    return fail(expr.range, "expected a tuple and an int, got " + kindText(*base) + " and " + kindText(*index));
  }
  int64_t size = static_cast<int64_t>(base->items.size());
  int64_t at = index->integer < 0 ? index->integer + size : index->integer;
  if (at < 0 || at >= size) {
    return fail(expr.indices[0]->range,
                "index " + llvm::Twine(index->integer) + " is past the end of a tuple of " + llvm::Twine(size));
  }
  return base->items[at];
}

std::optional<ConstantValue> ConstantEvaluator::call(const syntax::CallExpr &call) {
  std::string function;
  if (std::optional<std::string> path = names.resolve(*call.callee)) {
    function = *path == "std.cdiv" ? "cdiv" : *path;
  } else if (const auto *name = llvm::dyn_cast<syntax::NameExpr>(call.callee)) {
    function = name->name == "cdiv" ? "" : name->name.str();
  }
  llvm::SmallVector<ConstantValue, 4> args;
  bool good = true;
  for (const Expr *arg : call.args) {
    std::optional<ConstantValue> value = evaluate(*arg);
    good &= value.has_value();
    if (value) {
      args.push_back(std::move(*value));
    }
  }
  if (!good) {
    return std::nullopt;
  }
  std::optional<Folded> folded = call.keywords.empty() ? foldCall(function, args) : std::nullopt;
  if (!folded) {
    return fail(call.range, "expected " + llvm::Twine(context) + " to be constant; this call is not");
  }
  return take(*folded, call.range);
}

std::optional<ConstantValue> ConstantEvaluator::literal(const Expr &expr) {
  ConstantValue value;
  switch (expr.kind) {
  case Expr::Kind::IntLiteral: {
    const auto &integer = llvm::cast<syntax::IntLiteral>(expr);
    if (!integer.fits || integer.value > static_cast<uint64_t>(INT64_MAX)) {
      return fail(expr.range, integer.decimal + " does not fit in a 64-bit integer");
    }
    return ConstantValue::ofInt(static_cast<int64_t>(integer.value));
  }
  case Expr::Kind::FloatLiteral:
    return ConstantValue::ofFloat(llvm::cast<syntax::FloatLiteral>(expr).value);
  case Expr::Kind::BoolLiteral:
    return ConstantValue::ofBool(llvm::cast<syntax::BoolLiteral>(expr).value);
  case Expr::Kind::StringLiteral:
    value.kind = Kind::String;
    value.text = llvm::cast<syntax::StringLiteral>(expr).value.str();
    return value;
  default:
    return value;
  }
}

std::optional<ConstantValue> ConstantEvaluator::evaluate(const Expr &expr) {
  if (std::optional<std::string> path = names.resolve(expr)) {
    if (std::optional<DType> dtype = parseDType(*path)) {
      return ConstantValue::ofType(*dtype);
    }
    return fail(expr.range, "expected " + llvm::Twine(context) + " to be constant; `ph." + *path + "` is not");
  }
  switch (expr.kind) {
  case Expr::Kind::IntLiteral:
  case Expr::Kind::FloatLiteral:
  case Expr::Kind::BoolLiteral:
  case Expr::Kind::NoneLiteral:
  case Expr::Kind::StringLiteral:
    return literal(expr);
  case Expr::Kind::Name: {
    llvm::StringRef name = llvm::cast<syntax::NameExpr>(expr).name;
    if (std::optional<ConstantValue> value = lookup(name)) {
      return value;
    }
    if (unknown) {
      unknown->push_back(name.str());
      return std::nullopt;
    }
    Diagnostic &report =
        diagnostics.error(expr.range, "expected " + llvm::Twine(context) + " to be constant; `" + name + "` is not");
    llvm::SmallVector<llvm::StringRef, 8> names(candidates.begin(), candidates.end());
    if (llvm::StringRef near = nearestName(name, names); !near.empty()) {
      report.hint("did you mean `" + near + "`?");
    }
    return std::nullopt;
  }
  case Expr::Kind::Unary: {
    const auto &unary = llvm::cast<syntax::UnaryExpr>(expr);
    std::optional<ConstantValue> operand = evaluate(*unary.operand);
    return operand ? take(fold(unary.op, *operand), expr.range) : std::nullopt;
  }
  case Expr::Kind::Binary: {
    const auto &binary = llvm::cast<syntax::BinaryExpr>(expr);
    std::optional<ConstantValue> lhs = evaluate(*binary.lhs), rhs = evaluate(*binary.rhs);
    return lhs && rhs ? take(fold(binary.op, *lhs, *rhs), expr.range) : std::nullopt;
  }
  case Expr::Kind::BoolOp:
    return boolOp(llvm::cast<syntax::BoolOpExpr>(expr));
  case Expr::Kind::Compare:
    return compare(llvm::cast<syntax::CompareExpr>(expr));
  case Expr::Kind::Conditional: {
    const auto &conditional = llvm::cast<syntax::ConditionalExpr>(expr);
    std::optional<ConstantValue> condition = evaluate(*conditional.condition);
    if (!condition) {
      return std::nullopt;
    }
    return evaluate(truth(*condition).value_or(false) ? *conditional.thenValue : *conditional.elseValue);
  }
  case Expr::Kind::Tuple:
    return items(llvm::cast<syntax::TupleExpr>(expr).elements);
  case Expr::Kind::List:
    return items(llvm::cast<syntax::ListExpr>(expr).elements);
  case Expr::Kind::Call:
    return call(llvm::cast<syntax::CallExpr>(expr));
  case Expr::Kind::Subscript:
    return subscript(llvm::cast<syntax::SubscriptExpr>(expr));
  default:
    return fail(expr.range, "expected " + llvm::Twine(context) + " to be constant");
  }
}

} // namespace phobos::sema
