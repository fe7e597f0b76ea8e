// The parameters of a compiled entry point, derived from a kernel's arguments: the one place that fixes their order.
//
// For each view its base address; for each named dim its extent, once, at its first appearance; for each stride that
// the view's type does not fix, the stride; then the scalars; then tensor maps, by value; and the grid, if the kernel
// is persistent, and the launch's counters, if it draws blocks or waits for the whole grid. The lowering builds the
// signature from it, the driver the contract.
#pragma once

#include "phobos/Dialect/Tile/IR/Tile.h"

namespace phobos::lowering {

struct EntryArgument {
  enum class Kind : uint8_t { Pointer, Extent, Stride, Scalar, TensorMap, Grid, Counters };
  Kind kind;
  unsigned argument; // of the tile.kernel: the view (for an extent, the first that has the dim), the scalar, or the map
  unsigned axis = 0; // Extent, Stride, Grid
};

llvm::SmallVector<EntryArgument> entryParameters(tile::KernelOp kernel);

/// Threads of a CTA: those that the kernel asked for, and those of a producer that dot-specialize added.
unsigned ctaThreads(tile::KernelOp kernel);

} // namespace phobos::lowering
