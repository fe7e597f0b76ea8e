// Bank conflicts: counting them, and choosing a shared layout that has none for a write and a read.
//
// The model: shared memory has 32 banks of 4 bytes; a warp's access of 4 bytes a lane (or fewer) is one phase of 32
// lanes, of 8 bytes two phases of 16, of 16 bytes four of 8 (ldmatrix likewise: 8 rows a phase). A phase takes as many
// wavefronts as the busiest bank has different words in it. Hardware can merge phases that touch the same words, which
// is not counted.
#pragma once

#include "phobos/Layout/SharedLayout.h"

namespace phobos::layout {

// One side of a trip through shared memory: vectors of `bytesPerLane` (a power of two up to 16) whose first elements
// are the registers that are multiples of bytesPerLane / element size.
struct AccessPattern {
  LinearLayout layout;
  unsigned bytesPerLane = 4;
  // ldmatrix and stmatrix: each lane gives the address of a whole row of 16 bytes, registers are repetitions (a plan's
  // rowLayout).
  bool rows = false;
  static AccessPattern matrixRows(const LinearLayout &rowLayout) { return {rowLayout, 16, true}; }
};

struct ConflictCount {
  uint64_t wavefronts = 0; // needed
  uint64_t ideal = 0;      // phases: what a conflict-free access takes
  bool free() const { return wavefronts == ideal; }
};

// Counts every access of every warp, lane by lane: slow, and proof.
ConflictCount countConflicts(const AccessPattern &pattern, const SharedLayout &shared);
// Wavefronts a phase of a pattern on a linear shared layout, by ranks: all accesses have the same. 1 is conflict-free.
unsigned conflictDegree(const AccessPattern &pattern, const SharedLayout &shared);

// Largest vector in bytes (at most 16) with which `pattern` can access `shared`: registers consecutive from 0 that lie
// consecutively and aligned in memory.
unsigned vectorBytes(const LinearLayout &pattern, const SharedLayout &shared);

// A linear layout on which both patterns are conflict-free with their vectors intact, if one exists, else with the
// fewest wavefronts. Both vectors must lie along the same dimension (order[0]) or be one element wide; the narrower is
// part of the wider. The hardware's swizzle is taken when it serves.
SharedLayout chooseShared(llvm::ArrayRef<int32_t> shape, unsigned elemBits, llvm::ArrayRef<unsigned> order,
                          const AccessPattern &write, const AccessPattern &read);
// The smallest row padding (a multiple of the wider vector) that frees both of conflicts, if some padding of up to 128
// bytes does: for addresses that must stay one base plus immediates.
std::optional<SharedLayout> choosePadded(llvm::ArrayRef<int32_t> shape, unsigned elemBits,
                                         llvm::ArrayRef<unsigned> order, const AccessPattern &write,
                                         const AccessPattern &read);

} // namespace phobos::layout
