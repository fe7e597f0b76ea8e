# RUN: phobosc %s --kernel grouped --arch sm_90a --emit ptx --remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=GROUPED
# RUN: phobosc %s --kernel scale --arch sm_80 --emit ptx --remarks 2>&1 | FileCheck %s --check-prefix=OLD
# RUN: phobosc %s --kernel matmul --arch sm_90a --emit ptx -o %t.ptx --remarks 2>&1 | FileCheck %s --check-prefix=REMARK
# RUN: FileCheck %s < %t.ptx
# RUN: ptxas -arch=sm_90a -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS
# REQUIRES: ptxas
# Blocks of a cluster share the operand that both read; in grouped order a cluster moves as a whole.
from __future__ import annotations

import phobos.lang as ph

# REMARK: remark: cluster of 2 x 1 blocks: 1 of 2 buffers are filled by multicast
# GROUPED: remark: cluster of 2 x 1 blocks: 1 of 2 buffers are filled by multicast
# OLD: remark: `@ph.cluster` does nothing on sm_80, which has no clusters
# OLD: .entry
# OLD-NOT: cluster

# CHECK: .entry matmul(
# CHECK: .explicitcluster
# CHECK: .reqnctapercluster 2, 1, 1
# CHECK: fence.mbarrier_init.release.cluster
# CHECK: barrier.cluster.arrive.aligned
# CHECK: barrier.cluster.wait.aligned
# CHECK-DAG: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
# CHECK-DAG: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [
# CHECK: wgmma.mma_async
# CHECK: barrier.cluster.arrive.aligned
# CHECK: barrier.cluster.wait.aligned

# PTXAS-NOT: (C7
# PTXAS: 0 bytes spill stores, 0 bytes spill loads


@ph.kernel
@ph.launch(256)
@ph.tensorcore
@ph.cluster(2)
@ph.pipeline(stages=4)
@ph.aligned(M=128, N=256, K=64)
def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * 128
    column: ph.let = ph.ctx.block.y * 256
    acc: ph.var[ph.tile[ph.f32][128, 256]] = 0.0
    for k in range(0, K, 64):
        acc += ph.dot(A[row:+128, k:+64], B[k:+64, column:+256])
    C[row:+128, column:+256] = acc


@ph.kernel
@ph.launch(256)
@ph.tensorcore
@ph.cluster(2)
@ph.swizzle(8)
@ph.pipeline(stages=4)
@ph.aligned(M=128, N=256, K=64)
def grouped(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * 128
    column: ph.let = ph.ctx.block.y * 256
    acc: ph.var[ph.tile[ph.f32][128, 256]] = 0.0
    for k in range(0, K, 64):
        acc += ph.dot(A[row:+128, k:+64], B[k:+64, column:+256])
    C[row:+128, column:+256] = acc


@ph.kernel
@ph.cluster(2, 4)
def scale(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * 1024
    y[start:+1024] = x[start:+1024] * 2.0
