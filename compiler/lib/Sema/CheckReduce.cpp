// Reductions, with NumPy's axis and keepdims.
#include "Checker.h"

namespace phobos::sema {

std::optional<int64_t> Checker::axisOf(int64_t axis, unsigned rank, SourceRange range) {
  int64_t counted = axis < 0 ? axis + rank : axis;
  if (counted < 0 || counted >= rank) {
    error(range, "axis " + llvm::Twine(axis) + " is out of range for a tile of rank " + llvm::Twine(rank));
    return std::nullopt;
  }
  return counted;
}

std::optional<Checker::Shape> Checker::reductionAxes(const syntax::Expr &axis, unsigned rank) {
  Operand operand = check(axis);
  if (operand.isError()) {
    return std::nullopt;
  }
  if (operand.isConstant() && operand.constant.kind == ConstantValue::Kind::None) {
    return Shape();
  }
  std::vector<Operand> written = operand.isTuple() ? operand.elements() : std::vector<Operand>{operand};
  if (written.empty()) {
    fail(axis.range, "expected at least one axis", "leave out `axis` to reduce over all of them");
    return std::nullopt;
  }
  Shape axes;
  for (const Operand &each : written) {
    if (!each.isConstant() || each.constant.kind != ConstantValue::Kind::Int) {
      error(axis.range, "expected a constant int, or a tuple of them, as `axis`, got " + describe(operand));
      return std::nullopt;
    }
    std::optional<int64_t> counted = axisOf(each.constant.integer, rank, axis.range);
    if (!counted) {
      return std::nullopt;
    }
    if (llvm::is_contained(axes, *counted)) {
      error(axis.range, "axis " + llvm::Twine(*counted) + " is given twice");
      return std::nullopt;
    }
    axes.push_back(*counted);
  }
  llvm::sort(axes);
  return axes;
}

Operand Checker::reduce(SourceRange range, ReduceOp op, llvm::StringRef name, const Operand &operand,
                        std::optional<Shape> axes, bool keepDims) {
  if (!axes) {
    return Operand::error();
  }
  Expr *value = asValue(operand);
  const Type *type = value->type;
  Element element = type->element(), result = element;
  bool logical = op == ReduceOp::Any || op == ReduceOp::All;
  bool arg = op == ReduceOp::ArgMax || op == ReduceOp::ArgMin;
  if (!logical && !computes(range, ("`ph." + name + "`").str(), element)) {
    return Operand::error();
  }
  if (logical) {
    result = DType::boolean;
    value = build.convert(value, result);
  } else if (op == ReduceOp::Sum || op == ReduceOp::Prod) {
    Element wide = accumulatorOf(element);
    value = build.convert(value, wide);
    result = element.isFloat() ? element : wide;
  } else if (element.isBool()) {
    value = build.convert(value, DType::i32);
    result = DType::i32;
  }
  Shape all;
  for (unsigned i = 0; i < type->rank(); ++i) {
    all.push_back(i);
  }
  if (axes->empty()) {
    if (arg && type->rank() != 1) {
      return fail(range, "`ph." + name + "` needs an axis for a tile of rank " + llvm::Twine(type->rank()),
                  "write axis=..., or make it flat: ph." + name + "(ph.flat(t))");
    }
    axes = all;
  }
  if (arg && axes->size() != 1) {
    return fail(range, "`ph." + name + "` takes one axis");
  }
  Shape reduced, kept;
  for (unsigned i = 0; i < type->rank(); ++i) {
    bool isReduced = llvm::is_contained(*axes, i);
    if (!isReduced) {
      reduced.push_back(type->shape()[i]);
    }
    kept.push_back(isReduced ? 1 : type->shape()[i]);
  }
  Element produced = arg ? Element::index() : value->type->element();
  Expr *node =
      build.make<Reduce>(range, types.get(produced, reduced), op, value, build.copy(llvm::ArrayRef<int64_t>(*axes)));
  node = arg ? node : build.convert(node, result);
  return Operand::of(keepDims ? build.reshape(range, node, kept) : node);
}

/// As NumPy: flat without an axis.
Operand Checker::running(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args) {
  Operand operand = check(*args[0]);
  if (operand.isError()) {
    return operand;
  }
  const Type *type = tileOf(operand);
  if (!type) {
    return fail(args[0]->range, "expected a tile to scan, got " + describe(operand));
  }
  std::optional<Shape> axes = args[1] ? reductionAxes(*args[1], type->rank()) : Shape();
  if (!axes || !computes(expr.range, ("`ph." + builtin.name + "`").str(), type->element())) {
    return Operand::error();
  }
  if (axes->size() > 1) {
    return fail(args[1]->range, "`ph." + builtin.name + "` takes one axis");
  }
  Element element = type->element(), wide = accumulatorOf(element);
  Expr *value = build.convert(asValue(operand), wide);
  if (axes->empty()) {
    int64_t count = 1;
    for (int64_t extent : type->shape()) {
      count *= extent;
    }
    value = type->rank() == 1 ? value : build.reshape(expr.range, value, {count});
    axes = Shape{0};
  }
  ReduceOp op = builtin.rule == Rule::CumSum ? ReduceOp::Sum : ReduceOp::Prod;
  llvm::ArrayRef<int64_t> axis = build.copy(llvm::ArrayRef<int64_t>(*axes));
  Expr *node = build.make<Reduce>(expr.range, value->type, op, value, axis, /*running=*/true);
  return Operand::of(build.convert(node, element.isFloat() ? element : wide));
}

const Type *Checker::tileOf(const Operand &operand) {
  const Type *type = operand.kind == Operand::Kind::Value  ? operand.value->type
                     : operand.kind == Operand::Kind::View ? operand.slice->type
                                                           : nullptr;
  return type && type->isTile() ? type : nullptr;
}

Operand Checker::reduction(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args) {
  SourceRange range = expr.range;
  Operand operand = check(*args[0]);
  if (operand.isError()) {
    return operand;
  }
  bool extremes = builtin.rule == Rule::Min || builtin.rule == Rule::Max;
  if (extremes && args[1] && !llvm::isa<syntax::NoneLiteral>(args[1])) {
    if (args[2] || args[3]) {
      return fail(range, "`ph." + builtin.name + "` of two operands works element by element and takes no axis");
    }
    return extreme(range, builtin.rule == Rule::Max, operand, check(*args[1]));
  }
  bool row = builtin.rule == Rule::RowSum || builtin.rule == Rule::RowMax || builtin.rule == Rule::RowArgMax;
  size_t axisAt = extremes ? 2 : 1;
  const Type *type = tileOf(operand);
  if (!type) {
    return fail(args[0]->range, "expected a tile to reduce, got " + describe(operand),
                extremes ? "give two operands for the lesser or greater of them" : "");
  }
  bool keepDims = row;
  std::optional<Shape> axes = Shape();
  if (row) {
    axes = Shape{static_cast<int64_t>(type->rank()) - 1};
  } else {
    if (args[axisAt]) {
      axes = reductionAxes(*args[axisAt], type->rank());
    }
    if (args[axisAt + 1]) {
      Operand keep = check(*args[axisAt + 1]);
      if (keep.isError()) {
        return keep;
      }
      if (!keep.isConstant() || keep.constant.kind != ConstantValue::Kind::Bool) {
        return fail(args[axisAt + 1]->range, "expected True or False as `keepdims`, got " + describe(keep));
      }
      keepDims = keep.constant.integer;
    }
  }
  auto with = [&](ReduceOp op) { return reduce(range, op, builtin.name, operand, axes, keepDims); };
  switch (builtin.rule) {
  case Rule::Min:
    return with(ReduceOp::Min);
  case Rule::Max:
  case Rule::RowMax:
    return with(ReduceOp::Max);
  case Rule::Sum:
  case Rule::RowSum:
    return with(ReduceOp::Sum);
  case Rule::Prod:
    return with(ReduceOp::Prod);
  case Rule::Any:
    return with(ReduceOp::Any);
  case Rule::All:
    return with(ReduceOp::All);
  case Rule::ArgMin:
    return with(ReduceOp::ArgMin);
  case Rule::ArgMax:
  case Rule::RowArgMax:
    return with(ReduceOp::ArgMax);
  default:
    return notYet(range, "`ph." + builtin.name + "`");
  }
}

} // namespace phobos::sema
