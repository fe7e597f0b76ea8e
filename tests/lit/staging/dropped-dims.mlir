// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts,dot-stage-operands,canonicalize,cse,dot-assign-latency,dot-schedule-loop,dot-expand-pipeline,canonicalize,cse))' | FileCheck %s
// A slice from which indexes drop axes is copied ahead like any other: by cp.async, which is told the axes that are left, or through registers.

!a = !tile.view<?x?x?xf16, strides = [8*?, 8*?, 1], align = 16>
!b = !tile.view<?x?x?x?xf16, strides = [8*?, 8*?, 8*?, 1], align = 16>
!c = !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
module attributes {tile.chip = "sm_80"} {
// CHECK-LABEL: tile.kernel @by_cp_async
tile.kernel @by_cp_async(%A: !a, %B: !b, %C: !c, %n: index, %i: index) attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK-DAG: %[[A:.*]] = dot.alloc {dot.pipelined} : !dot.stage<2 x 64x32xf16
  // CHECK-DAG: %[[B:.*]] = dot.alloc {dot.pipelined} : !dot.stage<2 x 32x64xf16
  // CHECK: dot.copy_async {{.*}} dims [1, 2] into %[[A]]{{.*}} bytes 16
  // CHECK: dot.copy_async {{.*}} dims [1, 3] into %[[B]]{{.*}} bytes 16
  // CHECK: scf.for
  // CHECK: dot.copy_async {{.*}} dims [1, 2] into %[[A]]{{.*}} bytes 16
  // CHECK: dot.copy_async {{.*}} dims [1, 3] into %[[B]]{{.*}} bytes 16
  %acc = scf.for %k = %c0 to %n step %c32 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%i, %c0, %k] : !a -> tensor<1x64x32xf16>
    %x = tile.reshape %a : tensor<1x64x32xf16> -> tensor<64x32xf16>
    %b = tile.load %B[%i, %k, %i, %c0] : !b -> tensor<1x32x1x64xf16>
    %y = tile.reshape %b : tensor<1x32x1x64xf16> -> tensor<32x64xf16>
    %d = dot.contract %x, %y, %sum : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %C[%c0, %c0] : tensor<64x64xf32>, !c
  tile.return
}
}

// -----

!a = !tile.view<?x?x?xf16, strides = [8*?, 8*?, 1], align = 16>
!c = !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
module attributes {tile.chip = "sm_75"} {
// CHECK-LABEL: tile.kernel @through_registers
tile.kernel @through_registers(%A: !a, %C: !c, %n: index, %i: index) attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: scf.for
  // CHECK: %[[AHEAD:.*]] = tile.load {{.*}} -> tensor<1x64x32xf16
  // CHECK: dot.mma
  // CHECK: %[[NEXT:.*]] = tile.reshape %[[AHEAD]]
  // CHECK: dot.put %[[NEXT]]
  %acc = scf.for %k = %c0 to %n step %c32 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%i, %c0, %k] : !a -> tensor<1x64x32xf16>
    %x = tile.reshape %a : tensor<1x64x32xf16> -> tensor<64x32xf16>
    %b = tile.load %A[%i, %k, %c0] : !a -> tensor<1x32x64xf16>
    %y = tile.reshape %b : tensor<1x32x64xf16> -> tensor<32x64xf16>
    %d = dot.contract %x, %y, %sum : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %C[%c0, %c0] : tensor<64x64xf32>, !c
  tile.return
}
}
