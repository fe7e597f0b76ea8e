// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts,dot-stage-operands,canonicalize,cse))' | FileCheck %s
// Operands loaded for one contraction alone go straight to shared memory, 16 bytes at a time, and come back as fragments by k step.

// CHECK-LABEL: tile.kernel @product
module attributes {tile.chip = "sm_80"} {
tile.kernel @product(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>)
    attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK-DAG: %[[A:.*]] = dot.alloc : !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
  // CHECK-DAG: %[[B:.*]] = dot.alloc : !dot.stage<1 x 32x64xf16, order = [1, 0], swizzle>
  // CHECK: dot.copy_async {{.*}} into %[[A]]{{.*}} bytes 16
  // CHECK: dot.copy_async {{.*}} into %[[B]]{{.*}} bytes 16
  // CHECK: dot.commit
  // CHECK: dot.wait pending 0
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf16, strides = [8*?, 1], align = 16> -> tensor<64x32xf16>
  %b = tile.load %A[%c0, %c0] : !tile.view<?x?xf16, strides = [8*?, 1], align = 16> -> tensor<32x64xf16>
  // CHECK: dot.fragment %[[A]]{{.*}} origin [0, 0]
  // CHECK: dot.fragment %[[B]]{{.*}} origin [0, 0]
  // CHECK: dot.mma {{.*}} shape [16, 8, 16]
  // CHECK: dot.fragment %[[A]]{{.*}} origin [0, 16]
  // CHECK: dot.fragment %[[B]]{{.*}} origin [16, 0]
  // CHECK: dot.mma
  // CHECK-NOT: dot.contract
  %d = dot.contract %a, %b, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  tile.store %d, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
}
