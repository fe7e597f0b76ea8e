// RUN: phobos-opt %s -canonicalize | FileCheck %s
// If this fails, a tile of a known scalar is built at run time, and a relayout to the same layout is paid for.

// CHECK-LABEL: tile.kernel @folds
tile.kernel @folds(%C: !tile.view<?xf32>, %i: index) {
  // CHECK: %[[TILE:.*]] = arith.constant dense<2.000000e+00> : tensor<8xf32>
  %two = arith.constant 2.0 : f32
  %t = tile.splat %two : f32 -> tensor<8xf32>
  // CHECK-NOT: tile.relayout
  %same = tile.relayout %t : tensor<8xf32> -> tensor<8xf32>
  // CHECK: tile.store %[[TILE]]
  tile.store %same, %C[%i] : tensor<8xf32>, !tile.view<?xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @transposes
// CHECK-SAME: %[[T:[a-z0-9]+]]: tensor<8x8xf32>
tile.kernel @transposes(%C: !tile.view<?x?xf32>, %t: tensor<8x8xf32>, %i: index) {
  // CHECK-NOT: tile.transpose {{.*}} [0, 1]
  %same = tile.transpose %t [0, 1] : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %[[TURNED:.*]] = tile.transpose %[[T]] [1, 0]
  %turned = tile.transpose %same [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: tile.store %[[TURNED]]
  tile.store %turned, %C[%i, %i] : tensor<8x8xf32>, !tile.view<?x?xf32>
  tile.return
}
