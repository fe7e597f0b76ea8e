# RUN: phobosc %s --kernel heads --arch sm_90a --emit ptx -o %t.ptx --remarks 2>&1 | FileCheck %s --check-prefix=REMARK
# RUN: FileCheck %s < %t.ptx
# RUN: phobosc %s --kernel heads --arch sm_90a --emit dot | FileCheck %s --check-prefix=DOT
# Indexes that drop axes, wherever they stand, leave a product its way: bulk copies of rank 4 and roles, a tile that leaves by the copy engine.
from __future__ import annotations

import phobos.lang as ph

# REMARK: remark: specialised: 3 stages, 2 bulk copies a turn by a producer, wgmma by 8 warps

# DOT: tile.kernel @heads
# DOT-SAME: !dot.tensor_map<1x128x1x64xf16, swizzle = 128> {dot.map_of = 0 : i32}
# DOT-SAME: !dot.tensor_map<1x1x64x64xf16, swizzle = 128> {dot.map_of = 1 : i32}
# DOT-SAME: !dot.tensor_map<1x64x1x64xf16, swizzle = 128> {dot.map_of = 2 : i32}
# DOT: dot.tma_load {{.*}} !dot.stage<1 x 128x64xf16, order = [1, 0], panels = 128>
# DOT: dot.tma_load {{.*}} !dot.stage<1 x 64x128xf16, order = [1, 0], panels = 128>

# CHECK-DAG: cp.async.bulk.tensor.4d.shared::cluster.global
# CHECK-DAG: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
# CHECK-DAG: cp.async.bulk.tensor.4d.global.shared::cta


@ph.kernel
@ph.launch(256)
@ph.tensorcore
@ph.persistent
@ph.pipeline(stages=3)
@ph.aligned(M=128, N=128, K=64)
def heads(A: ph.tensor[ph.f16][L, M, H, K], B: ph.tensor[ph.f16][L, H, K, N], C: ph.tensor[ph.f16][L, M, H, N]):
    h = ph.ctx.block.z % H
    i = ph.ctx.block.z // H
    row = ph.ctx.block.x * 128
    column = ph.ctx.block.y * 128
    acc: ph.var[ph.tile[ph.f32][128, 128]] = 0.0
    for k in range(0, K, 64):
        acc += ph.dot(A[i, row:+128, h, k:+64], B[i, h, k:+64, column:+128])
    C[i, row:+128, h, column:+128] = acc
