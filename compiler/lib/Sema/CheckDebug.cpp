// ph.print and ph.assert_: statements in the form of calls.
#include "Checker.h"
#include "phobos/Support/SourceFile.h"

namespace phobos::sema {
namespace {

/// CUDA's printf takes 32 arguments; three are the block, five at most the index.
constexpr size_t kMaxPrinted = 24;

bool isText(const Operand &operand) {
  return operand.isConstant() && operand.constant.kind == ConstantValue::Kind::String;
}

/// As written, on one line.
std::string sourceText(SourceRange range) {
  llvm::SmallVector<llvm::StringRef> lines;
  range.file->text().slice(range.begin, range.end).split(lines, '\n');
  std::string text;
  for (llvm::StringRef line : lines) {
    text += ((text.empty() ? "" : " ") + line.trim()).str();
  }
  return text;
}

} // namespace

std::optional<llvm::StringRef> Checker::constantText(const syntax::Expr &expr, const llvm::Twine &what,
                                                     const llvm::Twine &hint) {
  Operand operand = check(expr);
  if (operand.isError()) {
    return std::nullopt;
  }
  if (!isText(operand)) {
    fail(expr.range, "expected a string as " + what + ", got " + describe(operand), hint);
    return std::nullopt;
  }
  if (llvm::StringRef(operand.constant.text).contains('\0')) {
    fail(expr.range, "a zero byte would end the text of " + what);
    return std::nullopt;
  }
  return build.copy(operand.constant.text);
}

llvm::ArrayRef<Expr *> Checker::blockNumbers(SourceRange range) {
  llvm::SmallVector<Expr *, 3> numbers;
  for (const char *axis : {"ctx.block.x", "ctx.block.y", "ctx.block.z"}) {
    numbers.push_back(lang(range, axis).value);
  }
  return build.copy(llvm::ArrayRef<Expr *>(numbers));
}

Operand Checker::effect(SourceRange range, const Builtin &builtin) {
  Operand done{Operand::Kind::Effect, range};
  done.name = builtin.name.str();
  return done;
}

Operand Checker::print(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args) {
  std::string written = sourceText(args[0]->range);
  std::optional<llvm::StringRef> text = constantText(*args[0], "the first argument of `ph.print`",
                                                     "write ph.print(\"" + written + "\", " + written + ")");
  llvm::SmallVector<Expr *, 8> values, tiles;
  bool good = text.has_value();
  for (const syntax::Expr *arg : args.rest) {
    Operand operand = check(*arg);
    if (isText(operand)) {
      fail(arg->range, "expected a number or a tile to print, got a string",
           "one text comes first, the values after it");
      good = false;
      continue;
    }
    std::optional<Operand> value = asOperand(operand, "a value to print");
    Expr *node = value ? asValue(*value) : nullptr;
    good &= node != nullptr;
    if (node) {
      values.push_back(node);
      if (node->type->isTile()) {
        tiles.push_back(node);
      }
    }
  }
  if (!good) {
    return Operand::error();
  }
  if (values.size() > kMaxPrinted) {
    return fail(expr.range, "expected at most " + llvm::Twine(kMaxPrinted) + " values in one `ph.print`, got " +
                                llvm::Twine(values.size()));
  }
  if (!tiles.empty()) {
    llvm::SmallVector<Expr *, 3> common = broadcastAll(expr.range, "`ph.print`", tiles);
    if (common.empty()) {
      return Operand::error();
    }
    auto next = common.begin();
    for (Expr *&value : values) {
      value = value->type->isTile() ? *next++ : value;
    }
  }
  emit(build.make<Print>(expr.range, *text, build.copy(llvm::ArrayRef<Expr *>(values)), blockNumbers(expr.range)));
  return effect(expr.range, builtin);
}

Operand Checker::assertion(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args) {
  Operand operand = check(*args[0]);
  std::optional<Operand> value = asOperand(operand, "the condition of `ph.assert_`");
  Expr *condition = value ? asValue(*value) : nullptr;
  std::optional<llvm::StringRef> message = build.copy(sourceText(args[0]->range));
  if (args[1] && !llvm::isa<syntax::NoneLiteral>(args[1])) {
    message = constantText(*args[1], "the message of `ph.assert_`", "a string in quotes; ph.print shows values");
  }
  if (!condition || !message) {
    return Operand::error();
  }
  if (!condition->type->element().isBool()) {
    return fail(args[0]->range,
                "expected a bool, or a tile of them, as the condition of `ph.assert_`, got " + describe(*value),
                "compare it: " + sourceText(args[0]->range) + " != 0");
  }
  emit(build.make<Assert>(expr.range, condition, *message, blockNumbers(expr.range)));
  return effect(expr.range, builtin);
}

} // namespace phobos::sema
