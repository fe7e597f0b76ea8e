// Subscripts of tiles: dimensions added, parts taken, parts replaced. Axes are written as those of slices of tensors
// are.
#include "Checker.h"

namespace phobos::sema {

bool Checker::partAxis(const syntax::Expr &index, int64_t extent, TilePart &part) {
  const auto *span = llvm::dyn_cast<syntax::SliceExpr>(&index);
  if (span && span->step) {
    error(span->step->range, "a slice with a step is not supported").hint("ph.split takes every other element apart");
    return false;
  }
  if (span && !span->start && !span->stop) {
    part.starts.push_back(build.indexConstant(index.range, 0));
    part.extents.push_back(extent);
    part.shape.push_back(extent);
    return true;
  }
  Operand first = !span         ? check(index)
                  : span->start ? check(*span->start)
                                : Operand::of(index.range, ConstantValue::ofInt(0));
  const Type *type = first.kind == Operand::Kind::Value  ? first.value->type
                     : first.kind == Operand::Kind::View ? first.slice->type
                                                         : nullptr;
  if (type && type->isTile() && type->element().isBool()) {
    error(first.range, "a mask cannot select elements of a tile: how many there are is known only at run time")
        .hint("t = ph.where(mask, new, t)");
    return false;
  }
  if (type && type->isTile()) {
    notYet(first.range, "an index of a tile that is a tile", "store the tile to a tensor, which can be gathered from");
    return false;
  }
  Expr *start = scalarIndex(first, span ? "the start of a slice" : "an index");
  auto whole = [&] { return Operand::of(index.range, ConstantValue::ofInt(extent)); };
  auto length = !start ? std::nullopt : span ? spanLength(*span, start, whole) : std::optional<int64_t>(1);
  if (!length) {
    return false;
  }
  const auto *known = llvm::dyn_cast<Constant>(start);
  if (known && known->integer < 0) {
    error(first.range, "a negative start does not count from the end").hint("write the extent out");
    return false;
  }
  if (*length > extent || (known && known->integer > extent - *length)) {
    int64_t end = (known ? known->integer : 0) + *length;
    error(index.range,
          span ? "this slice ends at " + llvm::Twine(end) + ", past an extent of " + llvm::Twine(extent)
               : "index " + llvm::Twine(end - 1) + " is out of range for an extent of " + llvm::Twine(extent));
    return false;
  }
  part.starts.push_back(start);
  part.extents.push_back(*length);
  if (span) {
    part.shape.push_back(*length);
  }
  return true;
}

std::optional<Checker::TilePart> Checker::readPart(const syntax::SubscriptExpr &expr, const Type *tile) {
  llvm::ArrayRef<int64_t> from = tile->shape();
  auto isNone = [](const syntax::Expr *index) { return llvm::isa<syntax::NoneLiteral>(index); };
  auto isEllipsis = [](const syntax::Expr *index) { return llvm::isa<syntax::EllipsisLiteral>(index); };
  size_t ellipses = llvm::count_if(expr.indices, isEllipsis);
  size_t written = expr.indices.size() - ellipses - llvm::count_if(expr.indices, isNone);
  if (ellipses > 1) {
    fail(expr.indexRange, "`...` can stand only once in a subscript");
    return std::nullopt;
  }
  if (written > from.size()) {
    fail(expr.indexRange, "too many indices for a tile " + tile->str());
    return std::nullopt;
  }
  TilePart part;
  auto whole = [&](SourceRange range, size_t count) {
    for (; count > 0; --count) {
      int64_t extent = from[part.extents.size()];
      part.starts.push_back(build.indexConstant(range, 0));
      part.extents.push_back(extent);
      part.shape.push_back(extent);
    }
  };
  for (const syntax::Expr *index : expr.indices) {
    if (isNone(index)) {
      part.shape.push_back(1);
    } else if (isEllipsis(index)) {
      whole(index->range, from.size() - written);
    } else if (!partAxis(*index, from[part.extents.size()], part)) {
      return std::nullopt;
    }
  }
  whole(expr.indexRange, from.size() - part.extents.size());
  if (part.shape.size() > 5) {
    fail(expr.indexRange, "expected at most 5 dimensions, got " + llvm::Twine(part.shape.size()));
    return std::nullopt;
  }
  return part;
}

bool Checker::isWhole(const TilePart &part, const Type *tile) {
  return llvm::ArrayRef<int64_t>(part.extents) == tile->shape() && llvm::all_of(part.starts, [](const Expr *start) {
           const auto *known = llvm::dyn_cast<Constant>(start);
           return known && known->integer == 0;
         });
}

Operand Checker::partOfTile(const syntax::SubscriptExpr &expr, Expr *tile) {
  std::optional<TilePart> part = readPart(expr, tile->type);
  if (!part) {
    return Operand::error();
  }
  if (!isWhole(*part, tile->type)) {
    tile = build.make<Part>(expr.range, types.withShape(tile->type, part->extents), tile,
                            build.copy(llvm::ArrayRef<Expr *>(part->starts)), nullptr);
  }
  return Operand::of(build.reshape(expr.range, tile, part->shape));
}

void Checker::assignPart(const syntax::NameExpr &name, Expr *tile, const syntax::SubscriptExpr &target,
                         const Operand &value, SourceRange range) {
  std::optional<TilePart> part = readPart(target, tile->type);
  if (!part || value.isError()) {
    return assignName(name, Operand::error(), range);
  }
  Expr *stored = asStored(value, types.withShape(tile->type, part->shape), target.range);
  if (!stored) {
    return assignName(name, Operand::error(), range);
  }
  stored = build.reshape(target.range, stored, part->extents);
  if (isWhole(*part, tile->type)) {
    return assignName(name, Operand::of(stored), range);
  }
  for (Expr *&start : part->starts) {
    start = build.binary(target.range, BinaryOp::Sub, build.indexConstant(target.range, 0), start);
  }
  assignName(
      name,
      Operand::of(build.make<Part>(range, tile->type, stored, build.copy(llvm::ArrayRef<Expr *>(part->starts)), tile)),
      range);
}

} // namespace phobos::sema
