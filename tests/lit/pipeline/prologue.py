# RUN: phobosc %s --arch sm_80 --emit pipelined --remarks 2>&1 | FileCheck %s
# Weights of 8 bits are loaded a turn ahead, and widened, scaled and put between two products, in front of the barrier after which the next turn's
# first fragments are read.
from __future__ import annotations

import phobos.lang as ph

# CHECK: remark: pipelined: 3 stages, 1 asynchronous copies and 1 through registers a turn
# CHECK: scf.for
# CHECK: dot.copy_async
# CHECK: %[[RAW:.*]] = tile.load {{.*}} -> tensor<32x64xi8
# CHECK: dot.mma
# CHECK-NEXT: %[[WIDE:.*]] = arith.sitofp %[[RAW]]
# CHECK: %[[SCALED:.*]] = arith.mulf %[[WIDE]]
# CHECK-NEXT: dot.put %[[SCALED]]
# CHECK-NEXT: dot.wait
# CHECK-NEXT: dot.barrier
# CHECK-NEXT: dot.fragment {{.*}} ahead
# CHECK-NEXT: dot.fragment {{.*}} ahead
# CHECK-NEXT: dot.mma
# CHECK-NEXT: scf.yield


@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=3)
@ph.aligned(M=128, N=128, K=32)
def matmul(A: ph.tensor[ph.f16][M, K], W: ph.tensor[ph.i8][K, N], s: ph.tensor[ph.f16][N], C: ph.tensor[ph.f16][M, N]):
    row = ph.ctx.block.x * 128
    column = ph.ctx.block.y * 64
    acc: ph.var[ph.tile[ph.f32][128, 64]] = 0.0
    for k in range(0, K, 32):
        acc += ph.dot(A[row:+128, k:+32], ph.f16(W[k:+32, column:+64]) * s[column:+64])
    C[row:+128, column:+64] = acc
