// Reports, and the ways from an operand to a value: of a given element, a condition, an index, a constant, a shape.
#include "Checker.h"

namespace phobos::sema {

using ConstantKind = ConstantValue::Kind;

// --- Reports
Diagnostic &Checker::error(SourceRange range, const llvm::Twine &message) {
  Diagnostic &report = diagnostics.error(range, message);
  for (const Frame *at = frame; at && at->caller; at = at->caller) {
    report.calledFrom(at->callSite, at->function.name);
  }
  return report;
}

Operand Checker::fail(SourceRange range, const llvm::Twine &message, const llvm::Twine &hint) {
  Diagnostic &report = error(range, message);
  if (!hint.isTriviallyEmpty()) {
    report.hint(hint);
  }
  return Operand::error();
}

Operand Checker::notYet(SourceRange range, const llvm::Twine &what, const llvm::Twine &hint) {
  return fail(range, what + " is not supported yet", hint);
}

std::string Checker::describe(const Operand &operand) const {
  switch (operand.kind) {
  case Operand::Kind::Error:
    return "an error";
  case Operand::Kind::Constant:
    return kindText(operand.constant);
  case Operand::Kind::Value:
    return operand.value->type->isTile() ? "a tile " + operand.value->type->str()
                                         : "a scalar " + operand.value->type->str();
  case Operand::Kind::Tensor:
  case Operand::Kind::Shape:
  case Operand::Kind::Stride:
    return (operand.kind == Operand::Kind::Tensor  ? "the tensor `"
            : operand.kind == Operand::Kind::Shape ? "the shape of `"
                                                   : "the strides of `") +
           out.info.parameters[operand.tensor].name + "`";
  case Operand::Kind::View:
    return "a slice " + operand.slice->type->str();
  case Operand::Kind::Tuple:
    return "a tuple";
  case Operand::Kind::Results:
    return operand.call->function->results.empty() ? "nothing" : "several values";
  case Operand::Kind::Effect:
  case Operand::Kind::Lang:
    return "`ph." + operand.name + "`";
  case Operand::Kind::Function:
    return "the function `" + operand.function->name.str() + "`";
  case Operand::Kind::Python:
    return "the function `" + operand.name + "`";
  }
  return "";
}

// --- From operands to values
bool Checker::isAxes(const Operand &operand) {
  return operand.kind == Operand::Kind::Lang &&
         (operand.name == "ctx.block" || operand.name == "ctx.grid" || operand.name == "ctx.cluster");
}

std::optional<Operand> Checker::asOperand(const Operand &operand, const llvm::Twine &where) {
  if (operand.isError()) {
    return std::nullopt;
  }
  if (operand.kind == Operand::Kind::Value || operand.isNumber()) {
    return operand;
  }
  if (operand.kind == Operand::Kind::View) {
    return Operand::of(asValue(operand));
  }
  Diagnostic &report = error(operand.range, "expected a number or a tile as " + where + ", got " + describe(operand));
  if (operand.kind == Operand::Kind::Tensor) {
    llvm::StringRef name = out.info.parameters[operand.tensor].name;
    report.hint("a tensor is read by a slice: " + name + "[i:+16]");
  } else if (isAxes(operand)) {
    report.hint("write `ph." + operand.name + ".x`");
  } else if (operand.kind == Operand::Kind::Function || operand.kind == Operand::Kind::Lang) {
    report.hint("call it with (...)");
  } else if (operand.kind == Operand::Kind::Results && !operand.call->function->results.empty()) {
    report.hint("unpack them first: a, b = ...");
  }
  return std::nullopt;
}

Party Checker::partyOf(const Operand &operand) const {
  if (operand.isConstant()) {
    return {elementOf(operand.constant), Strength::Literal};
  }
  const Type *type = operand.value->type;
  return {type->element(), type->isScalar() ? Strength::Scalar : Strength::Tile};
}

Expr *Checker::asElement(const Operand &operand, Element element) {
  if (!operand.isConstant()) {
    Expr *value = asValue(operand);
    return value ? build.convert(value, element) : nullptr;
  }
  std::string problem = whyNotFits(operand.constant, element);
  if (!problem.empty()) {
    error(operand.range, problem);
    return nullptr;
  }
  return build.constant(operand.range, operand.constant, element);
}

Expr *Checker::asValue(const Operand &operand) {
  if (operand.kind == Operand::Kind::View) {
    return build.make<Load>(operand.range, operand.slice, nullptr);
  }
  std::optional<Operand> value = asOperand(operand, "a value");
  if (!value) {
    return nullptr;
  }
  return value->isConstant() ? asElement(*value, elementOf(value->constant)) : value->value;
}

Expr *Checker::asCondition(const Operand &operand, llvm::StringRef what) {
  if (operand.isConstant() && !operand.isNumber()) {
    std::optional<bool> known = truth(operand.constant);
    if (!known) {
      error(operand.range, "a dtype is neither true nor false");
      return nullptr;
    }
    return build.constant(operand.range, ConstantValue::ofBool(*known), DType::boolean);
  }
  std::optional<Operand> value = asOperand(operand, "the condition of " + what);
  if (!value) {
    return nullptr;
  }
  if (!value->isConstant() && value->value->type->isTile()) {
    error(operand.range, "expected a scalar condition for " + what + ", got " + describe(*value))
        .hint(
            "choose element by element with ph.where(condition, x, y), or reduce the condition with ph.any or ph.all");
    return nullptr;
  }
  return value->isConstant()
             ? build.constant(operand.range, ConstantValue::ofBool(*truth(value->constant)), DType::boolean)
             : build.convert(value->value, DType::boolean);
}

Expr *Checker::scalarIndex(const Operand &operand, const llvm::Twine &what) {
  std::optional<Operand> value = asOperand(operand, what);
  if (!value) {
    return nullptr;
  }
  Element element = value->isConstant() ? elementOf(value->constant) : value->value->type->element();
  bool scalar = value->isConstant() || value->value->type->isScalar();
  if (!scalar || !element.isInteger()) {
    Diagnostic &report = error(operand.range, "expected an integer as " + what + ", got " + describe(*value));
    if (scalar && element.isFloat() && !value->isConstant()) {
      report.hint("`//` divides integers, `/` makes floats; ph.i32(x) truncates");
    }
    return nullptr;
  }
  return asElement(*value, Element::index());
}

std::optional<int64_t> Checker::constantInt(const syntax::Expr &expr, const llvm::Twine &what) {
  Operand operand = check(expr);
  if (operand.isError()) {
    return std::nullopt;
  }
  if (!operand.isConstant() || !isInt(operand.constant)) {
    error(expr.range, "expected a constant int as " + what + ", got " + describe(operand));
    return std::nullopt;
  }
  return operand.constant.integer;
}

std::optional<DType> Checker::constantDType(const syntax::Expr &expr, const llvm::Twine &what) {
  const auto *name = llvm::dyn_cast<syntax::NameExpr>(&expr);
  if (name && name->name == "bool") {
    return DType::boolean;
  }
  Operand operand = check(expr);
  if (operand.isError()) {
    return std::nullopt;
  }
  if (!operand.isConstant() || operand.constant.kind != ConstantKind::Type) {
    error(expr.range, "expected a dtype " + what + ", got " + describe(operand));
    return std::nullopt;
  }
  return operand.constant.dtype;
}

bool Checker::checkSize(SourceRange range, llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count) || count > kMaxTileElements) {
      error(range,
            "a tile of shape " + shapeText(shape) + " has more than " + llvm::Twine(kMaxTileElements) + " elements");
      return false;
    }
  }
  if (count > largestTile) {
    largestTile = count;
    largestTileRange = range;
  }
  return true;
}

std::optional<Checker::Shape> Checker::constantShape(llvm::ArrayRef<const syntax::Expr *> exprs, SourceRange range) {
  Shape shape;
  llvm::SmallVector<Operand, 4> operands;
  for (const syntax::Expr *expr : exprs) {
    const auto *list = llvm::dyn_cast<syntax::ListExpr>(expr);
    Operand operand = list ? tuple(expr->range, list->elements) : check(*expr);
    if (operand.isTuple() && exprs.size() == 1) {
      for (Operand &element : operand.elements()) {
        operands.push_back(std::move(element));
      }
    } else {
      operands.push_back(std::move(operand));
    }
  }
  for (const Operand &operand : operands) {
    if (operand.isError()) {
      return std::nullopt;
    }
    if (!operand.isConstant() || !isInt(operand.constant) || operand.constant.integer < 1) {
      error(operand.range, "expected a positive constant int as an extent of a tile, got " +
                               (operand.isNumber() ? toText(operand.constant) : describe(operand)))
          .hint("the shape of a tile is fixed when the kernel is compiled");
      return std::nullopt;
    }
    shape.push_back(operand.constant.integer);
  }
  if (shape.size() > 5) {
    error(range, "expected at most 5 dimensions, got " + llvm::Twine(shape.size()));
    return std::nullopt;
  }
  return checkSize(range, shape) ? std::optional(shape) : std::nullopt;
}

} // namespace phobos::sema
