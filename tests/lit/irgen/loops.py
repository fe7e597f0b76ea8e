# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, a loop forgets what it carries, or a `while` tests something stale.
from __future__ import annotations

import phobos.lang as ph

# CHECK: tile.kernel @loops(%{{.*}}, %[[N:[a-z0-9]+]]: i32 {tile.name = "n"}
# CHECK: %[[R:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (tensor<32xf32>, tensor<32xf32>)
# CHECK: %[[NEXT:.*]] = arith.addf %[[A]], %[[B]]
# CHECK: scf.yield %[[B]], %[[NEXT]]
# CHECK: scf.while (%[[M:.*]] = %{{.*}}) : (i32) -> i32
# CHECK: %[[C:.*]] = arith.cmpi sgt, %[[M]]
# CHECK: scf.condition(%[[C]]) %[[M]]
# CHECK: do
# CHECK: ^bb0(%[[K:.*]]: i32):
# CHECK: %[[HALF:.*]] = arith.floordivsi %[[K]]
# CHECK: scf.yield %[[HALF]] : i32


@ph.kernel
def loops(A: ph.tensor[ph.f32][32], V: ph.tensor[ph.i32][1], n: ph.i32):
    a = A[:]
    b = A[:] + 1.0
    for i in range(n):
        c = a + b
        a = b
        b = c
    A[:] = b
    m: ph.var = n
    while m > 1:
        m //= 2
    V[0] = m
