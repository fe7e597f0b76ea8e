# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, an unrolled loop stays a loop, or its turns do not see each other's values.
from __future__ import annotations

import phobos.lang as ph

# CHECK-NOT: scf.for
# CHECK: %[[T:.*]] = tile.load
# CHECK: %[[A:.*]] = arith.mulf %[[T]], %[[T]]
# CHECK: %[[B:.*]] = arith.mulf %[[A]], %[[A]]
# CHECK: %[[C:.*]] = arith.mulf %[[B]], %[[B]]
# CHECK: tile.store %[[C]]


@ph.kernel
def power(A: ph.tensor[ph.f32][32]):
    t = A[:]
    for i in ph.unroll(3):
        t *= t
    A[:] = t
