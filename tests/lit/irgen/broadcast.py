# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, NumPy's broadcasting does not hold: a missing axis, an extent of 1 or a scalar is spread wrongly.
from __future__ import annotations

import phobos.lang as ph

# CHECK: %[[ROW:.*]] = tile.load %{{.*}} -> tensor<32xf32>
# CHECK: %[[COLUMN:.*]] = tile.load %{{.*}} -> tensor<16xf32>
# CHECK: %[[TALL:.*]] = tile.expand_dims %[[COLUMN]], 1 : tensor<16xf32> -> tensor<16x1xf32>
# CHECK: %[[L:.*]] = tile.broadcast %[[TALL]] : tensor<16x1xf32> -> tensor<16x32xf32>
# CHECK: %[[FLAT:.*]] = tile.expand_dims %[[ROW]], 0 : tensor<32xf32> -> tensor<1x32xf32>
# CHECK: %[[R:.*]] = tile.broadcast %[[FLAT]] : tensor<1x32xf32> -> tensor<16x32xf32>
# CHECK: %[[SUM:.*]] = arith.addf %[[L]], %[[R]] : tensor<16x32xf32>
# CHECK: %[[SCALE:.*]] = tile.splat %{{.*}} : f32 -> tensor<16x32xf32>
# CHECK: %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[SCALE]]
# CHECK: tile.store %[[SCALED]]


@ph.kernel
def outer(R: ph.tensor[ph.f32][32], C: ph.tensor[ph.f32][16], O: ph.tensor[ph.f32][16, 32], scale: ph.f32):
    row = R[:]
    column = C[:]
    O[:, :] = (ph.expand(column, 1) + row) * scale
