# RUN: phobosc %s --arch sm_80 --emit pipelined | FileCheck %s
# If this fails, a half of a product's sums no longer lies as the sums do: it would go through shared memory.
from __future__ import annotations

import phobos.lang as ph


# CHECK: #[[ACC:layout[0-9]*]] = #tile.layout<register = {{.*}}[0, 32]
# CHECK: tile.part %{{.*}}[%c0, %c0] : tensor<16x64xf32, #[[ACC]]> -> tensor<16x32xf32, #[[HALF:layout[0-9]*]]>
# CHECK: tile.part %{{.*}}[%c0, %c32] : tensor<16x64xf32, #[[ACC]]> -> tensor<16x32xf32, #[[HALF]]>
# CHECK-NOT: tile.relayout
# CHECK: tile.store
@ph.kernel
@ph.launch(32)
@ph.tensorcore
def gated(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f32][M, 32]):
    row: ph.let = ph.ctx.block.x * 16
    acc: ph.var[ph.tile[ph.f32][16, 64]] = 0.0
    for k in range(0, K, 32):
        acc += ph.dot(A[row:+16, k:+32], B[k:+32, 0:+64])
    C[row:+16, :] = acc[:, :32] * acc[:, 32:]
