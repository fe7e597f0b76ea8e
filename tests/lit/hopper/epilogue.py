# RUN: phobosc %s --arch sm_90a --emit pipelined --remarks 2>&1 | FileCheck %s --check-prefix=IR
# RUN: phobosc %s --arch sm_90a --emit ptx -o %t.ptx
# RUN: FileCheck %s < %t.ptx
# RUN: ptxas -arch=sm_90a -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS
# REQUIRES: ptxas
# What follows a product's loop happens where the sums lie: a bias and a residual are loaded there in pairs, nothing goes through shared memory,
# no barrier of all warps is met, and both outputs leave by the copy engine through the same slots.
from __future__ import annotations

import phobos.lang as ph

# IR: remark: specialised: 3 stages, 2 bulk copies a turn by a producer, wgmma by 8 warps
# IR: consumer
# IR-NOT: tile.relayout
# IR-NOT: {{dot.barrier$}}
# IR: tile.load %{{.*}} -> tensor<128xf16
# IR: tile.load %{{.*}} -> tensor<128x128xf16
# IR: dot.store_async %{{.*}}, %[[SLOTS:[0-9]+]], %{{.*}} : tensor<128x128xf16
# IR: dot.store_async %{{.*}}, %[[SLOTS]], %{{.*}} : tensor<128x128xf16
# IR-NOT: tile.store
# IR: dot.store_wait %[[SLOTS]]

# CHECK-COUNT-48: {{ld.global.(v2.b16|b32)}}
# CHECK-NOT: ld.shared
# CHECK: cp.async.bulk.tensor.2d.global.shared::cta

# PTXAS-NOT: (C7
# PTXAS: 0 bytes spill stores, 0 bytes spill loads


@ph.kernel
@ph.launch(256)
@ph.tensorcore
@ph.persistent
@ph.pipeline(stages=3)
@ph.aligned(M=128, N=128, K=64)
def matmul(
    A: ph.tensor[ph.f16][M, K],
    B: ph.tensor[ph.f16][K, N],
    bias: ph.tensor[ph.f16][N],
    R: ph.tensor[ph.f16][M, N],
    C: ph.tensor[ph.f16][M, N],
    D: ph.tensor[ph.f16][M, N],
):
    row = ph.ctx.block.x * 128
    column = ph.ctx.block.y * 128
    acc: ph.var[ph.tile[ph.f32][128, 128]] = 0.0
    for k in range(0, K, 64):
        acc += ph.dot(A[row:+128, k:+64], B[k:+64, column:+128])
    x = acc + bias[column:+128]
    C[row:+128, column:+128] = x + R[row:+128, column:+128]
    D[row:+128, column:+128] = 0.5 * x * (1.0 + ph.erf(x * 0.7071067811865476))
