// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// If this fails, what an atomic operation does, for whom and in what order is lost on the way through text.

// CHECK-LABEL: tile.kernel @atomics
tile.kernel @atomics(%A: !tile.view<?x?xf32>, %L: !tile.view<?xi32>, %i: index, %t: tensor<8x32xf32>, %x: tensor<1xi32>, %y: tensor<1xi32>) {
  // CHECK: tile.atomic add device relaxed %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<8x32xf32>, !tile.view<?x?xf32>
  %a = tile.atomic add device relaxed %t, %A[%i, %i] : tensor<8x32xf32>, !tile.view<?x?xf32>
  // CHECK: tile.atomic add block release %{{.*}} whole [true, false] : tensor<8x32xf32>, !tile.view<?x?xf32>
  %b = tile.atomic add block release %t, %A[%i, %i] whole [true, false] : tensor<8x32xf32>, !tile.view<?x?xf32>
  // CHECK: tile.atomic cas system acq_rel %[[X:.*]], %{{.*}}[%{{.*}}] compare %[[Y:.*]] : tensor<1xi32>, !tile.view<?xi32>, tensor<1xi32>
  %c = tile.atomic cas system acq_rel %x, %L[%i] compare %y : tensor<1xi32>, !tile.view<?xi32>, tensor<1xi32>
  // CHECK: tile.atomic umax device acquire
  %d = tile.atomic umax device acquire %x, %L[%i] : tensor<1xi32>, !tile.view<?xi32>
  tile.return
}
