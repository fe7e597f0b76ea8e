// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts,dot-stage-operands,canonicalize,cse))' | FileCheck %s
// Without tensor cores f32 products are exact multiply-adds, and the row-major left operand is turned on its way into padded rows.

module attributes {tile.chip = "sm_80"} {
// CHECK-LABEL: tile.kernel @exact
tile.kernel @exact(%A: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>)
    attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK-DAG: dot.alloc : !dot.stage<1 x 64x8xf32, order = [0, 1], pad = 16>
  // CHECK-DAG: dot.alloc : !dot.stage<1 x 8x64xf32, order = [1, 0]>
  // CHECK: dot.copy_async {{.*}} bytes 4 {{.*}}64x8xf32
  // CHECK: dot.copy_async {{.*}} bytes 16 {{.*}}8x64xf32
  // CHECK-COUNT-8: dot.fma
  // CHECK-NOT: dot.mma
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf32, strides = [4*?, 1], align = 16> -> tensor<64x8xf32>
  %b = tile.load %A[%c0, %c0] : !tile.view<?x?xf32, strides = [4*?, 1], align = 16> -> tensor<8x64xf32>
  %d = dot.contract %a, %b, %zero : tensor<64x8xf32>, tensor<8x64xf32>, tensor<64x64xf32>
  tile.store %d, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
}
