# RUN: phobosc %s --arch sm_90a --emit ptx -o %t.ptx --remarks -D TILE_M=64 -D TILE_N=64 -D TILE_K=32 2>&1 | FileCheck %s --check-prefix=ROWS
# RUN: phobosc %s --arch sm_90a --emit ptx -o %t.ptx --remarks -D TILE_M=64 -D TILE_N=128 -D TILE_K=64 2>&1 | FileCheck %s --check-prefix=USED
# RUN: phobosc %s --arch sm_90a --emit ptx -o %t.ptx --remarks -D TILE_M=128 -D TILE_N=256 -D TILE_K=64 2>&1 | FileCheck %s --check-prefix=GOOD
# A tile that keeps the tensor cores waiting is said, with why and with one that does not; a good one gets no advice.

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(256)
@ph.tensorcore
@ph.pipeline(stages=3)
@ph.autotune(TILE_M=[64], TILE_N=[64], TILE_K=[32])
@ph.aligned(M=256, N=256, K=64)
def product(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(0, K, TILE_K):
        acc += ph.dot(A[row:+TILE_M, k:+TILE_K], B[k:+TILE_K, column:+TILE_N])
    C[row:+TILE_M, column:+TILE_N] = acc


# ROWS: advice.py:[[#@LINE-4]]:9: remark: a tile of 64 x 64 x 32 reaches about 40 % of the chip's rate: rows of shared memory are shorter than 128 bytes; where the matrices are large 128 x 256 x 64 with 256 threads is not held back
# USED: remark: a tile of 64 x 128 x 64 reaches about 66 % of the chip's rate: each element is used too few times;
# GOOD-NOT: reaches about
