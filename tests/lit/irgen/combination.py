# RUN: phobosc %s --emit tile | FileCheck %s
# Reductions and scans by a device function; of an axis that is padded, which elements are there travels along.
from __future__ import annotations

import phobos.lang as ph


@ph.fn
def larger(a, b):
    return ph.where(a > b, a, b)


@ph.fn
def maps(a, b, c, d):
    return a * c, b * c + d


@ph.kernel
@ph.launch(128)
def kernel(A: ph.tensor[ph.f32][16, 32], B: ph.tensor[ph.f32][16, 48], C: ph.tensor[ph.f32][16], D: ph.tensor[ph.f32][16, 48]):
    # CHECK: %[[THERE:.*]] = arith.constant dense<true> : tensor<16x48xi1>
    # CHECK: tile.reduce %{{[^,]*}} axis 1 identity [0.000000e+00 : f32] : tensor<16x32xf32> -> tensor<16xf32>
    # CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
    # CHECK-NEXT: arith.cmpf ogt, %[[X]], %[[Y]]
    C[:] = ph.reduce(A[:], 1, larger)
    # CHECK: tile.reduce %{{.*}}, %[[THERE]] axis 1 identity [0.000000e+00 : f32, false]
    # CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[LEFT:.*]]: i1, %[[Y:.*]]: f32, %[[RIGHT:.*]]: i1):
    # CHECK: %[[BOTH:.*]] = arith.andi %[[LEFT]], %[[RIGHT]]
    # CHECK: arith.select %[[BOTH]]
    # CHECK: %[[ANY:.*]] = arith.ori %[[LEFT]], %[[RIGHT]]
    # CHECK: tile.yield %{{.*}}, %[[ANY]]
    C[:] = ph.reduce(B[:], 1, larger)
    # CHECK: tile.scan %{{.*}}, %{{.*}} axis 1 : tensor<16x48xf32>, tensor<16x48xf32>
    # CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32):
    # CHECK-NEXT: arith.mulf %[[A]], %[[C]]
    b = B[:]
    _, y = ph.scan((b, b), 1, maps)
    D[:] = y
    # CHECK: tile.scan %{{.*}} axis 0 : tensor<16x48xf32> -> tensor<16x48xf32>
    # CHECK: arith.addf
    D[:] = ph.cumsum(b, axis=0)
