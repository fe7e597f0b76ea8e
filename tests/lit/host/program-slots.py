# RUN: phobosc %s --emit host | FileCheck %s
# What is pulled into a program on the way to a later op has room there, or the program ends before that op. If this fails, a warp's words
# run over into the next warp's.
from __future__ import annotations

import phobos.lang as ph


# CHECK-LABEL: llvm.func @kernel.fiber(
# CHECK-NOT: -> {{25[6-9]|2[6-9][0-9]|[3-9][0-9][0-9]}}"
# CHECK: program = ["ShflBfly
# CHECK-NOT: -> {{25[6-9]|2[6-9][0-9]|[3-9][0-9][0-9]}}"
# CHECK: program = ["ShflIdx
@ph.kernel
def kernel(A: ph.tensor[ph.i64][24, 3, 7, 5], O: ph.tensor[ph.i32][3, 7]):
    O[:, :] = ph.prod(ph.u32(A[:, :, :, :]), axis=(0, 3))
