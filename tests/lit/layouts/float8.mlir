// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts))' | FileCheck %s
// 8-bit floats are multiplied as f16, which holds them exactly: a chip without their instructions gives the same sums.

// CHECK-LABEL: tile.kernel @product
tile.kernel @product(%A: !tile.view<?x?xf8E4M3FN, strides = [16*?, 1], align = 16>, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>)
    attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf8E4M3FN, strides = [16*?, 1], align = 16> -> tensor<32x32xf8E4M3FN>
  // CHECK: arith.extf {{.*}} to tensor<32x32xf16
  // CHECK: dot.contract {{.*}} : tensor<32x32xf16
  %d = dot.contract %a, %a, %zero : tensor<32x32xf8E4M3FN>, tensor<32x32xf8E4M3FN>, tensor<32x32xf32>
  tile.store %d, %C[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
