// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(dot-deepen-turns))' | FileCheck %s
// Deeper turns, where a dimension's name says that the loop goes to the end of both views; the masks of what goes past it are not there yet.

!k_major = !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
module attributes {tile.chip = "sm_90a"} {
// CHECK-LABEL: tile.kernel @named
tile.kernel @named(%A: !k_major {tile.dims = ["M", "K"]}, %B: !k_major {tile.dims = ["N", "K"]}, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>)
    attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %K = tile.extent %A, 1 : !k_major
  // CHECK: scf.for %[[K:.*]] = %c0 to %{{.*}} step %c64
  // CHECK: tile.load %{{.*}}[%c0, %[[K]]] : {{.*}} -> tensor<64x64xf16>
  // CHECK: tile.load %{{.*}}[%c0, %[[K]]] : {{.*}} -> tensor<64x64xf16>
  // CHECK: dot.contract {{.*}} trans_b : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %acc = scf.for %k = %c0 to %K step %c32 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%c0, %k] : !k_major -> tensor<64x32xf16>
    %b = tile.load %B[%c0, %k] : !k_major -> tensor<64x32xf16>
    %d = dot.contract %a, %b, %sum trans_b : tensor<64x32xf16>, tensor<64x32xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}

// Of two names nothing is known: the second view may go on where the first ends.
// CHECK-LABEL: tile.kernel @two_names
tile.kernel @two_names(%A: !k_major {tile.dims = ["M", "K"]}, %B: !k_major {tile.dims = ["N", "L"]}, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>)
    attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %K = tile.extent %A, 1 : !k_major
  // CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c32
  %acc = scf.for %k = %c0 to %K step %c32 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%c0, %k] : !k_major -> tensor<64x32xf16>
    %b = tile.load %B[%c0, %k] : !k_major -> tensor<64x32xf16>
    %d = dot.contract %a, %b, %sum trans_b : tensor<64x32xf16>, tensor<64x32xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
}
