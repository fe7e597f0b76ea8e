# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, argmax does not give NumPy's answer: the first of equals, a NaN before any number.
from __future__ import annotations

import phobos.lang as ph

# CHECK: %[[T:.*]] = tile.load %{{.*}} -> tensor<16x32xf32>
# CHECK: %[[IOTA:.*]] = tile.iota : tensor<32xi32>
# CHECK: %[[ROW:.*]] = tile.reshape %[[IOTA]] : tensor<32xi32> -> tensor<1x32xi32>
# CHECK: %[[PLACES:.*]] = tile.broadcast %[[ROW]] : tensor<1x32xi32> -> tensor<16x32xi32>
# CHECK: %[[R:.*]]:2 = tile.reduce %[[T]], %[[PLACES]] axis 1 identity [0xFF800000 : f32, 2147483647 : i32]
# CHECK: ^bb0(%[[X:.*]]: f32, %[[IX:.*]]: i32, %[[Y:.*]]: f32, %[[IY:.*]]: i32):
# CHECK-DAG: arith.cmpf ugt, %[[X]], %[[Y]]
# CHECK-DAG: arith.cmpf ord, %[[Y]], %[[Y]]
# CHECK-DAG: arith.cmpf ugt, %[[Y]], %[[X]]
# CHECK-DAG: arith.cmpi slt, %[[IY]], %[[IX]]
# CHECK: tile.yield %{{.*}}, %{{.*}} : f32, i32
# CHECK: tile.store %[[R]]#1


@ph.kernel
def argmax(A: ph.tensor[ph.f32][16, 32], I: ph.tensor[ph.i32][16]):
    I[:] = ph.argmax(A[:, :], axis=1)
