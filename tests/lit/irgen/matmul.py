# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, a matrix product is not said in the words that the pipeline recognises: a loop of loads that feed one contraction.
from __future__ import annotations

import phobos.lang as ph

# CHECK: module attributes {tile.chip = "sm_80"}
# CHECK: tile.kernel @matmul(
# CHECK-SAME: %[[A:[a-z0-9]+]]: !tile.view<?x?xf16, strides = [{{.*}}, 1]{{.*}}> {tile.dims = ["M", "K"], tile.name = "A"}
# CHECK-SAME: %[[B:[a-z0-9]+]]: !tile.view<{{.*}}> {tile.dims = ["K", "N"], tile.name = "B"}
# CHECK-SAME: %[[C:[a-z0-9]+]]: !tile.view<{{.*}}> {tile.dims = ["M", "N"], tile.name = "C"}
# CHECK-SAME: dot.tensorcore = "tf32x3"
# CHECK-SAME: tile.dims = {K = 32 : i64, M = 64 : i64, N = 64 : i64}
# CHECK-SAME: tile.index_bits = 32 : i32
# CHECK-SAME: tile.threads = 256 : i32
# CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
# CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
# CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
# CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
# CHECK-DAG: %[[PM:.*]] = tile.block_id x
# CHECK-DAG: %[[PN:.*]] = tile.block_id y
# CHECK-DAG: %[[K:.*]] = tile.extent %[[A]], 1
# CHECK-DAG: %[[ROW:.*]] = arith.muli %[[PM]], %[[C64]]
# CHECK-DAG: %[[COLUMN:.*]] = arith.muli %[[PN]], %[[C64]]
# CHECK: %[[ACC:.*]] = scf.for %[[KT:.*]] = %[[C0]] to %[[K]] step %[[C32]] iter_args(%[[SUM:.*]] = %[[ZERO]]) -> (tensor<64x64xf32>)
# CHECK: %[[TA:.*]] = tile.load %[[A]][%[[ROW]], %[[KT]]] : {{.*}} -> tensor<64x32xf16>
# CHECK: %[[TB:.*]] = tile.load %[[B]][%[[KT]], %[[COLUMN]]] : {{.*}} -> tensor<32x64xf16>
# CHECK-NOT: arith.addf
# CHECK: %[[D:.*]] = dot.contract %[[TA]], %[[TB]], %[[SUM]] : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
# CHECK: scf.yield %[[D]]
# CHECK: %[[NARROW:.*]] = arith.truncf %[[ACC]] : tensor<64x64xf32> to tensor<64x64xf16>
# CHECK: tile.store %[[NARROW]], %[[C]][%{{.*}}, %{{.*}}]
# CHECK: tile.return


@ph.kernel
@ph.autotune(TILE_M=[64], TILE_N=[64], TILE_K=[32])
@ph.launch(256)
@ph.tensorcore
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    pm: ph.let = ph.ctx.block.x
    pn: ph.let = ph.ctx.block.y
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for kt in range(0, K, TILE_K):
        a: ph.var = A[pm * TILE_M:+TILE_M, kt:+TILE_K]
        b: ph.var = B[kt:+TILE_K, pn * TILE_N:+TILE_N]
        acc += ph.dot(a, b)
    C[pm * TILE_M:+TILE_M, pn * TILE_N:+TILE_N] = acc
