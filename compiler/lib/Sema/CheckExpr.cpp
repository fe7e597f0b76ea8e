// Expressions: names, attributes, tuples, subscripts. How an operand becomes a value is in CheckValue.cpp.
#include "Checker.h"
#include "Libdevice.h"
#include "StdLibrary.h"

#include "phobos/Support/SourceFile.h"

namespace phobos::sema {

using ConstantKind = ConstantValue::Kind;

// --- Expressions
Operand Checker::check(const syntax::Expr &expr) {
  Operand operand = checkKind(expr);
  if (operand.kind == Operand::Kind::Effect) {
    return fail(expr.range, describe(operand) + " has no value", "put it on a line of its own");
  }
  if (!operand.isError()) {
    operand.range = expr.range;
  }
  return operand;
}

Operand Checker::checkKind(const syntax::Expr &expr) {
  using Kind = syntax::Expr::Kind;
  switch (expr.kind) {
  case Kind::Name:
    return name(llvm::cast<syntax::NameExpr>(expr));
  case Kind::IntLiteral: {
    const auto &literal = llvm::cast<syntax::IntLiteral>(expr);
    if (!literal.fits || literal.value > static_cast<uint64_t>(INT64_MAX)) {
      return fail(expr.range, literal.decimal + " does not fit in a 64-bit integer");
    }
    return Operand::of(expr.range, ConstantValue::ofInt(static_cast<int64_t>(literal.value)));
  }
  case Kind::FloatLiteral:
    return Operand::of(expr.range, ConstantValue::ofFloat(llvm::cast<syntax::FloatLiteral>(expr).value));
  case Kind::BoolLiteral:
    return Operand::of(expr.range, ConstantValue::ofBool(llvm::cast<syntax::BoolLiteral>(expr).value));
  case Kind::NoneLiteral:
    return Operand::of(expr.range, ConstantValue());
  case Kind::StringLiteral: {
    ConstantValue value;
    value.kind = ConstantKind::String;
    value.text = llvm::cast<syntax::StringLiteral>(expr).value.str();
    return Operand::of(expr.range, value);
  }
  case Kind::Unary:
    return unary(llvm::cast<syntax::UnaryExpr>(expr));
  case Kind::Binary: {
    const auto &node = llvm::cast<syntax::BinaryExpr>(expr);
    Operand lhs = check(*node.lhs), rhs = check(*node.rhs);
    return binary(expr.range, node.opRange, node.op, lhs, rhs);
  }
  case Kind::BoolOp:
    return boolOp(llvm::cast<syntax::BoolOpExpr>(expr));
  case Kind::Compare:
    return compare(llvm::cast<syntax::CompareExpr>(expr));
  case Kind::Conditional:
    return conditional(llvm::cast<syntax::ConditionalExpr>(expr));
  case Kind::Call:
    return call(llvm::cast<syntax::CallExpr>(expr));
  case Kind::Attribute:
    return attribute(llvm::cast<syntax::AttributeExpr>(expr));
  case Kind::Subscript:
    return subscript(llvm::cast<syntax::SubscriptExpr>(expr));
  case Kind::Tuple:
    return tuple(expr.range, llvm::cast<syntax::TupleExpr>(expr).elements);
  case Kind::List:
    return fail(expr.range, "a list cannot be a value in a kernel", "write a tuple: (...)");
  case Kind::EllipsisLiteral:
  case Kind::Slice:
  case Kind::Opaque:
    return fail(expr.range, "this cannot be a value in a kernel");
  }
  return Operand::error();
}

Operand Checker::tuple(SourceRange range, llvm::ArrayRef<syntax::Expr *> elements) {
  Operand result{Operand::Kind::Tuple, range};
  bool constant = true;
  for (const syntax::Expr *element : elements) {
    Operand item = check(*element);
    if (item.isError()) {
      return item;
    }
    constant &= item.isConstant();
    result.items.push_back(std::move(item));
  }
  if (constant) {
    ConstantValue value;
    value.kind = ConstantKind::Tuple;
    for (Operand &item : result.items) {
      value.items.push_back(std::move(item.constant));
    }
    return Operand::of(range, std::move(value));
  }
  return result;
}

Operand Checker::lang(SourceRange range, const std::string &path) {
  if (std::optional<DType> dtype = parseDType(path)) {
    return Operand::of(range, ConstantValue::ofType(*dtype));
  }
  auto unknown = [&](llvm::StringRef prefix, llvm::StringRef near) {
    return fail(range, "`ph." + path + "` is not known",
                near.empty() ? "" : "did you mean `ph." + (prefix + near).str() + "`?");
  };
  auto named = [&] {
    Operand operand{Operand::Kind::Lang, range};
    operand.name = path;
    return operand;
  };
  const Builtin *builtin = findBuiltin(path);
  llvm::StringRef inner = path;
  if (!builtin && inner.consume_front("std.")) {
    if (!module.library && frame->function.range.file == kernel.range.file) {
      return fail(range, "`ph." + path + "` is of the library, which is left out", "compile without --no-std");
    }
    Operand operand{Operand::Kind::Function, range};
    operand.function = findLibraryFunction(LibraryFile::Std, inner);
    return operand.function ? operand : unknown("std.", nearestStdFunction(inner));
  }
  if (!builtin && inner.consume_front("libdevice.")) {
    return findLibdevice(inner) ? named() : unknown("libdevice.", nearestLibdevice(inner));
  }
  if (builtin && !builtin->supported) {
    return notYet(range, "`ph." + path + "`");
  }
  bool isPrefix = path.empty() || path == "ctx" || path == "ctx.block" || path == "ctx.grid" || path == "ctx.cluster";
  if (!builtin && !isPrefix) {
    return unknown("", nearestBuiltin(path));
  }
  if (builtin && builtin->category == Category::Context) {
    unsigned axis = static_cast<unsigned>(path.back() - 'x');
    if (builtin->rule >= Rule::ClusterX) { // clusters are of neighbouring blocks, as they are launched
      unsigned blocks = axis == 0 ? out.options.clusterX : out.options.clusterY;
      return Operand::of(build.binary(range, BinaryOp::Mod, build.make<BlockId>(range, types.index(), axis),
                                      build.indexConstant(range, blocks)));
    }
    bool isBlock = builtin->rule <= Rule::BlockZ;
    if (isBlock && axis < 2 && swizzled[axis]) {
      return Operand::of(build.read(range, swizzled[axis]));
    }
    return Operand::of(isBlock ? static_cast<Expr *>(build.make<BlockId>(range, types.index(), axis))
                               : build.make<GridSize>(range, types.index(), axis));
  }
  return named();
}

/// A node stands for one place of the source: what a name is bound to is made anew where it is read.
Operand Checker::readHere(const Operand &bound, SourceRange range) {
  Operand operand = bound;
  operand.range = range;
  if (bound.kind == Operand::Kind::Tuple) {
    for (Operand &item : operand.items) {
      item = readHere(item, range);
    }
  } else if (bound.kind == Operand::Kind::Value) {
    if (const auto *read = llvm::dyn_cast<Read>(bound.value)) {
      operand.value = build.read(range, read->variable);
    } else if (const auto *extent = llvm::dyn_cast<Extent>(bound.value)) {
      operand.value = build.make<Extent>(range, extent->type, extent->dim);
    } else if (const auto *parameter = llvm::dyn_cast<Parameter>(bound.value)) {
      operand.value = build.make<Parameter>(range, parameter->type, parameter->index);
    }
  }
  return operand;
}

/// `name` is imported; `wanted` is what the kernel takes from it, or the name itself.
Operand Checker::failImported(const syntax::NameExpr &name, llvm::StringRef wanted) {
  llvm::StringRef ours = ourNameFor(wanted);
  return fail(
      name.range,
      "`" + name.name + "` is imported; a kernel sees device functions of other files, and nothing else of them",
      ours.empty() ? "bring a constant in by an assignment at the top of the file" : "write `ph." + ours.str() + "`");
}

Operand Checker::failUnreadable(const syntax::NameExpr &name) {
  constexpr llvm::StringLiteral kSeen = "a kernel sees ints, floats, bools, dtypes and tuples of them";
  const syntax::Expr *value = findAssigned(frame->function.enclosing, name.name);
  if (value && llvm::isa<syntax::ListExpr>(value)) {
    return fail(name.range, "`" + name.name + "` is a list; " + kSeen, "write a tuple: (...)");
  }
  bool isNoConstant = value && llvm::isa<syntax::OpaqueExpr, syntax::StringLiteral>(value);
  return fail(name.range, "the value of `" + name.name + "` cannot be read from the text",
              isNoConstant
                  ? kSeen.str()
                  : ("assign it once, to a constant, or give phobosc its value: -D " + name.name + "=...").str());
}

Operand Checker::name(const syntax::NameExpr &expr) {
  auto fixed = frame->fixed.find(expr.name);
  if (fixed != frame->fixed.end()) {
    return readHere(fixed->second, expr.range);
  }
  if (frame->assigned.contains(expr.name)) {
    Symbol *symbol = frame->local(expr.name);
    auto found = frame->flow.set.find(symbol);
    if (found == frame->flow.set.end()) {
      if (std::exchange(symbol->isReported, true)) {
        return Operand::error();
      }
      if (!symbol->range.isValid()) {
        return fail(expr.range, "`" + expr.name + "` is used before it is set");
      }
      Diagnostic &report = error(expr.range, "`" + expr.name + "` might not be set here");
      if (symbol->kind == Symbol::Kind::Loop) {
        report.note(symbol->range, "it is the variable of this loop, which may not run at all");
      } else {
        report.note(symbol->range, "it is set here, which is not on every path")
            .hint("set it before the branch or loop");
      }
      return Operand::error();
    }
    if (found->second) {
      return readHere(*found->second, expr.range);
    }
    return symbol->variable ? Operand::of(build.read(expr.range, symbol->variable)) : Operand::error();
  }
  if (std::optional<std::string> path = frame->names.resolve(expr)) {
    return lang(expr.range, *path);
  }
  if (const syntax::FunctionDef *function = findFunction(frame->function.enclosing, expr.name)) {
    if (function->role == syntax::FunctionRole::Device) {
      Operand operand{Operand::Kind::Function, expr.range};
      operand.function = function;
      return operand;
    }
    return fail(expr.range,
                function->role == syntax::FunctionRole::Kernel
                    ? "`" + expr.name + "` is a kernel and cannot be called from a kernel"
                    : "`" + expr.name + "` is not a device function",
                "mark it @ph.fn");
  }
  if (const syntax::FunctionDef *function = importedFunction(expr.name)) {
    Operand operand{Operand::Kind::Function, expr.range};
    operand.function = function;
    return operand;
  }
  if (std::optional<ConstantValue> value = constantOf(frame->function, expr.name)) {
    return Operand::of(expr.range, *value);
  }
  if (isPythonBuiltin(expr.name)) {
    Operand operand{Operand::Kind::Python, expr.range};
    operand.name = expr.name.str();
    return operand;
  }
  if (frame->names.isImported(expr.name)) {
    return failImported(expr, expr.name);
  }
  if (const syntax::PlainDefinition *plain = findPlainDefinition(frame->function.enclosing, expr.name)) {
    error(expr.range, "`" + expr.name + "` is " + (plain->isClass ? "a class" : "an ordinary function") +
                          "; a kernel calls device functions only")
        .note(plain->nameRange, "it is defined here")
        .hint(plain->isClass ? "a device function is a function under `@ph.fn`" : "put `@ph.fn` above it");
    return Operand::error();
  }
  if (isBoundOutside(frame->function.enclosing, expr.name)) {
    return failUnreadable(expr);
  }
  Diagnostic &report = error(expr.range, "`" + expr.name + "` is not defined");
  llvm::SmallVector<llvm::StringRef, 32> known;
  for (const auto &entry : frame->fixed) {
    known.push_back(entry.getKey());
  }
  for (const auto &entry : frame->assigned.counts) {
    known.push_back(entry.getKey());
  }
  llvm::sort(known);
  if (frame->caller && frame->caller->fixed.contains(expr.name)) {
    report.hint("a device function does not see the names of its caller: pass it as an argument");
  } else if (llvm::StringRef near = nearestName(expr.name, known); !near.empty()) {
    report.hint("did you mean `" + near + "`?");
  } else if (parseDType(std::string_view(expr.name))) {
    report.hint("did you mean `ph." + expr.name + "`?");
  } else if (findBuiltin(expr.name)) {
    report.hint("did you mean `ph." + expr.name + "`?");
  }
  return Operand::error();
}

Operand Checker::extentOf(SourceRange range, unsigned tensor, size_t axis) {
  const DimInfo &dim = out.info.parameters[tensor].dims[axis];
  if (dim.name.empty()) {
    return Operand::of(range, ConstantValue::ofInt(dim.extent));
  }
  auto index = static_cast<unsigned>(llvm::find(out.info.dims, dim.name) - out.info.dims.begin());
  return Operand::of(build.make<Extent>(range, types.index(), index));
}

/// "a.b.c"; empty where the root is no name.
static std::string dottedName(const syntax::Expr &expr) {
  if (const auto *name = llvm::dyn_cast<syntax::NameExpr>(&expr)) {
    return name->name.str();
  }
  const auto *attribute = llvm::dyn_cast<syntax::AttributeExpr>(&expr);
  std::string base = attribute ? dottedName(*attribute->base) : "";
  return base.empty() ? "" : base + "." + attribute->name.str();
}

std::optional<ConstantValue> Checker::constantOf(const syntax::FunctionDef &function, llvm::StringRef name) const {
  return function.range.file == kernel.range.file ? constants.find(name) : findConstant(function.enclosing, name);
}

const syntax::FunctionDef *Checker::importedFunction(llvm::StringRef name) const {
  return module.imports().find(frame->function.range.file->path(), name);
}

Operand Checker::attribute(const syntax::AttributeExpr &expr) {
  const syntax::Expr *root = &expr;
  while (const auto *inner = llvm::dyn_cast<syntax::AttributeExpr>(root)) {
    root = inner->base;
  }
  const auto *rootName = llvm::dyn_cast<syntax::NameExpr>(root);
  bool isLocal = rootName && (frame->assigned.contains(rootName->name) || frame->fixed.contains(rootName->name));
  if (!isLocal) {
    if (std::optional<std::string> path = frame->names.resolve(expr)) {
      return lang(expr.range, *path);
    }
  }
  if (rootName && !isLocal) {
    if (const syntax::FunctionDef *function = importedFunction(dottedName(expr))) {
      Operand operand{Operand::Kind::Function, expr.range};
      operand.function = function;
      return operand;
    }
  }
  if (rootName && !isLocal && frame->names.isImported(rootName->name) && !constantOf(frame->function, rootName->name)) {
    return failImported(*rootName, expr.name);
  }
  Operand base = check(*expr.base);
  if (base.isError()) {
    return base;
  }
  bool isTensor = base.kind == Operand::Kind::Tensor;
  if (isTensor && (expr.name == "shape" || expr.name == "stride" || expr.name == "strides")) {
    Operand operand{expr.name == "shape" ? Operand::Kind::Shape : Operand::Kind::Stride, expr.range};
    operand.tensor = base.tensor;
    return operand;
  }
  bool isValue = base.kind == Operand::Kind::Value || base.kind == Operand::Kind::View;
  const Type *type = base.kind == Operand::Kind::Value  ? base.value->type
                     : base.kind == Operand::Kind::View ? base.slice->type
                                                        : nullptr;
  if (expr.name == "dtype" && isTensor) {
    return Operand::of(expr.range, ConstantValue::ofType(out.info.parameters[base.tensor].dtype));
  }
  if (expr.name == "dtype" && isValue) {
    if (type->element().isIndex()) {
      return fail(expr.range, "an index has no dtype", "convert it: ph.i32(...) or ph.i64(...)");
    }
    return Operand::of(expr.range, ConstantValue::ofType(type->element().dtype()));
  }
  if (expr.name == "ndim" && (isTensor || isValue)) {
    size_t rank = isTensor ? out.info.parameters[base.tensor].dims.size() : type->rank();
    return Operand::of(expr.range, ConstantValue::ofInt(static_cast<int64_t>(rank)));
  }
  if (expr.name == "shape" && isValue) {
    ConstantValue shape;
    shape.kind = ConstantKind::Tuple;
    for (int64_t extent : type->shape()) {
      shape.items.push_back(ConstantValue::ofInt(extent));
    }
    return Operand::of(expr.range, shape);
  }
  if (expr.name == "T" && isValue && type->isTile()) {
    Expr *value = asValue(base);
    Shape shape(llvm::reverse(type->shape())), order;
    for (unsigned i = type->rank(); i > 0; --i) {
      order.push_back(i - 1);
    }
    return Operand::of(build.make<Transpose>(expr.range, types.withShape(type, shape), value,
                                             build.copy(llvm::ArrayRef<int64_t>(order))));
  }
  Diagnostic &report = error(expr.nameRange, describe(base) + " has no attribute `" + expr.name + "`");
  if (expr.name == "to" || expr.name == "astype") {
    report.hint("convert with a dtype: ph.f16(x)");
  } else if (const Builtin *builtin = findBuiltin(expr.name); builtin && (isValue || isTensor)) {
    report.hint("write ph." + builtin->name + "(...)");
  } else if (isTensor) {
    report.hint("a tensor has `shape`, `stride`, `dtype` and `ndim`");
  } else if (isValue) {
    report.hint("a tile has `shape`, `dtype`, `ndim` and `T`");
  }
  return Operand::error();
}

Operand Checker::conditional(const syntax::ConditionalExpr &expr) {
  Operand condition = check(*expr.condition);
  if (condition.isError()) {
    return condition;
  }
  if (condition.isConstant()) {
    std::optional<bool> known = truth(condition.constant);
    if (!known) {
      return fail(expr.condition->range, "a dtype is neither true nor false");
    }
    return check(*known ? *expr.thenValue : *expr.elseValue);
  }
  Expr *chosen = asCondition(condition, "`if` in an expression");
  Operand thenValue = check(*expr.thenValue), elseValue = check(*expr.elseValue);
  if (!chosen) {
    return Operand::error();
  }
  llvm::SmallVector<Expr *, 3> arms = joined(expr.range, "`if` in an expression", {thenValue, elseValue});
  return arms.empty() ? Operand::error() : Operand::of(build.make<Conditional>(expr.range, chosen, arms[0], arms[1]));
}

// --- Subscripts
Operand Checker::tensorEntry(SourceRange range, const Operand &base, size_t axis) {
  if (base.kind == Operand::Kind::Shape) {
    return extentOf(range, base.tensor, axis);
  }
  return Operand::of(build.make<Stride>(range, types.index(), base.tensor, static_cast<unsigned>(axis)));
}

Operand Checker::tensorTuple(const Operand &base) {
  Operand tuple{Operand::Kind::Tuple, base.range};
  for (size_t axis = 0; axis < out.info.parameters[base.tensor].dims.size(); ++axis) {
    tuple.items.push_back(tensorEntry(base.range, base, axis));
  }
  return tuple;
}

Operand Checker::shapeEntry(const syntax::SubscriptExpr &expr, const Operand &base) {
  if (expr.indices.size() != 1) {
    return fail(expr.indexRange, "expected one index");
  }
  std::optional<int64_t> index = constantInt(*expr.indices[0], "the axis of a tensor");
  if (!index) {
    return Operand::error();
  }
  auto rank = static_cast<int64_t>(out.info.parameters[base.tensor].dims.size());
  int64_t axis = *index < 0 ? *index + rank : *index;
  if (axis < 0 || axis >= rank) {
    return fail(expr.indices[0]->range,
                "axis " + llvm::Twine(*index) + " is out of range for a tensor of rank " + llvm::Twine(rank));
  }
  return tensorEntry(expr.range, base, static_cast<size_t>(axis));
}

Operand Checker::subscript(const syntax::SubscriptExpr &expr) {
  Operand base = check(*expr.base);
  switch (base.kind) {
  case Operand::Kind::Error:
    return base;
  case Operand::Kind::Tensor:
    return slice(expr, base.tensor);
  case Operand::Kind::Shape:
  case Operand::Kind::Stride:
    return shapeEntry(expr, base);
  case Operand::Kind::View:
    return partOfTile(expr, asValue(base));
  case Operand::Kind::Value:
    if (base.value->type->isTile()) {
      return partOfTile(expr, base.value);
    }
    break;
  default:
    break;
  }
  if (base.isTuple()) {
    std::vector<Operand> elements = base.elements();
    if (expr.indices.size() != 1 || llvm::isa<syntax::SliceExpr>(expr.indices[0])) {
      return fail(expr.indexRange, "expected one index of a tuple");
    }
    std::optional<int64_t> index = constantInt(*expr.indices[0], "the index of a tuple");
    if (!index) {
      return Operand::error();
    }
    auto size = static_cast<int64_t>(elements.size());
    int64_t at = *index < 0 ? *index + size : *index;
    if (at < 0 || at >= size) {
      return fail(expr.indices[0]->range,
                  "index " + llvm::Twine(*index) + " is out of range for a tuple of " + llvm::Twine(size));
    }
    Operand element = elements[at];
    element.range = expr.range;
    return element;
  }
  return fail(expr.range, describe(base) + " cannot be subscripted",
              isAxes(base) ? "write `ph." + base.name + ".x`" : std::string());
}

} // namespace phobos::sema
