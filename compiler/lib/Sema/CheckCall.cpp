// Calls: who is called, conversions, memory and contraction. Elementwise functions, reductions and shapes are in files
// of their own.
#include "Checker.h"

#include "StdLibrary.h"
#include "llvm/ADT/StringExtras.h"

namespace phobos::sema {

Operand Checker::call(const syntax::CallExpr &expr) {
  Operand callee = check(*expr.callee);
  switch (callee.kind) {
  case Operand::Kind::Error:
    return callee;
  case Operand::Kind::Constant:
    if (callee.constant.kind == ConstantValue::Kind::Type) {
      return conversion(expr, callee.constant.dtype);
    }
    break;
  case Operand::Kind::Lang:
    if (llvm::StringRef inLibdevice = callee.name; inLibdevice.consume_front("libdevice.")) {
      return libdevice(expr, inLibdevice);
    }
    if (const Builtin *builtin = findBuiltin(callee.name)) {
      return builtinCall(expr, *builtin);
    }
    break;
  case Operand::Kind::Python:
    return pythonCall(expr, callee.name);
  case Operand::Kind::Function:
    return functionCall(expr, *callee.function);
  default:
    break;
  }
  return fail(expr.callee->range, describe(callee) + " cannot be called");
}

Operand Checker::pythonCall(const syntax::CallExpr &expr, llvm::StringRef name) {
  if (name == "range") {
    return fail(expr.range, "`range` can only be looped over");
  }
  if (!expr.keywords.empty()) {
    return fail(expr.keywords[0].nameRange, "`" + name + "` takes no keyword arguments here");
  }
  std::vector<Operand> args;
  std::vector<ConstantValue> known;
  for (const syntax::Expr *arg : expr.args) {
    Operand operand = check(*arg);
    if (operand.isError()) {
      return operand;
    }
    if (operand.isConstant()) {
      known.push_back(operand.constant);
    }
    args.push_back(std::move(operand));
  }
  if (name == "len" && args.size() == 1 && args[0].kind == Operand::Kind::Tuple) {
    return Operand::of(expr.range, ConstantValue::ofInt(static_cast<int64_t>(args[0].items.size())));
  }
  if (known.size() == args.size()) {
    Folded folded = *foldCall(name, known);
    return folded ? Operand::of(expr.range, *folded.value) : fail(expr.range, folded.problem);
  }
  if (name == "min" || name == "max") {
    if (args.size() < 2) {
      return fail(expr.range, "expected two or more values for `" + name + "`", "ph." + name + " reduces a tile");
    }
    Operand result = args[0];
    for (const Operand &arg : llvm::drop_begin(args)) {
      result = extreme(expr.range, name == "max", result, arg);
    }
    return result;
  }
  if (args.size() != 1) {
    return fail(expr.range, "expected one argument for `" + name + "`");
  }
  if (name == "abs") {
    return absolute(expr.range, args[0]);
  }
  if (name == "len") {
    return fail(expr.range, describe(args[0]) + " has no length here", "write t.shape[0]");
  }
  std::optional<Operand> value = asOperand(args[0], "the argument of `" + name + "`");
  if (!value) {
    return Operand::error();
  }
  if (value->value->type->isTile()) {
    return fail(expr.range, "`" + name + "` takes a scalar, got " + describe(*value),
                "convert a tile with a dtype: ph.f32(t)");
  }
  Element element = name == "int" ? Element::index() : Element(name == "float" ? DType::f32 : DType::boolean);
  return Operand::of(build.convert(value->value, element));
}

Operand Checker::conversion(const syntax::CallExpr &expr, DType dtype) {
  std::string spelled = "`ph." + std::string(phobos::name(dtype)) + "`";
  if (expr.args.size() != 1 || !expr.keywords.empty()) {
    return fail(expr.range, "expected one value to convert with " + spelled);
  }
  Operand operand = check(*expr.args[0]);
  std::optional<Operand> value = asOperand(operand, "the argument of " + spelled);
  if (!value) {
    return Operand::error();
  }
  if (!value->isConstant()) {
    return Operand::of(build.convert(value->value, dtype));
  }
  // A constant becomes a scalar of that dtype: it no longer adapts as a literal does.
  ConstantValue constant = value->constant;
  if (constant.kind == ConstantValue::Kind::Float && !phobos::isFloat(dtype) && dtype != DType::boolean) {
    Folded truncated = *foldCall("int", {constant});
    if (!truncated) {
      return fail(expr.range, truncated.problem);
    }
    constant = *truncated.value;
  }
  Expr *made = asElement(Operand::of(expr.range, constant), dtype);
  return made ? Operand::of(made) : Operand::error();
}

Operand Checker::bitcast(const syntax::CallExpr &expr, const BoundArguments &args) {
  Operand operand = check(*args[0]);
  std::optional<DType> dtype = constantDType(*args[1], "to cast to");
  Expr *value = operand.isError() || !dtype ? nullptr : asValue(operand);
  if (!value) {
    return Operand::error();
  }
  Element from = value->type->element();
  if (from.isIndex() || bitWidth(from.dtype()) != bitWidth(*dtype)) {
    return fail(expr.range,
                "`ph.bitcast` keeps the width: " + elementName(from) + " is not as wide as " + elementName(*dtype),
                from.isIndex() ? "convert the index first: ph.i32(...) or ph.i64(...)" : "");
  }
  if (from.isBool() || *dtype == DType::boolean) {
    return fail(expr.range, "`ph.bitcast` does not take bool", "convert it: ph.i8(...), or compare with 0");
  }
  return Operand::of(build.make<Bitcast>(expr.range, types.withElement(value->type, *dtype), value));
}

Operand Checker::load(const syntax::CallExpr &expr, const BoundArguments &args) {
  Operand view = check(*args[0]);
  if (view.isError()) {
    return view;
  }
  if (view.kind != Operand::Kind::View) {
    return fail(args[0]->range, "expected a slice of a tensor to load, got " + describe(view),
                "write ph.load(A[i:+16])");
  }
  std::optional<std::string> cache = cacheHint(args);
  if (!cache) {
    return Operand::error();
  }
  Expr *fill = nullptr;
  if (args[1]) {
    Operand other = check(*args[1]);
    std::optional<Operand> value = asOperand(other, "`other`");
    if (!value) {
      return Operand::error();
    }
    if (!value->isConstant() && value->value->type->isTile()) {
      return fail(args[1]->range, "expected a scalar as `other`, got " + describe(*value));
    }
    fill = asElement(*value, view.slice->type->element());
    if (!fill) {
      return Operand::error();
    }
  }
  return Operand::of(build.make<Load>(expr.range, view.slice, fill, build.copy(llvm::StringRef(*cache))));
}

std::optional<std::string> Checker::cacheHint(const BoundArguments &args) {
  struct Hint {
    llvm::StringRef name, prefix;
    std::vector<llvm::StringRef> values;
  };
  const Hint hints[] = {{"cache", ".", {"ca", "cg", "cs", "cv"}},
                        {"evict", ".L1::evict_", {"first", "last", "normal", "unchanged"}}};
  std::string found;
  for (auto [i, hint] : llvm::enumerate(hints)) {
    const syntax::Expr *arg = args[i + 2];
    if (!arg || llvm::isa<syntax::NoneLiteral>(arg)) {
      continue;
    }
    std::string list = "\"" + llvm::join(hint.values, "\", \"") + "\"";
    auto text = constantText(*arg, "`" + hint.name + "`", "one of " + list);
    if (!text) {
      return std::nullopt;
    }
    if (!llvm::is_contained(hint.values, *text)) {
      fail(arg->range, "expected one of " + list + " as `" + hint.name + "`, got \"" + *text + "\"");
      return std::nullopt;
    }
    if (!found.empty()) {
      fail(arg->range, "`cache` and `evict` cannot both be given", "a load of PTX takes one of them");
      return std::nullopt;
    }
    found = (hint.prefix + *text).str();
  }
  return found;
}

Operand Checker::prefetch(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args) {
  Operand view = check(*args[0]);
  if (view.isError()) {
    return view;
  }
  if (view.kind != Operand::Kind::View) {
    return fail(args[0]->range, "expected a slice of a tensor to prefetch, got " + describe(view),
                "write ph.prefetch(A[i:+16])");
  }
  if (!view.slice->gathered.empty()) {
    return fail(args[0]->range, "a gather cannot be prefetched", "prefetch spans");
  }
  emit(build.make<Prefetch>(expr.range, view.slice));
  return effect(expr.range, builtin);
}

Operand Checker::gridBarrier(const syntax::CallExpr &expr, const Builtin &builtin) {
  if (out.options.persistent != PersistentOrder::None) {
    return fail(expr.range,
                "`ph.grid_barrier` in a `@ph.persistent` kernel: a block would wait for blocks that begin when it ends",
                "drop @ph.persistent: launch as many blocks as the device holds, each with a loop over its tiles");
  }
  if (out.options.dependent) {
    return fail(expr.range,
                "`ph.grid_barrier` in a `@ph.dependent` kernel: its blocks may begin before there is room "
                "for all of them",
                "drop @ph.dependent");
  }
  emit(build.make<GridBarrier>(expr.range));
  return effect(expr.range, builtin);
}

Operand Checker::dot(const syntax::CallExpr &expr, const BoundArguments &args, bool transposeB) {
  llvm::StringRef name = transposeB ? "dot_t" : "dot";
  Expr *a = tileArgument(*args[0], name), *b = tileArgument(*args[1], name);
  if (!a || !b) {
    return Operand::error();
  }
  for (const auto &[value, written] : {std::pair(a, args[0]), std::pair(b, args[1])}) {
    if (value->type->rank() != 2) {
      return fail(written->range,
                  "expected a tile of rank 2 as an operand of `ph." + name + "`, got " + value->type->str());
    }
  }
  int64_t m = a->type->shape()[0], k = a->type->shape()[1];
  int64_t n = b->type->shape()[transposeB ? 0 : 1], k2 = b->type->shape()[transposeB ? 1 : 0];
  if (k != k2) {
    Diagnostic &report = error(expr.range, "`ph." + name + "` of " + a->type->str() + " and " + b->type->str() +
                                               ": the inner extents are " + llvm::Twine(k) + " and " + llvm::Twine(k2));
    if (k == b->type->shape()[transposeB ? 0 : 1]) {
      report.hint(transposeB ? "write ph.dot(a, b): b is not transposed" : "write ph.dot_t(a, b) to transpose b");
    }
    return Operand::error();
  }
  Element left = a->type->element(), right = b->type->element();
  std::optional<Element> element = dotResult(left, right);
  if (!element) {
    Diagnostic &report =
        error(expr.range, "`ph." + name + "` cannot multiply " + elementName(left) + " by " + elementName(right));
    if (!(left == right) && !left.isIndex() && !right.isIndex()) {
      report.hint("convert one operand to the dtype of the other");
    } else {
      report.hint("operands are f16, bf16, f32, f64, f8 or i8 and u8");
    }
    return Operand::error();
  }
  const Type *type = types.get(*element, {m, n});
  Expr *accumulator = nullptr;
  if (args[2] && !llvm::isa<syntax::NoneLiteral>(args[2])) {
    Operand acc = check(*args[2]);
    std::optional<Operand> value = asOperand(acc, "`acc`");
    if (!value) {
      return Operand::error();
    }
    bool fits = value->isConstant() || (broadcastsTo(value->value->type->shape(), type->shape()) &&
                                        joinStrong(value->value->type->element(), *element) == *element);
    if (!fits) {
      return fail(args[2]->range, "expected `acc` to be " + type->str() + ", got " + value->value->type->str());
    }
    accumulator = asElement(*value, *element);
    accumulator = accumulator ? build.broadcast(accumulator, type->shape()) : nullptr;
    if (!accumulator) {
      return Operand::error();
    }
  }
  if (!checkSize(expr.range, type->shape())) {
    return Operand::error();
  }
  hasDot = true;
  return Operand::of(build.make<Dot>(expr.range, type, a, b, accumulator, transposeB));
}

Operand Checker::builtinCall(const syntax::CallExpr &expr, const Builtin &builtin) {
  switch (builtin.category) {
  case Category::Decorator:
    return fail(expr.range, "`ph." + builtin.name + "` is a decorator");
  case Category::Annotation:
    return fail(expr.range, "`ph." + builtin.name + "` stands in annotations",
                builtin.name == "tile" ? "make a tile with ph.zeros or ph.full" : "");
  case Category::Control:
    return fail(expr.range, "`ph." + builtin.name + "` can only be looped over");
  default:
    break;
  }
  auto report = [&](SourceRange range, const llvm::Twine &message) -> Diagnostic & { return error(range, message); };
  std::optional<BoundArguments> args = bindArguments(builtin, expr, report);
  if (!args) {
    return Operand::error();
  }
  switch (builtin.rule) {
  case Rule::Dot:
  case Rule::DotTransposed:
    return dot(expr, *args, builtin.rule == Rule::DotTransposed);
  case Rule::InLanguage:
    return mayCombine(expr, builtin, *args)
               ? functionCall(expr, *findLibraryFunction(LibraryFile::Shapes, builtin.name))
               : Operand::error();
  case Rule::Fold:
  case Rule::FoldRunning:
    return combination(expr, builtin, *args);
  case Rule::CumSum:
  case Rule::CumProd:
    return running(expr, builtin, *args);
  case Rule::Bitcast:
    return bitcast(expr, *args);
  case Rule::Load:
    return load(expr, *args);
  case Rule::AtomicAdd:
  case Rule::AtomicMin:
  case Rule::AtomicMax:
  case Rule::AtomicAnd:
  case Rule::AtomicOr:
  case Rule::AtomicXor:
  case Rule::AtomicExchange:
  case Rule::AtomicCompareExchange:
    return atomic(expr, builtin, *args);
  case Rule::Prefetch:
    return prefetch(expr, builtin, *args);
  case Rule::GridBarrier:
    return gridBarrier(expr, builtin);
  case Rule::Ptx:
    return ptx(expr, *args);
  case Rule::Print:
    return print(expr, builtin, *args);
  case Rule::Assert:
    return assertion(expr, builtin, *args);
  default:
    break;
  }
  switch (builtin.category) {
  case Category::Reduction:
    return reduction(expr, builtin, *args);
  case Category::Shape:
    return shapeCall(expr, builtin, *args);
  case Category::Random:
    return random(expr, builtin, *args);
  default:
    return elementwise(expr, builtin, *args);
  }
}

} // namespace phobos::sema
