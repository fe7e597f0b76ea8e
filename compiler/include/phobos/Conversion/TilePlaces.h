// Where the elements of a tile lie that is kept in scratch row by row, by its padded shape.
#pragma once

#include "phobos/Conversion/Lowering.h"

namespace phobos::lowering {

class TilePlaces {
public:
  TilePlaces(Lowering &lowering, const layout::LinearLayout &layout);

  /// Of the register's element along `dim`, i32.
  Value coordinate(unsigned reg, unsigned dim);
  /// Its number in the tile, i32.
  Value number(unsigned reg);
  /// The number of the element at these coordinates, i32, in a tile of this shape.
  static Value number(Lowering &l, ArrayRef<int32_t> shape, ArrayRef<Value> coordinates);

private:
  Lowering &l;
  const layout::LinearLayout &layout_;
  SmallVector<layout::CoordinateTerms> terms_;
  SmallVector<Value> threads_; // i32
};

} // namespace phobos::lowering
