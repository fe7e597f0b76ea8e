# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, rows and columns are mixed up where a tile changes its shape.
from __future__ import annotations

import phobos.lang as ph

# CHECK: %[[T:.*]] = tile.load %{{.*}} -> tensor<16x32xf32>
# CHECK: %[[TURNED:.*]] = tile.transpose %[[T]] [1, 0] : tensor<16x32xf32> -> tensor<32x16xf32>
# CHECK: %[[SHAPED:.*]] = tile.reshape %[[TURNED]] : tensor<32x16xf32> -> tensor<8x64xf32>
# CHECK: tile.store %[[SHAPED]]
# CHECK: %[[IOTA:.*]] = tile.iota : tensor<64xi32>
# CHECK: tile.store


@ph.kernel
def shapes(A: ph.tensor[ph.f32][16, 32], B: ph.tensor[ph.f32][8, 64], I: ph.tensor[ph.i32][64]):
    B[:, :] = ph.reshape(ph.transpose(A[:, :]), 8, 64)
    I[:] = ph.iota(64)
