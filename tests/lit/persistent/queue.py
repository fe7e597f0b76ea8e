# RUN: phobosc %s --kernel matmul --arch sm_90a --emit ptx -o %t.ptx --remarks 2>&1 | FileCheck %s --check-prefix=REMARK
# RUN: FileCheck %s < %t.ptx
# RUN: ptxas -arch=sm_90a -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS
# RUN: phobosc %s --kernel scale --arch sm_75 --emit ptx | FileCheck %s --check-prefix=OLD
# REQUIRES: ptxas
# Blocks are drawn by the producer; ptxas still sees loops that are the same for a warp, so that it neither spills nor serialises products (C75xx).
from __future__ import annotations

import phobos.lang as ph

# REMARK: remark: specialised: 4 stages

# CHECK: .entry matmul(
# CHECK: atom.global.add.u32
# CHECK: cp.async.bulk.tensor.2d.shared::cluster.global
# CHECK: atom.global.exch.b32
# CHECK: wgmma.mma_async

# PTXAS-NOT: (C7
# PTXAS: 0 bytes spill stores, 0 bytes spill loads

# OLD-DAG: atom.global.add.u32
# OLD-DAG: bar.sync


@ph.kernel
@ph.launch(256)
@ph.tensorcore
@ph.persistent(order="queue")
@ph.pipeline(stages=4)
@ph.aligned(M=128, N=256, K=64)
def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row = ph.ctx.block.x * 128
    column = ph.ctx.block.y * 256
    acc: ph.var[ph.tile[ph.f32][128, 256]] = 0.0
    for k in range(0, K, 64):
        acc += ph.dot(A[row:+128, k:+64], B[k:+64, column:+256])
    C[row:+128, column:+256] = acc


@ph.kernel
@ph.persistent(order="queue")
def scale(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * 1024
    y[start:+1024] = x[start:+1024] * 2.0
