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
    : l(lowering), view_(lowering.view(slice.view)), layout_(layout), extents_(slice.extents) {
  unsigned rank = layout.rank(), bytes = tile::elementBits(view_.type.getElementType()) / 8;
  Value offset = l.i64c(0);
  for (unsigned dim = 0; dim < rank; ++dim) {
    whole_.push_back(slice.whole(dim));
    // Extent and offset in whole tiles: the tile is inside or outside as one, and one comparison tells.
    int64_t extent = slice.extents[dim];
    asOne_.push_back(l.kernel.extentDivisor(slice.view, dim) % extent == 0 &&
                     tile::divisorOf(slice.offsets[dim]) % extent == 0);
    offsets_.push_back(l.scalar(slice.offsets[dim]));
    terms_.push_back(layout::coordinateTerms(layout, dim));
    threadCoordinates_.push_back(l.evaluate(terms_[dim].thread));
    Value place = l.toI64(offsets_[dim]);
    if (terms_[dim].disjoint) {
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
  return l.add(offsets_[dim], l.toIndex(coordinate(reg, dim)));
}

Value SliceAccess::pointer(unsigned reg) {
  int64_t bytes = tile::elementBits(view_.type.getElementType()) / 8, immediate = 0;
  Value address = threadPointer_;
  for (unsigned dim = 0; dim < layout_.rank(); ++dim) {
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
    bool perRegister = padded || !asOne_[dim];
    Value &inside = inside_[{dim, perRegister ? terms_[dim].registers[reg] : 0}];
    if (!inside) {
      if (bounded) { // a negative position is a large unsigned number
        Value first = asOne_[dim] ? offsets_[dim] : position(reg, dim);
        inside = l.icmp(LLVM::ICmpPredicate::ult, first, view_.extents[dim]);
      }
      if (padded) {
        Value inTile = l.icmp(LLVM::ICmpPredicate::ult, coordinate(reg, dim), l.i32c(extents_[dim]));
        inside = l.logicalAnd(inside, inTile);
      }
    }
    if (!all) {
      all = inside;
      continue;
    }
    Value &both = both_[{all, inside}];
    all = both = both ? both : l.logicalAnd(all, inside);
  }
  return all;
}

} // namespace phobos::lowering
