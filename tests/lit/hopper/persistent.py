# RUN: phobosc %s --arch sm_90a --emit ptx -o %t.ptx --remarks 2>&1 | FileCheck %s --check-prefix=REMARK
# RUN: FileCheck %s < %t.ptx
# RUN: ptxas -arch=sm_90a -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS
# REQUIRES: ptxas
# The same plain loop with a producer: copies on one side, products on the other, a tile that leaves in panels; ptxas neither spills nor
# serialises (C75xx), with the producer's warpgroup counted in.
from __future__ import annotations

import phobos.lang as ph

# REMARK: remark: specialised: {{[0-9]}} stages, 2 bulk copies a turn by a producer, wgmma by 8 warps

# CHECK: .visible .entry matmul(
# CHECK: .maxntid 384
# CHECK-DAG: cp.async.bulk.tensor.2d.shared::cluster.global
# CHECK-DAG: wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16
# CHECK-DAG: cp.async.bulk.tensor.2d.global.shared::cta
# CHECK-DAG: stmatrix.sync.aligned.m8n8.x4

# PTXAS-NOT: (C7
# PTXAS: 0 bytes spill stores, 0 bytes spill loads


@ph.kernel
@ph.launch(256)
@ph.tensorcore
@ph.persistent
@ph.pipeline(stages=4)
@ph.aligned(M=128, N=256, K=64)
def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row = ph.ctx.block.x * 128
    column = ph.ctx.block.y * 256
    acc: ph.var[ph.tile[ph.f32][128, 256]] = 0.0
    for k in range(0, K, 64):
        acc += ph.dot(A[row:+128, k:+64], B[k:+64, column:+256])
    C[row:+128, column:+256] = acc
