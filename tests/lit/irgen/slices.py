# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, a slice starts at the wrong place, drops the wrong axis or forgets its fill.
from __future__ import annotations

import phobos.lang as ph

# CHECK: tile.kernel @slices(%[[A:[a-z0-9]+]]: {{.*}}, %[[V:[a-z0-9]+]]: {{.*}}, %[[F:[a-z0-9]+]]: {{.*}}tile.name = "F"
# CHECK-DAG: %[[I:.*]] = tile.block_id x
# CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
# CHECK-DAG: %[[INF:.*]] = arith.constant 0xFF800000 : f32
# A row: the point's axis is loaded with extent 1 and dropped.
# CHECK: %[[ROW:.*]] = tile.load %[[A]][%[[I]], %[[ZERO]]] fill %[[INF]] : {{.*}} -> tensor<1x32xf32>
# CHECK: %[[DROPPED:.*]] = tile.reshape %[[ROW]] : tensor<1x32xf32> -> tensor<32xf32>
# A read-modify-write reads first, as Python does, then its right side. An element is a scalar.
# CHECK: %[[OLD:.*]] = tile.load %[[A]][%[[I]], %[[ZERO]]] :
# CHECK: %[[KEPT:.*]] = tile.reshape %[[OLD]]
# CHECK: %[[ONE:.*]] = tile.load %[[V]][%[[I]]] : {{.*}} -> tensor<1xf32>
# CHECK: %[[SCALAR:.*]] = tile.to_scalar %[[ONE]] : tensor<1xf32> -> f32
# CHECK: %[[SPLAT:.*]] = tile.splat %[[SCALAR]] : f32 -> tensor<32xf32>
# CHECK: %[[SUM:.*]] = arith.addf %[[DROPPED]], %[[SPLAT]]
# CHECK: %[[TOTAL:.*]] = arith.addf %[[KEPT]], %[[SUM]]
# CHECK: %[[BACK:.*]] = tile.reshape %[[TOTAL]] : tensor<32xf32> -> tensor<1x32xf32>
# CHECK: tile.store %[[BACK]], %[[A]][%[[I]], %[[ZERO]]]
# CHECK: %[[WIDE:.*]] = tile.splat %{{.*}} : f32 -> tensor<1xf32>
# CHECK: tile.store %[[WIDE]], %[[V]][%[[I]]]
# A bool is a byte in memory.
# CHECK: %[[BYTES:.*]] = tile.load %[[F]][%[[ZERO]]] : {{.*}} -> tensor<32xi8>
# CHECK: %[[BITS:.*]] = arith.cmpi ne, %[[BYTES]]
# CHECK: %[[FLIPPED:.*]] = arith.xori %[[BITS]]
# CHECK: %[[STORED:.*]] = arith.extui %[[FLIPPED]] : tensor<32xi1> to tensor<32xi8>
# CHECK: tile.store %[[STORED]], %[[F]][%[[ZERO]]]


@ph.kernel
def slices(A: ph.tensor[ph.f32][M, N], V: ph.tensor[ph.f32][M], F: ph.tensor[ph.bool][32]):
    i = ph.ctx.block.x
    row = ph.load(A[i, 0:+32], other=float("-inf"))
    A[i, 0:+32] += row + V[i]
    V[i] = V[i] * 2
    F[:] = ~F[:]
