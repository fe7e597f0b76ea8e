// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-simplify-masks))' | FileCheck %s
// A promised dim loses its masks: if this fails, @ph.aligned buys nothing.

// CHECK-LABEL: tile.kernel @loop
tile.kernel @loop(%A: !tile.view<?x?xf32> {tile.dims = ["M", "K"]}) attributes {tile.dims = {K = 32 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %K = tile.extent %A, 1 : !tile.view<?x?xf32>
  scf.for %k = %c0 to %K step %c32 {
    // CHECK: tile.load {{.*}} whole [false, true]
    %a = tile.load %A[%c0, %k] : !tile.view<?x?xf32> -> tensor<16x32xf32>
  }
  tile.return
}

// Every tile divides an extent of 0, and none is inside.
// CHECK-LABEL: tile.kernel @empty
tile.kernel @empty(%A: !tile.view<0xf32>, %B: !tile.view<4xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: tile.load {{.*}} whole [false]
  %a = tile.load %A[%c0] : !tile.view<0xf32> -> tensor<1xf32>
  // CHECK: tile.load {{.*}} whole [true]
  %b = tile.load %B[%c0] : !tile.view<4xf32> -> tensor<1xf32>
  tile.return
}
