// Making tiles, and giving them other shapes.
#include "Checker.h"

namespace phobos::sema {

Expr *Checker::tileArgument(const syntax::Expr &expr, llvm::StringRef name) {
  Operand operand = check(expr);
  if (operand.isError()) {
    return nullptr;
  }
  bool isValue = operand.kind == Operand::Kind::Value || operand.kind == Operand::Kind::View;
  Expr *value = isValue || operand.kind == Operand::Kind::Tensor ? asValue(operand) : nullptr;
  if (operand.kind == Operand::Kind::Tensor) {
    return nullptr; // reported, with how to slice it
  }
  if (!value || !value->type->isTile()) {
    error(expr.range, "expected a tile for `ph." + name + "`, got " + describe(operand));
    return nullptr;
  }
  return value;
}

Operand Checker::reshape(const syntax::CallExpr &expr, const BoundArguments &args) {
  Expr *value = tileArgument(*args[0], "reshape");
  if (!value) {
    return Operand::error();
  }
  // One extent may be -1: what is left over.
  llvm::SmallVector<Operand, 4> written;
  for (const syntax::Expr *each : args.rest) {
    const auto *list = llvm::dyn_cast<syntax::ListExpr>(each);
    Operand operand = list ? tuple(each->range, list->elements) : check(*each);
    if (operand.isTuple() && args.rest.size() == 1) {
      for (Operand &element : operand.elements()) {
        written.push_back(std::move(element));
      }
    } else {
      written.push_back(std::move(operand));
    }
  }
  Shape shape;
  int64_t known = 1;
  std::optional<size_t> open;
  for (const Operand &extent : written) {
    if (extent.isError()) {
      return extent;
    }
    bool isInteger = extent.isConstant() && isInt(extent.constant);
    bool isOpen = isInteger && extent.constant.integer == -1 && !open;
    if (!isInteger || (extent.constant.integer < 1 && !isOpen)) {
      return fail(extent.range, "expected positive constant ints as the shape, and -1 at most once, got " +
                                    (extent.isNumber() ? toText(extent.constant) : describe(extent)));
    }
    if (isOpen) {
      open = shape.size();
    } else {
      known *= std::min(extent.constant.integer, kMaxTileElements + 1);
      known = std::min(known, kMaxTileElements + 1);
    }
    shape.push_back(extent.constant.integer);
  }
  int64_t count = value->type->elementCount();
  if (open && known && count % known == 0) {
    shape[*open] = count / known;
    known = count;
  }
  if (known != count || shape.empty()) {
    return fail(expr.range, "a tile of shape " + shapeText(value->type->shape()) + " has " + llvm::Twine(count) +
                                " elements and cannot be reshaped to " + shapeText(shape));
  }
  return Operand::of(build.reshape(expr.range, value, shape));
}

Operand Checker::transpose(const syntax::CallExpr &expr, const BoundArguments &args) {
  Expr *value = tileArgument(*args[0], "transpose");
  if (!value) {
    return Operand::error();
  }
  unsigned rank = value->type->rank();
  Shape order;
  llvm::SmallVector<Operand, 4> written;
  for (const syntax::Expr *each : args.rest) {
    Operand operand = check(*each);
    if (operand.isTuple() && args.rest.size() == 1) {
      for (Operand &element : operand.elements()) {
        written.push_back(std::move(element));
      }
    } else {
      written.push_back(std::move(operand));
    }
  }
  for (const Operand &axis : written) {
    if (axis.isError()) {
      return axis;
    }
    if (!axis.isConstant() || !isInt(axis.constant)) {
      return fail(axis.range, "expected constant ints as axes, got " + describe(axis));
    }
    std::optional<int64_t> counted = axisOf(axis.constant.integer, rank, axis.range);
    if (!counted) {
      return Operand::error();
    }
    order.push_back(*counted);
  }
  for (unsigned i = rank; order.size() < rank && written.empty(); --i) {
    order.push_back(i - 1);
  }
  Shape sorted(order);
  llvm::sort(sorted);
  for (unsigned i = 0; i < rank; ++i) {
    if (sorted.size() != rank || sorted[i] != i) {
      return fail(expr.range, "expected each of the " + llvm::Twine(rank) + " axes once");
    }
  }
  Shape shape;
  for (int64_t axis : order) {
    shape.push_back(value->type->shape()[axis]);
  }
  return Operand::of(build.make<Transpose>(expr.range, types.withShape(value->type, shape), value,
                                           build.copy(llvm::ArrayRef<int64_t>(order))));
}

Operand Checker::triangle(const syntax::CallExpr &expr, const BoundArguments &args, bool lower) {
  llvm::StringRef name = lower ? "tril" : "triu";
  Expr *value = tileArgument(*args[0], name);
  std::optional<int64_t> diagonal = args[1] ? constantInt(*args[1], "`k`") : std::optional<int64_t>(0);
  if (!value || !diagonal) {
    return Operand::error();
  }
  SourceRange range = expr.range;
  if (value->type->rank() != 2) {
    return fail(args[0]->range, "expected a tile of rank 2 for `ph." + name + "`, got " + value->type->str());
  }
  int64_t rows = value->type->shape()[0], columns = value->type->shape()[1];
  auto places = [&](int64_t count, llvm::ArrayRef<int64_t> shape) {
    Expr *iota = build.make<Iota>(range, types.get(Element::index(), {count}));
    return build.reshape(range, iota, shape);
  };
  // Element (i, j) is on or below the k-th diagonal if j <= i + k.
  Expr *shift = build.broadcast(build.indexConstant(range, *diagonal), {rows, 1});
  Expr *row = build.binary(range, BinaryOp::Add, places(rows, {rows, 1}), shift);
  Expr *left = build.broadcast(places(columns, {1, columns}), {rows, columns});
  Expr *keep = build.compare(range, lower ? ComparePredicate::Le : ComparePredicate::Ge, left,
                             build.broadcast(row, {rows, columns}));
  return Operand::of(build.select(range, keep, value, build.zero(range, value->type)));
}

Operand Checker::shapeCall(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args) {
  SourceRange range = expr.range;
  switch (builtin.rule) {
  case Rule::Zeros:
  case Rule::Full: {
    bool full = builtin.rule == Rule::Full;
    const syntax::Expr *written = full ? args[2] : args[1];
    std::optional<DType> dtype;
    if (written && !llvm::isa<syntax::NoneLiteral>(written)) {
      dtype = constantDType(*written, "as `dtype`");
      if (!dtype) {
        return Operand::error();
      }
    }
    std::optional<Shape> shape = constantShape({args[0]}, args[0]->range);
    Operand value = full ? check(*args[1]) : Operand::of(range, ConstantValue::ofInt(0));
    std::optional<Operand> element = shape ? asOperand(value, "the value of `ph.full`") : std::nullopt;
    if (!element) {
      return Operand::error();
    }
    if (!element->isConstant() && element->value->type->isTile()) {
      return fail(args[1]->range, "expected a scalar as the value of `ph.full`, got " + describe(*element));
    }
    Element natural = partyOf(*element).element;
    Element wanted = dtype ? Element(*dtype) : full ? natural : Element(DType::f32);
    Expr *scalar = asElement(*element, wanted);
    return scalar ? Operand::of(build.broadcast(scalar, *shape)) : Operand::error();
  }
  case Rule::Iota: {
    std::optional<Shape> shape = constantShape({args[0]}, args[0]->range);
    std::optional<DType> dtype = args[1] ? constantDType(*args[1], "as `dtype`") : std::nullopt;
    if (!shape || (args[1] && !dtype)) {
      return Operand::error();
    }
    if (shape->size() != 1) {
      return fail(args[0]->range, "expected one extent for `ph.iota`", "reshape the result");
    }
    Expr *iota = build.make<Iota>(range, types.get(Element::index(), *shape));
    return Operand::of(dtype ? build.convert(iota, *dtype) : iota);
  }
  case Rule::Reshape:
    return reshape(expr, args);
  case Rule::Transpose:
    return transpose(expr, args);
  case Rule::Tril:
  case Rule::Triu:
    return triangle(expr, args, builtin.rule == Rule::Tril);
  default:
    break;
  }
  Expr *value = tileArgument(*args[0], builtin.name);
  if (!value) {
    return Operand::error();
  }
  switch (builtin.rule) {
  case Rule::Flat:
    return Operand::of(build.reshape(range, value, {value->type->elementCount()}));
  case Rule::Expand: {
    std::optional<int64_t> written = constantInt(*args[1], "`axis`");
    std::optional<int64_t> axis = written ? axisOf(*written, value->type->rank() + 1, args[1]->range) : std::nullopt;
    if (!axis) {
      return Operand::error();
    }
    if (value->type->rank() == 5) {
      return fail(range, "expected at most 5 dimensions, got 6");
    }
    Shape shape(value->type->shape());
    shape.insert(shape.begin() + *axis, 1);
    return Operand::of(build.reshape(range, value, shape));
  }
  case Rule::Broadcast: {
    std::optional<Shape> shape = constantShape(args.rest, range);
    if (!shape) {
      return Operand::error();
    }
    if (!broadcastsTo(value->type->shape(), *shape)) {
      return fail(range,
                  "a tile of shape " + shapeText(value->type->shape()) + " does not broadcast to " + shapeText(*shape));
    }
    return Operand::of(build.broadcast(value, *shape));
  }
  default:
    return notYet(range, "`ph." + builtin.name + "`");
  }
}

/// What the functions of _shapes.py take for granted.
bool Checker::mayCombine(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args) {
  std::string what = "`ph." + builtin.name.str() + "`";
  auto refuse = [&](SourceRange range, const llvm::Twine &message, const llvm::Twine &hint = "") {
    fail(range, message, hint);
    return false;
  };
  bool isSplit = builtin.name == "split";
  const Type *first = nullptr;
  for (size_t i = 0; i < (isSplit ? 1 : 2); ++i) {
    Operand operand = check(*args[i]);
    if (operand.isError()) {
      return false;
    }
    const Type *type = tileOf(operand);
    if (!type) {
      return refuse(args[i]->range, "expected a tile for " + what + ", got " + describe(operand));
    }
    if (first && first->shape() != type->shape()) {
      return refuse(expr.range, what + " takes tiles of one shape, got " + first->str() + " and " + type->str());
    }
    first = type;
  }
  int64_t last = first->shape().back();
  if (isSplit && last != 2) {
    return refuse(args[0]->range, what + " takes a tile whose last extent is 2, got " + first->str(),
                  "ph.reshape(t, ..., 2) makes pairs of neighbours");
  }
  if (builtin.name != "cat") {
    return true;
  }
  if (args[2]) {
    std::optional<Shape> axes = reductionAxes(*args[2], first->rank());
    if (!axes) {
      return false;
    }
    if (axes->size() != 1) {
      return refuse(args[2]->range, what + " takes one axis");
    }
  }
  if (first->rank() > 3) {
    return refuse(expr.range, what + " takes tiles of up to three dimensions, got " + first->str());
  }
  bool powers = llvm::all_of(first->shape(), [](int64_t extent) { return llvm::isPowerOf2_64(extent); });
  return powers || refuse(expr.range, what + " takes tiles whose extents are powers of two, got " + first->str());
}

} // namespace phobos::sema
