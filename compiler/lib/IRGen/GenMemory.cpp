// Slices to loads and stores of the view's full rank, and changes of shape. Masks are not decided here: an access says
// where it starts, SimplifyMasks finds out which dimensions stay inside.
#include "Generator.h"

#include "phobos/Target/CacheHint.h"

using namespace mlir;

namespace phobos::irgen {

SmallVector<Value> Generator::offsets(const sema::Slice *slice) {
  return llvm::map_to_vector(slice->axes, [&](const sema::SliceAxis &axis) { return generate(axis.start); });
}

/// For each axis with places, in order: its number, and where each element of the tile that is moved lies along it.
Generator::Places Generator::places(const sema::Slice *slice) {
  Places made;
  std::optional<unsigned> first;
  for (auto [number, axis] : llvm::enumerate(slice->axes)) {
    if (!axis.places) {
      continue;
    }
    first = first.value_or(number);
    Location loc = at(axis.range);
    RankedTensorType moved = sliceTile(slice);
    Value indices = generate(axis.places);
    Type element = getElementTypeOrSelf(indices.getType());
    SmallVector<int64_t> shape = {moved.getShape()[*first]};
    if (slice->gathered.size() > 1) {
      indices = tile::ReshapeOp::create(builder, loc, RankedTensorType::get(shape, element), indices);
    }
    for (unsigned dim = 0; dim < slice->axes.size(); ++dim) {
      if (dim != *first) {
        shape.insert(shape.begin() + dim, 1);
        indices = tile::ExpandDimsOp::create(builder, loc, RankedTensorType::get(shape, element), indices, dim);
      }
    }
    Type wanted = withElement(moved, element);
    made.indices.push_back(
        indices.getType() == wanted ? indices : Value(tile::BroadcastOp::create(builder, loc, wanted, indices)));
    made.axes.push_back(number);
  }
  return made;
}

DenseI64ArrayAttr Generator::axesOf(const Places &places) {
  return places.axes.empty() ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(places.axes);
}

/// What the slice moves: a dimension for each axis of the view, of extent 1 for a point.
RankedTensorType Generator::sliceTile(const sema::Slice *slice) {
  auto shape = llvm::map_to_vector(
      slice->axes, [](const sema::SliceAxis &axis) { return axis.isPoint() ? int64_t(1) : axis.length; });
  return RankedTensorType::get(shape, memoryType(slice->type->element().dtype()));
}

Value Generator::load(const sema::Load *expr) {
  Location loc = at(expr->range);
  const sema::Slice *slice = expr->slice;
  sema::Element element = slice->type->element();
  SmallVector<Value> starts = offsets(slice);
  Places picked = places(slice);
  Value fill = expr->fill ? generate(expr->fill) : Value();
  if (fill && element.isBool()) {
    fill = arith::ExtUIOp::create(builder, loc, builder.getI8Type(), fill);
  }
  RankedTensorType moved = sliceTile(slice);
  Value tile = tile::LoadOp::create(builder, loc, moved, parameters[slice->tensor], starts, fill, DenseBoolArrayAttr(),
                                    axesOf(picked), picked.indices);
  if (!expr->cache.empty()) {
    tile.getDefiningOp()->setAttr(target::kCacheHintAttr, builder.getStringAttr(expr->cache));
  }
  tile = fromSlice(loc, slice, tile);
  return element.isBool() ? isNotZero(loc, tile) : tile;
}

/// A value of the slice's type as what the slice moves.
Value Generator::toSlice(Location loc, const sema::Slice *slice, Value value) {
  RankedTensorType moved = sliceTile(slice);
  if (slice->type->isScalar()) {
    return tile::SplatOp::create(builder, loc, moved, value);
  }
  return value.getType() == moved ? value : Value(tile::ReshapeOp::create(builder, loc, moved, value));
}

/// The reverse.
Value Generator::fromSlice(Location loc, const sema::Slice *slice, Value tile) {
  auto moved = cast<RankedTensorType>(tile.getType());
  Type wanted = withElement(type(slice->type), moved.getElementType());
  if (slice->type->isScalar()) {
    return tile::ToScalarOp::create(builder, loc, wanted, tile);
  }
  return wanted == moved ? tile : Value(tile::ReshapeOp::create(builder, loc, wanted, tile));
}

static tile::AtomicKind atomicKind(sema::AtomicKind op, bool isSigned) {
  switch (op) {
  case sema::AtomicKind::Add:
    return tile::AtomicKind::Add;
  case sema::AtomicKind::Min:
    return isSigned ? tile::AtomicKind::MinSigned : tile::AtomicKind::MinUnsigned;
  case sema::AtomicKind::Max:
    return isSigned ? tile::AtomicKind::MaxSigned : tile::AtomicKind::MaxUnsigned;
  case sema::AtomicKind::And:
    return tile::AtomicKind::And;
  case sema::AtomicKind::Or:
    return tile::AtomicKind::Or;
  case sema::AtomicKind::Xor:
    return tile::AtomicKind::Xor;
  case sema::AtomicKind::Exchange:
    return tile::AtomicKind::Exchange;
  case sema::AtomicKind::CompareExchange:
    return tile::AtomicKind::CompareExchange;
  }
  llvm_unreachable("an atomic operation without a case");
}

Value Generator::atomic(const sema::Atomic *expr) {
  Location loc = at(expr->range);
  const sema::Slice *slice = expr->slice;
  SmallVector<Value> starts = offsets(slice); // arguments are evaluated from left to right
  Places picked = places(slice);
  Value compare = expr->compare ? toSlice(loc, slice, generate(expr->compare)) : Value();
  Value value = toSlice(loc, slice, generate(expr->value));
  Value old = tile::AtomicOp::create(
      builder, loc, value.getType(), atomicKind(expr->op, slice->type->element().isSigned()),
      static_cast<tile::AtomicScope>(expr->scope), static_cast<tile::AtomicOrder>(expr->order), value,
      parameters[slice->tensor], starts, compare, DenseBoolArrayAttr(), axesOf(picked), picked.indices);
  return fromSlice(loc, slice, old);
}

void Generator::store(const sema::Store *stmt) {
  Location loc = at(stmt->range);
  const sema::Slice *slice = stmt->slice;
  // Python evaluates the value first, then the target's subscripts.
  Value value = generate(stmt->value);
  SmallVector<Value> starts = offsets(slice);
  Places picked = places(slice);
  if (slice->type->element().isBool()) {
    value = arith::ExtUIOp::create(builder, loc, withElement(value.getType(), builder.getI8Type()), value);
  }
  value = toSlice(loc, slice, value);
  tile::StoreOp::create(builder, loc, value, parameters[slice->tensor], starts, DenseBoolArrayAttr(), axesOf(picked),
                        picked.indices);
}

void Generator::generate(const sema::Prefetch *stmt) {
  const sema::Slice *slice = stmt->slice;
  tile::PrefetchOp::create(builder, at(stmt->range), parameters[slice->tensor], offsets(slice),
                           sliceTile(slice).getShape());
}

Value Generator::broadcast(const sema::Broadcast *expr) {
  Location loc = at(expr->range);
  Type result = type(expr->type);
  if (auto *known = dyn_cast<sema::Constant>(expr->operand)) {
    return constant(loc, result, *known);
  }
  Value operand = generate(expr->operand);
  if (operand.getType() == result) {
    return operand;
  }
  if (expr->operand->type->isScalar()) {
    return tile::SplatOp::create(builder, loc, result, operand);
  }
  return tile::BroadcastOp::create(builder, loc, result, operand);
}

/// Where extents of 1 stand in `to` that `from` lacks, in order; nothing if that is not the whole difference.
static std::optional<SmallVector<unsigned>> insertedAxes(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<unsigned> axes;
  for (auto [axis, extent] : llvm::enumerate(to)) {
    if (!from.empty() && from.front() == extent) {
      from = from.drop_front();
    } else if (extent == 1) {
      axes.push_back(axis);
    } else {
      return std::nullopt;
    }
  }
  return from.empty() ? std::optional(axes) : std::nullopt;
}

Value Generator::reshape(const sema::Reshape *expr) {
  Location loc = at(expr->range);
  Value value = generate(expr->operand);
  Type result = type(expr->type);
  if (expr->type->isScalar()) {
    return tile::ToScalarOp::create(builder, loc, result, value);
  }
  ArrayRef<int64_t> from = expr->operand->type->shape(), to = expr->type->shape();
  if (auto axes = insertedAxes(from, to)) {
    SmallVector<int64_t> shape(from);
    for (unsigned axis : *axes) {
      shape.insert(shape.begin() + axis, 1);
      Type expanded = RankedTensorType::get(shape, getElementTypeOrSelf(result));
      value = tile::ExpandDimsOp::create(builder, loc, expanded, value, axis);
    }
    return value;
  }
  if (!expr->expandsOnly && !tile::reshapesInPlace(from, to)) {
    error(expr->range, "expected extents that are powers of two behind the first that changes, in a reshape from " +
                           sema::shapeText(from) + " to " + sema::shapeText(to));
    return splat(loc, result, cast<TypedAttr>(builder.getZeroAttr(getElementTypeOrSelf(result))));
  }
  return tile::ReshapeOp::create(builder, loc, result, value);
}

Value Generator::part(const sema::Part *expr) {
  Value operand = generate(expr->operand);
  SmallVector<Value> starts = llvm::map_to_vector(expr->starts, [&](sema::Expr *start) { return generate(start); });
  Value other = expr->other ? generate(expr->other) : Value();
  return tile::PartOp::create(builder, at(expr->range), type(expr->type), operand, starts, other);
}

Value Generator::transpose(const sema::Transpose *expr) {
  Value operand = generate(expr->operand);
  SmallVector<int32_t> permutation(expr->permutation.begin(), expr->permutation.end());
  return tile::TransposeOp::create(builder, at(expr->range), type(expr->type), operand, permutation);
}

/// tile.iota counts in integers; an extent fits in 32 bits.
Value Generator::iota(Location loc, RankedTensorType type) {
  Type counted = withElement(type, builder.getI32Type());
  Value numbers = tile::IotaOp::create(builder, loc, counted);
  return type == counted ? numbers : Value(arith::IndexCastOp::create(builder, loc, type, numbers));
}

} // namespace phobos::irgen
