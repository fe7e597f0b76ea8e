# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, a device function is not inlined with its arguments, or its second result is lost.
from __future__ import annotations

import phobos.lang as ph

# CHECK: tile.kernel @caller
# CHECK: %[[X:.*]] = tile.load
# CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[TWO:.*]] : tensor<32xf32>
# CHECK: %[[DIFFERENCE:.*]] = arith.subf %[[X]], %[[TWO]] : tensor<32xf32>
# CHECK: %[[PRODUCT:.*]] = arith.mulf %[[SUM]], %[[DIFFERENCE]]
# CHECK: tile.store %[[PRODUCT]]
# CHECK-NOT: call


@ph.fn
def both(x, y):
    return x + y, x - y


@ph.kernel
def caller(A: ph.tensor[ph.f32][32]):
    s, d = both(A[:], 2.0)
    A[:] = s * d
