// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts,dot-stage-operands,canonicalize,cse))' | FileCheck %s
// Two contractions of one loaded tile copy it once.

module attributes {tile.chip = "sm_80"} {
// CHECK-LABEL: tile.kernel @two
tile.kernel @two(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>)
    attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  // CHECK-COUNT-3: dot.alloc
  // CHECK-NOT: dot.alloc
  // CHECK-COUNT-3: dot.copy_async
  // CHECK-NOT: dot.copy_async
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf16, strides = [8*?, 1], align = 16> -> tensor<32x16xf16>
  %b = tile.load %A[%c0, %c0] : !tile.view<?x?xf16, strides = [8*?, 1], align = 16> -> tensor<16x32xf16>
  %c = tile.load %A[%c0, %c32] : !tile.view<?x?xf16, strides = [8*?, 1], align = 16> -> tensor<16x32xf16>
  %d = dot.contract %a, %b, %zero : tensor<32x16xf16>, tensor<16x32xf16>, tensor<32x32xf32>
  %e = dot.contract %a, %c, %zero : tensor<32x16xf16>, tensor<16x32xf16>, tensor<32x32xf32>
  %s = arith.addf %d, %e : tensor<32x32xf32>
  tile.store %s, %C[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
}
