// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts))' | FileCheck %s
// A contraction's accumulator keeps its instruction's layout through the loop: a relayout in there would cost more than the product.

// CHECK-LABEL: tile.kernel @loop
module attributes {tile.chip = "sm_80"} {
tile.kernel @loop(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>)
    attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[ACC:.*]]>)
  %acc = scf.for %k = %c0 to %c64 step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%c0, %k] : !tile.view<?x?xf16, strides = [8*?, 1], align = 16> -> tensor<64x64xf16>
    %b = tile.load %A[%k, %c0] : !tile.view<?x?xf16, strides = [8*?, 1], align = 16> -> tensor<64x64xf16>
    // CHECK: %[[SUM:.*]] = dot.contract {{.*}}, tensor<64x64xf32, #[[ACC]]>
    // CHECK-NEXT: scf.yield %[[SUM]]
    %d = dot.contract %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  // f32 sums fill whole sectors as they lie: stored without a relayout.
  // CHECK-NOT: tile.relayout
  // CHECK: tile.store {{.*}} : tensor<64x64xf32, #[[ACC]]>
  tile.store %acc, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
}
