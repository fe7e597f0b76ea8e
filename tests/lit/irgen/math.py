# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, an elementwise function becomes another, or `round` rounds halves away from zero.
from __future__ import annotations

import phobos.lang as ph

# CHECK: %[[X:.*]] = tile.load %{{.*}} -> tensor<32xf32>
# CHECK: %[[E:.*]] = math.exp %[[X]]
# CHECK: math.rsqrt %[[E]]
# CHECK: math.roundeven
# CHECK: arith.minimumf
# CHECK: arith.maximumf
# CHECK: %[[N:.*]] = arith.negf
# CHECK: %[[D:.*]] = math.exp %[[N]]
# CHECK: %[[S:.*]] = arith.addf %[[D]]
# CHECK: arith.divf %{{.*}}, %[[S]]
# CHECK: arith.cmpf uno
# CHECK: arith.select
# CHECK: math.fma


@ph.kernel
def functions(A: ph.tensor[ph.f32][32]):
    x = A[:]
    y = ph.round(ph.rsqrt(ph.exp(x)))
    z = ph.max(ph.min(y, 4.0), -4.0)
    s = ph.sigmoid(z)
    A[:] = ph.fma(ph.where(ph.isnan(x), 0.0, s), x, x)
