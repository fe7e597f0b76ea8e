// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// Loads, stores and atomics whose elements lie where tiles of indices say survive a round trip.

// CHECK-LABEL: tile.kernel @indices
tile.kernel @indices(%A: !tile.view<?x?xf32>, %i: index, %rows: tensor<4x8xi32>, %columns: tensor<4x8xi64>, %x: f32) {
  // CHECK: tile.load %[[A:.*]][%[[I:.*]], %[[I]]] along [0] by %[[ROWS:.*]] : tensor<4x8xi32> : !tile.view<?x?xf32> -> tensor<4x8xf32>
  %a = tile.load %A[%i, %i] along [0] by %rows : tensor<4x8xi32> : !tile.view<?x?xf32> -> tensor<4x8xf32>
  // CHECK: tile.load %[[A]][%[[I]], %[[I]]] fill %{{.*}} whole [false, true] along [0, 1] by %[[ROWS]], %[[COLUMNS:.*]] : tensor<4x8xi32>, tensor<4x8xi64>
  %b = tile.load %A[%i, %i] fill %x whole [false, true] along [0, 1] by %rows, %columns : tensor<4x8xi32>, tensor<4x8xi64> : !tile.view<?x?xf32>, f32 -> tensor<4x8xf32>
  // CHECK: tile.store %{{.*}}, %[[A]][%[[I]], %[[I]]] along [1] by %[[COLUMNS]] : tensor<4x8xi64> : tensor<4x8xf32>
  tile.store %a, %A[%i, %i] along [1] by %columns : tensor<4x8xi64> : tensor<4x8xf32>, !tile.view<?x?xf32>
  // CHECK: tile.atomic add device relaxed %{{.*}}, %[[A]][%[[I]], %[[I]]] along [0] by %[[ROWS]] : tensor<4x8xi32> : tensor<4x8xf32>
  %old = tile.atomic add device relaxed %b, %A[%i, %i] along [0] by %rows : tensor<4x8xi32> : tensor<4x8xf32>, !tile.view<?x?xf32>
  tile.return
}
