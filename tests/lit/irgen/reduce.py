# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, a reduction starts from the wrong neutral value, runs along the wrong axis or combines wrongly.
from __future__ import annotations

import phobos.lang as ph

# CHECK: %[[T:.*]] = tile.load %{{.*}} -> tensor<16x32xf32>
# CHECK: tile.reduce %[[T]] axis 1 identity [0.000000e+00 : f32] : tensor<16x32xf32> -> tensor<16xf32>
# CHECK: arith.addf
# A NaN stays: maximumf, not maxnumf. The axis is kept with extent 1.
# CHECK: %[[MAX:.*]] = tile.reduce %[[T]] axis 1 identity [0xFF800000 : f32] : tensor<16x32xf32> -> tensor<16xf32>
# CHECK: arith.maximumf
# CHECK: tile.expand_dims %[[MAX]], 1 : tensor<16xf32> -> tensor<16x1xf32>
# Over all axes, from the last: a scalar.
# CHECK: %[[ROWS:.*]] = tile.reduce %{{.*}} axis 1 identity [0x7F800000 : f32] : tensor<16x32xf32> -> tensor<16xf32>
# CHECK: arith.minimumf
# CHECK: %[[ALL:.*]] = tile.reduce %[[ROWS]] axis 0 identity [0x7F800000 : f32] : tensor<16xf32> -> tensor<f32>
# CHECK: tile.to_scalar %[[ALL]] : tensor<f32> -> f32
# CHECK: tile.reduce %{{.*}} axis 0 identity [1.000000e+00 : f32] : tensor<16x32xf32> -> tensor<32xf32>
# CHECK: arith.mulf
# CHECK: tile.reduce %{{.*}} axis 1 identity [false] : tensor<16x32xi1> -> tensor<16xi1>
# CHECK: arith.ori


@ph.kernel
def reductions(A: ph.tensor[ph.f32][16, 32], S: ph.tensor[ph.f32][16], K: ph.tensor[ph.f32][16, 1],
               V: ph.tensor[ph.f32][1], P: ph.tensor[ph.f32][32], B: ph.tensor[ph.bool][16]):
    t = A[:, :]
    S[:] = ph.sum(t, axis=1)
    K[:, :] = ph.max(t, axis=1, keepdims=True)
    V[0] = ph.min(t)
    P[:] = ph.prod(t, axis=0)
    B[:] = ph.any(t > 0, axis=1)
