// Addresses and masks of a slice of a view under a layout.
#include "phobos/Conversion/SliceAccess.h"

#include "phobos/Dialect/Tile/IR/Divisibility.h"

using namespace mlir;
using phobos::layout::In;

namespace phobos::lowering {

unsigned consecutive(const layout::LinearLayout &layout, unsigned dim) {
  unsigned n = 1;
  uint32_t unit = 1u << layout.dimShift(dim);
  for (uint32_t basis : layout.flatBases(In::Register)) {
    if (basis != unit * n || n >= uint32_t(layout.shape()[dim])) {
      break;
    }
    n *= 2;
  }
  return n;
}

SliceAccess::SliceAccess(Lowering &lowering, const Slice &slice, const layout::LinearLayout &layout)
    : l(lowering), view_(lowering.view(slice.view)), layout_(layout), extents_(slice.extents), places_(slice.places) {
  unsigned rank = layout.rank(), bytes = tile::elementBits(view_.type.getElementType()) / 8;
  Value offset = l.i64c(0);
  for (unsigned dim = 0; dim < rank; ++dim) {
    whole_.push_back(slice.whole(dim));
    // Extent and offset in whole tiles: the tile is inside or outside as one, and one comparison tells.
    int64_t extent = slice.extents[dim];
    bool spans = !this->place(0, dim);
    asOne_.push_back(spans && l.kernel.extentDivisor(slice.view, dim) % extent == 0 &&
                     tile::divisorOf(slice.offsets[dim]) % extent == 0);
    offsets_.push_back(l.scalar(slice.offsets[dim]));
    terms_.push_back(layout::coordinateTerms(layout, dim));
    threadCoordinates_.push_back(l.evaluate(terms_[dim].thread));
    Value place = l.toI64(offsets_[dim]);
    if (spans && terms_[dim].disjoint) {
      place = l.add(place, l.toI64(threadCoordinates_[dim]));
    }
    offset = l.add(offset, l.mul(place, view_.strides[dim]));
  }
  threadPointer_ = l.byteOffset(view_.base, l.mul(offset, int64_t(bytes)));
}

Value SliceAccess::coordinate(unsigned reg, unsigned dim) {
  uint32_t constant = terms_[dim].registers[reg];
  if (constant == 0) {
    return threadCoordinates_[dim];
  }
  return terms_[dim].disjoint ? l.add(threadCoordinates_[dim], int64_t(constant))
                              : l.bitXor(threadCoordinates_[dim], l.i32c(constant));
}

Value SliceAccess::position(unsigned reg, unsigned dim) {
  Value given = place(reg, dim);
  return l.add(offsets_[dim], l.toIndex(given ? given : coordinate(reg, dim)));
}

Value SliceAccess::pointer(unsigned reg) {
  int64_t bytes = tile::elementBits(view_.type.getElementType()) / 8, immediate = 0;
  Value address = threadPointer_;
  for (unsigned dim = 0; dim < layout_.rank(); ++dim) {
    if (Value given = place(reg, dim)) {
      Value &away = away_[{dim, given}];
      away = away ? away : l.mul(l.mul(l.toI64(given), view_.strides[dim]), bytes);
      address = l.byteOffset(address, away);
      continue;
    }
    uint32_t constant = terms_[dim].registers[reg];
    if (terms_[dim].disjoint && constant == 0) {
      continue;
    }
    if (terms_[dim].disjoint && view_.type.isUnitStride(dim)) {
      immediate += constant * bytes;
      continue;
    }
    Value &scaled = scaled_[{dim, constant}];
    if (!scaled) {
      Value place = terms_[dim].disjoint ? l.i64c(constant) : l.toI64(coordinate(reg, dim));
      scaled = l.mul(l.mul(place, view_.strides[dim]), bytes);
    }
    address = l.byteOffset(address, scaled);
  }
  return l.byteOffset(address, immediate);
}

Value SliceAccess::predicate(unsigned reg, std::optional<unsigned> skipDim) {
  Value all;
  for (unsigned dim = 0; dim < layout_.rank(); ++dim) {
    bool padded = extents_[dim] < layout_.shape()[dim];
    bool bounded = !whole_[dim] && skipDim != dim;
    if (!padded && !bounded) {
      continue;
    }
    Value inside = bounded ? isInView(reg, dim) : Value();
    if (padded) {
      Value &inTile = inTile_[{dim, terms_[dim].registers[reg]}];
      inTile = inTile ? inTile : l.icmp(LLVM::ICmpPredicate::ult, coordinate(reg, dim), l.i32c(extents_[dim]));
      inside = both(inside, inTile);
    }
    all = both(all, inside);
  }
  return all;
}

/// A negative position is a large unsigned number.
Value SliceAccess::isInView(unsigned reg, unsigned dim) {
  Value given = place(reg, dim);
  Value &inside = given ? hits_[{dim, given}] : inside_[{dim, asOne_[dim] ? 0 : terms_[dim].registers[reg]}];
  if (!inside) {
    Value at = asOne_[dim] ? offsets_[dim] : position(reg, dim), extent = view_.extents[dim];
    if (given && given.getType().isInteger(64)) { // wider than an index may be
      at = l.add(l.toI64(offsets_[dim]), given);
      extent = l.toI64(extent);
    }
    inside = l.icmp(LLVM::ICmpPredicate::ult, at, extent);
  }
  return inside;
}

Value SliceAccess::both(Value x, Value y) {
  if (!x || !y) {
    return x ? x : y;
  }
  Value &made = both_[{x, y}];
  return made = made ? made : l.logicalAnd(x, y);
}

} // namespace phobos::lowering
