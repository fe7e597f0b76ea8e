# RUN: phobosc %s --arch sm_90a --emit ptx | FileCheck %s
# Sums of 16-bit integers are made one by one: ptxas loses the constant of `add.s16x2` where one half of it is used.

from __future__ import annotations

import phobos.lang as ph


# CHECK-NOT: s16x2
# CHECK-NOT: u16x2
# CHECK: add.s16
# CHECK-NOT: s16x2
@ph.kernel
@ph.launch(32)
def shorts(A: ph.tensor[ph.i16][64], B: ph.tensor[ph.i16][64]):
    B[:] = ph.max(A[:] + ph.i16(2), ph.i16(7))
