// When ldmatrix (and stmatrix) can move a fragment between registers and shared memory.
//
// The instruction moves 1, 2 or 4 matrices of 8 rows of 16 bytes. Lane i's 32-bit register of a matrix is bytes 4*(i%4)
// … of row i/4; transposed (16-bit elements only): elements of rows 2*(i%4) and 2*(i%4)+1 in column i/4. Row j of
// matrix m is at the address that lane 8*m + j gives. Seen from byte offsets this asks only where each register and
// lane bit goes, whatever the layouts are called.
#pragma once

#include "phobos/Layout/Relayout.h"

namespace phobos::layout {

struct LdmatrixPlan {
  bool transposed = false;
  unsigned matrices = 4; // a repetition: 1, 2 or 4
  unsigned perWord = 2;  // elements in a 32-bit register
  // Addresses: In::Register is the repetition, In::Lane the lane that gives the row (lanes beyond 8 * matrices repeat),
  // warps and blocks as the operand's. The coordinate is that of the row's first element; splitAddress(rowLayout,
  // shared) gives the address arithmetic.
  LinearLayout rowLayout;
  // Operand registers filled, [repetition][matrix][element of the word], flattened.
  llvm::SmallVector<uint32_t, 16> registers;
  // By operand register: the register in `registers` with its value (itself, but for replicas).
  llvm::SmallVector<uint32_t, 16> copyOf;
  unsigned repetitions() const { return rowLayout.numRegisters(); }
  uint32_t reg(unsigned repetition, unsigned matrix, unsigned element) const {
    return registers[(repetition * matrices + matrix) * perWord + element];
  }
};

// Four matrices at a time where registers allow. Plain for 8, 16 and 32-bit elements, transposed for 16 bits.
// A plan says only that it can be done; whether rows conflict is countConflicts(AccessPattern::matrixRows(rowLayout),
// shared).
std::optional<LdmatrixPlan> planLdmatrix(const LinearLayout &operand, const SharedLayout &shared, unsigned elemBits);
// stmatrix is the same the other way; sm_90 and later, 16-bit elements.
std::optional<LdmatrixPlan> planStmatrix(const LinearLayout &fragment, const SharedLayout &shared, unsigned elemBits);

} // namespace phobos::layout
