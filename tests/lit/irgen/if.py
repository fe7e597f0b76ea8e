# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, a kernel's `if` on scalars loses a variable, or runs a division that its condition guards against.
from __future__ import annotations

import phobos.lang as ph

# CHECK: tile.kernel @branches(%{{.*}}, %[[N:[a-z0-9]+]]: i32 {tile.name = "n"}
# CHECK: %[[POSITIVE:.*]] = arith.cmpi sgt, %[[N]]
# CHECK: %[[X:.*]] = scf.if %[[POSITIVE]] -> (tensor<32xf32>)
# CHECK: arith.mulf
# CHECK: scf.yield
# CHECK: else
# CHECK: arith.negf
# CHECK: scf.yield
# CHECK: %[[BOTH:.*]] = scf.if %{{.*}} -> (i1)
# CHECK: arith.remsi
# CHECK: scf.if %[[BOTH]]
# CHECK: tile.store %[[X]]


@ph.kernel
def branches(A: ph.tensor[ph.f32][32], n: ph.i32):
    x = A[:]
    if n > 0:
        x = x * 2.0
    else:
        x = -x
    if n != 0 and 12 % n == 0:
        A[:] = x
