// Coordinates of a thread's elements, and their numbers row by row; see TilePlaces.h.
#include "phobos/Conversion/TilePlaces.h"

using namespace mlir;

namespace phobos::lowering {

TilePlaces::TilePlaces(Lowering &lowering, const layout::LinearLayout &layout) : l(lowering), layout_(layout) {
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    terms_.push_back(layout::coordinateTerms(layout, dim));
    threads_.push_back(l.evaluate(terms_.back().thread));
  }
}

Value TilePlaces::coordinate(unsigned reg, unsigned dim) {
  uint32_t constant = terms_[dim].registers[reg];
  return constant ? l.bitXor(threads_[dim], l.i32c(constant)) : threads_[dim];
}

Value TilePlaces::number(unsigned reg) {
  SmallVector<Value> coordinates;
  for (unsigned dim = 0; dim < layout_.rank(); ++dim) {
    coordinates.push_back(coordinate(reg, dim));
  }
  return number(l, layout_.shape(), coordinates);
}

Value TilePlaces::number(Lowering &l, ArrayRef<int32_t> shape, ArrayRef<Value> coordinates) {
  Value number = l.i32c(0);
  for (auto [extent, coordinate] : llvm::zip(shape, coordinates)) {
    number = l.add(l.mul(number, int64_t(extent)), coordinate);
  }
  return number;
}

} // namespace phobos::lowering
