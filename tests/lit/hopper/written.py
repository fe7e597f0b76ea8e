# RUN: phobosc %s --arch sm_90a --emit dot | FileCheck %s
# What the kernel writes itself the copy engine does not read: it would need a fence between the two.
from __future__ import annotations

import phobos.lang as ph


# CHECK-LABEL: tile.kernel @matmul
# CHECK-NOT: dot.tma_load
# CHECK: dot.copy_async
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.aligned(M=64, N=64, K=64)
def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f32][M, N]):
    row: ph.let = ph.ctx.block.x * 64
    col: ph.let = ph.ctx.block.y * 64
    A[row:+64, 0:+64] = ph.f16(1.0)
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, K, 64):
        acc += ph.dot(A[row:+64, k:+64], B[k:+64, col:+64])
    C[row:+64, col:+64] = acc
