// Slices of tensors: each axis a span of static length at a run-time start, or a point.
#include "Checker.h"

namespace phobos::sema {

bool Checker::wholeAxis(SourceRange range, unsigned tensor, size_t dim, SliceAxis &axis) {
  const ParameterInfo &parameter = out.info.parameters[tensor];
  const DimInfo &extent = parameter.dims[dim];
  if (!extent.name.empty()) {
    error(range, "`:` takes a whole axis, but the extent `" + extent.name + "` of `" + parameter.name +
                     "` is known only at launch")
        .hint("take a span of static length: start:+LENGTH");
    return false;
  }
  axis.start = build.indexConstant(range, 0);
  axis.length = extent.extent;
  axis.startMultiple = 0;
  return true;
}

bool Checker::spanAxis(const syntax::SliceExpr &expr, unsigned tensor, size_t dim, SliceAxis &axis) {
  if (expr.step) {
    error(expr.step->range, "a slice with a step is not supported")
        .hint("take every element of a span, or pass a tensor with that stride");
    return false;
  }
  if (!expr.start && !expr.stop) {
    return wholeAxis(expr.range, tensor, dim, axis);
  }
  Operand start = expr.start ? check(*expr.start) : Operand::of(expr.range, ConstantValue::ofInt(0));
  axis.start = scalarIndex(start, "the start of a slice");
  auto length =
      axis.start ? spanLength(expr, axis.start, [&] { return extentOf(expr.range, tensor, dim); }) : std::nullopt;
  axis.length = length.value_or(0);
  return length.has_value();
}

std::optional<int64_t> Checker::spanLength(const syntax::SliceExpr &expr, Expr *start,
                                           llvm::function_ref<Operand()> whole) {
  if (const syntax::Expr *written = expr.spanLength()) {
    Operand span = check(*written);
    if (span.isError()) {
      return std::nullopt;
    }
    if (!span.isConstant() || !isInt(span.constant) || span.constant.integer < 1) {
      error(written->range, "expected a positive constant int as the length of a span, got " +
                                (span.isNumber() ? toText(span.constant) : describe(span)))
          .hint("a tile has a static shape: only the start of a span is known at run time");
      return std::nullopt;
    }
    return span.constant.integer;
  }
  Operand stop = expr.stop ? check(*expr.stop) : whole();
  Expr *end = scalarIndex(stop, "the stop of a slice");
  if (!end) {
    return std::nullopt;
  }
  const auto *known = llvm::dyn_cast<Constant>(end);
  if (known && known->integer < 0) {
    error(stop.range, "a negative stop does not count from the end").hint("write the extent out, or start:+LENGTH");
    return std::nullopt;
  }
  std::optional<int64_t> length = staticDifference(end, start);
  if (!length) {
    error(expr.range, "the length of this slice is not known when the kernel is compiled")
        .hint("take a span of static length: start:+LENGTH");
    return std::nullopt;
  }
  if (*length < 1) {
    error(expr.range, "this slice is empty: its length is " + llvm::Twine(*length));
    return std::nullopt;
  }
  return length;
}

bool Checker::pointAxis(const syntax::Expr &index, unsigned tensor, size_t dim, SliceAxis &axis) {
  Operand operand = check(index);
  std::optional<Operand> value = asOperand(operand, "an index");
  if (!value) {
    return false;
  }
  if (!value->isConstant() && value->value->type->isTile()) {
    return placesAxis(*value, axis);
  }
  axis.start = scalarIndex(*value, "an index");
  axis.length = 0;
  const auto *known = axis.start ? llvm::dyn_cast<Constant>(axis.start) : nullptr;
  const DimInfo &extent = out.info.parameters[tensor].dims[dim];
  if (known && extent.name.empty() && known->integer >= extent.extent) {
    error(index.range,
          "index " + llvm::Twine(known->integer) + " is out of range for an extent of " + llvm::Twine(extent.extent));
    return false;
  }
  return axis.start != nullptr;
}

bool Checker::placesAxis(const Operand &value, SliceAxis &axis) {
  Element element = value.value->type->element();
  if (element.isBool()) {
    error(value.range, "a mask cannot select elements: how many there are is known only at run time")
        .hint("load them all, then take ph.where(mask, t, other)");
    return false;
  }
  if (!element.isInteger()) {
    error(value.range, "expected an integer or a slice as an index, got " + describe(value));
    return false;
  }
  bool fits = !element.isIndex() && (byteWidth(element.dtype()) < 4 || element.dtype() == DType::i32);
  axis.start = build.indexConstant(value.range, 0);
  axis.places = build.convert(value.value, fits ? DType::i32 : DType::i64);
  return true;
}

bool Checker::joinPlaces(llvm::MutableArrayRef<SliceAxis> axes, Shape &joined) {
  SliceAxis *first = nullptr, *last = nullptr;
  for (SliceAxis &axis : axes) {
    if (!axis.places) {
      continue;
    }
    for (SliceAxis *between = last ? last + 1 : &axis; between != &axis; ++between) {
      if (!between->isPoint()) {
        error(axis.range, "indices that are tiles must stand side by side")
            .note(between->range, "a span between them")
            .hint("load with one of them, or transpose the tensor");
        return false;
      }
    }
    llvm::ArrayRef<int64_t> shape = axis.places->type->shape();
    std::optional<Shape> both = first ? broadcastShapes(joined, shape) : Shape(shape);
    if (!both) {
      error(axis.range, "indices of shapes " + shapeText(joined) + " and " + shapeText(shape) + " do not broadcast")
          .note(first->range, "the first of them");
      return false;
    }
    joined = *both;
    first = first ? first : &axis;
    last = &axis;
    axis.length = 1;
  }
  if (!first) {
    return true;
  }
  auto isOdd = [](int64_t extent) { return (extent & (extent - 1)) != 0; };
  if (joined.size() > 1 && llvm::any_of(joined, isOdd)) {
    notYet(first->range, "an index of shape " + shapeText(joined) + ", of several axes that are no powers of two",
           "take indices of one axis");
    return false;
  }
  for (int64_t extent : joined) {
    first->length *= extent;
  }
  for (SliceAxis &axis : axes) {
    axis.places = axis.places ? build.broadcast(axis.places, joined) : nullptr;
  }
  return true;
}

bool Checker::sliceAxis(const syntax::Expr &index, unsigned tensor, size_t dim, SliceAxis &axis) {
  axis.range = index.range;
  const auto *span = llvm::dyn_cast<syntax::SliceExpr>(&index);
  if (span ? !spanAxis(*span, tensor, dim, axis) : !pointAxis(index, tensor, dim, axis)) {
    return false;
  }
  const auto *known = llvm::dyn_cast<Constant>(axis.start);
  if (known && known->integer < 0 && known->integer + axis.length <= 0) {
    error(span && span->start ? span->start->range : index.range,
          "a negative start does not count from the end: all of it would be out of range")
        .hint("count from the extent: " + out.info.parameters[tensor].name + ".shape[" + llvm::Twine(dim) + "] - n");
    return false;
  }
  if (axis.places) {
    return true;
  }
  axis.startMultiple = build.multipleOf(axis.start);
  recordMultiple(tensor, dim, axis);
  return true;
}

void Checker::recordMultiple(unsigned tensor, size_t dim, const SliceAxis &axis) {
  const DimInfo &extent = out.info.parameters[tensor].dims[dim];
  bool aligned = axis.length > 1 && axis.startMultiple % axis.length == 0;
  if (extent.name.empty() || !aligned) {
    return;
  }
  std::vector<int64_t> &lengths = out.multiples[llvm::find(out.info.dims, extent.name) - out.info.dims.begin()];
  // Whole slices need no masks. Failing that, whole vectors of 16 bytes keep accesses wide in front of a ragged end.
  int64_t vector = 16 / byteWidth(out.info.parameters[tensor].dtype);
  for (int64_t length : {axis.length, vector}) {
    auto place = llvm::lower_bound(lengths, length);
    if (length > 1 && axis.length >= length && (place == lengths.end() || *place != length)) {
      lengths.insert(place, length);
    }
  }
}

void Checker::recordStore(const Slice &slice) {
  SourceRange range = slice.range;
  for (const Frame *at = frame; at->caller; at = at->caller) {
    range = at->callSite;
  }
  SourceRange &first = out.stores[slice.tensor];
  first = first.isValid() ? first : range;
}

Operand Checker::slice(const syntax::SubscriptExpr &expr, unsigned tensor) {
  const ParameterInfo &parameter = out.info.parameters[tensor];
  size_t rank = parameter.dims.size();
  auto isEllipsis = [](const syntax::Expr *index) { return llvm::isa<syntax::EllipsisLiteral>(index); };
  // `A[()]` reads a tensor of rank 0.
  const auto *empty = expr.indices.size() == 1 ? llvm::dyn_cast<syntax::TupleExpr>(expr.indices[0]) : nullptr;
  llvm::ArrayRef<syntax::Expr *> indices = empty && empty->elements.empty() ? empty->elements : expr.indices;
  size_t ellipses = llvm::count_if(indices, isEllipsis), written = indices.size() - ellipses;
  for (const syntax::Expr *index : indices) {
    if (llvm::isa<syntax::NoneLiteral>(index)) {
      return fail(index->range, "`None` cannot stand in a slice of a tensor",
                  "load the slice, then index it: t[:, None]");
    }
  }
  if (ellipses > 1) {
    return fail(expr.indexRange, "`...` can stand only once in a subscript");
  }
  if (written > rank) {
    return fail(expr.indexRange, "too many indices: `" + llvm::Twine(parameter.name) + "` has rank " +
                                     llvm::Twine(rank) + ", got " + llvm::Twine(written));
  }
  llvm::SmallVector<SliceAxis, 5> axes;
  bool good = true;
  auto whole = [&](SourceRange range, size_t count) {
    for (; count > 0 && good; --count) {
      SliceAxis axis;
      axis.range = range;
      good = wholeAxis(range, tensor, axes.size(), axis);
      axes.push_back(axis);
    }
  };
  for (const syntax::Expr *index : indices) {
    if (isEllipsis(index)) {
      whole(index->range, rank - written);
      continue;
    }
    SliceAxis axis;
    good &= sliceAxis(*index, tensor, axes.size(), axis);
    axes.push_back(axis);
  }
  if (good && axes.size() < rank) {
    const DimInfo &next = parameter.dims[axes.size()];
    if (!next.name.empty()) {
      return fail(expr.indexRange, "expected " + llvm::Twine(rank) + " indices: `" + parameter.name + "` has rank " +
                                       llvm::Twine(rank) + ", got " + llvm::Twine(axes.size()));
    }
    whole(expr.indexRange, rank - axes.size());
  }
  Shape gathered, shape;
  if (!good || !joinPlaces(axes, gathered)) {
    return Operand::error();
  }
  bool placed = false;
  for (const SliceAxis &axis : axes) {
    if (axis.places && !placed) {
      shape.append(gathered.begin(), gathered.end());
      placed = true;
    } else if (!axis.places && !axis.isPoint()) {
      shape.push_back(axis.length);
    }
  }
  if (!checkSize(expr.range, shape)) {
    return Operand::error();
  }
  Operand view{Operand::Kind::View, expr.range};
  view.slice =
      build.make<Slice>(Slice{tensor, build.copy(llvm::ArrayRef<SliceAxis>(axes)), types.get(parameter.dtype, shape),
                              expr.range, build.copy(llvm::ArrayRef<int64_t>(gathered))});
  return view;
}

} // namespace phobos::sema
