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
