// Where a bulk tensor copy's box begins, as the copy engine counts.
#pragma once

#include "phobos/Conversion/Lowering.h"

namespace phobos::lowering {

/// Coordinates of the box that begins at `at`, i32 by dimension of the view: that of the dimension of stride 1 (`unit`)
/// comes first, then the others from the last to the first, as the runtime encodes a map's dimensions (Launch.cpp).
inline SmallVector<Value> boxCoordinates(ArrayRef<Value> at, unsigned unit) {
  SmallVector<Value> coordinates = {at[unit]};
  for (unsigned dim = at.size(); dim-- > 0;) {
    if (dim != unit) {
      coordinates.push_back(at[dim]);
    }
  }
  return coordinates;
}

} // namespace phobos::lowering
