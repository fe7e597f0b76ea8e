# RUN: phobosc %s --arch sm_80 --emit cubin -o %t.cubin 2>&1 | FileCheck %s
# REQUIRES: ptxas
# Nothing spills silently.
from __future__ import annotations

import phobos.lang as ph


# CHECK: kernel 'crowded' has too few registers: {{[1-9][0-9]*}} bytes a thread go to memory and back
@ph.kernel
@ph.launch(32, max_regs=24)
def crowded(A: ph.tensor[ph.f32][4096], B: ph.tensor[ph.f32][4096]):
    a = A[:]
    B[:] = a - ph.sum(a)
