# RUN: phobosc %s --arch sm_90a --emit ptx -o %t.ptx --remarks 2>&1 | FileCheck %s --check-prefix=REMARK
# RUN: FileCheck %s < %t.ptx
# RUN: ptxas -arch=sm_90a -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS
# REQUIRES: ptxas
# The plain k loop reaches the instructions that an engineer would write, in one block without moves of accumulators; ptxas neither spills
# nor serialises (C75xx).
from __future__ import annotations

import phobos.lang as ph

# REMARK: remark: pipelined: 4 stages, 2 bulk copies a turn, wgmma

# CHECK: .visible .entry matmul(
# CHECK: cp.async.bulk.tensor.2d
# CHECK: mbarrier.try_wait.parity
# CHECK: wgmma.fence.sync.aligned
# CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16
# CHECK: wgmma.commit_group
# CHECK: wgmma.wait_group.sync.aligned 1
# CHECK: bar.sync
# CHECK: cp.async.bulk.tensor.2d
# CHECK: wgmma.wait_group.sync.aligned 0

# PTXAS-NOT: (C7
# PTXAS: 0 bytes spill stores, 0 bytes spill loads


@ph.kernel
@ph.launch(256)
@ph.tensorcore
@ph.pipeline(stages=4)
@ph.aligned(M=128, N=256, K=64)
def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row = ph.ctx.block.x * 128
    column = ph.ctx.block.y * 256
    acc: ph.var[ph.tile[ph.f32][128, 256]] = 0.0
    for k in range(0, K, 64):
        acc += ph.dot(A[row:+128, k:+64], B[k:+64, column:+256])
    C[row:+128, column:+256] = acc
