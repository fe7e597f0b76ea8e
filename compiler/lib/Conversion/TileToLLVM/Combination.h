// What the lowerings of tile.reduce and tile.scan share: elements combined by the op's region, warps by their partial
// results.
#pragma once

#include "phobos/Conversion/Lowering.h"

namespace phobos::lowering {

using Tuple = SmallVector<Value, 2>; // one element of each operand

/// Puts `into`, combined with what comes after it, in its own place.
inline LogicalResult combine(Lowering &l, mlir::Region &region, Tuple &into, const Tuple &after) {
  SmallVector<Value> arguments(into.begin(), into.end());
  llvm::append_range(arguments, after);
  mlir::FailureOr<SmallVector<Value>> results = l.inlineRegion(region, arguments);
  if (failed(results)) {
    return mlir::failure();
  }
  into.assign(results->begin(), results->end());
  return mlir::success();
}

/// The number that this warp's `bits` make, the first of them lowest.
inline Value warpNumber(Lowering &l, unsigned numBits, ArrayRef<unsigned> bits) {
  SmallVector<uint32_t, 5> numbers(numBits, 0);
  for (auto [i, bit] : llvm::enumerate(bits)) {
    numbers[bit] = 1u << i;
  }
  return l.evaluate(layout::decompose({}, numbers, {}, /*add=*/false));
}

} // namespace phobos::lowering
