// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// If this fails, where a slice starts, its fill or the dimensions it stays inside are lost on the way through text.

// CHECK-LABEL: tile.kernel @slices
tile.kernel @slices(%A: !tile.view<?x?xf32>, %s: !tile.view<f32>, %i: index, %inf: f32) {
  // CHECK: tile.load %[[A:.*]][%[[I:.*]], %[[I]]] : !tile.view<?x?xf32> -> tensor<64x32xf32>
  %a = tile.load %A[%i, %i] : !tile.view<?x?xf32> -> tensor<64x32xf32>
  // CHECK: tile.load %[[A]][%[[I]], %[[I]]] fill %{{.*}} : !tile.view<?x?xf32>, f32 -> tensor<1x32xf32>
  %b = tile.load %A[%i, %i] fill %inf : !tile.view<?x?xf32>, f32 -> tensor<1x32xf32>
  // CHECK: tile.load %[[A]][%[[I]], %[[I]]] fill %{{.*}} whole [true, false] : !tile.view<?x?xf32>, f32 -> tensor<64x32xf32>
  %c = tile.load %A[%i, %i] fill %inf whole [true, false] : !tile.view<?x?xf32>, f32 -> tensor<64x32xf32>
  // CHECK: tile.load %{{.*}}[] : !tile.view<f32> -> tensor<f32>
  %d = tile.load %s[] : !tile.view<f32> -> tensor<f32>
  // CHECK: tile.store %{{.*}}, %[[A]][%[[I]], %[[I]]] : tensor<64x32xf32>, !tile.view<?x?xf32>
  tile.store %a, %A[%i, %i] : tensor<64x32xf32>, !tile.view<?x?xf32>
  // CHECK: tile.store %{{.*}}, %[[A]][%[[I]], %[[I]]] whole [true, true] : tensor<64x32xf32>, !tile.view<?x?xf32>
  tile.store %c, %A[%i, %i] whole [true, true] : tensor<64x32xf32>, !tile.view<?x?xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}}[] : tensor<f32>, !tile.view<f32>
  tile.store %d, %s[] : tensor<f32>, !tile.view<f32>
  tile.return
}
