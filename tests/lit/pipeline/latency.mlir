// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(dot-assign-latency))' | FileCheck %s
// Copies of a loop with a product run stages - 1 turns ahead; other loops are left alone.

#acc = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #tile.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
module attributes {tile.chip = "sm_80"} {
// CHECK-LABEL: tile.kernel @three
tile.kernel @three(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %n: index)
    attributes {tile.threads = 32 : i32, dot.stages = 3 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #acc>
  %sa = dot.alloc : !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
  %sb = dot.alloc : !dot.stage<1 x 16x8xf16, order = [1, 0]>
  %acc = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %zero) -> (tensor<16x8xf32, #acc>) {
    // CHECK-COUNT-2: dot.copy_async {{.*}} {dot.latency = 2 : i32}
    dot.copy_async %A[%c0, %k] into %sa[%c0] bytes 16 : !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
    dot.copy_async %A[%k, %c0] into %sb[%c0] bytes 16 : !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, !dot.stage<1 x 16x8xf16, order = [1, 0]>
    dot.commit
    dot.wait pending 0
    %a = dot.fragment %sa[%c0] origin [0, 0] : !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle> -> tensor<16x16xf16, #a>
    %b = dot.fragment %sb[%c0] origin [0, 0] : !dot.stage<1 x 16x8xf16, order = [1, 0]> -> tensor<16x8xf16, #b>
    %d = dot.mma %a, %b, %sum shape [16, 8, 16] : tensor<16x16xf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #acc>
    scf.yield %d : tensor<16x8xf32, #acc>
  }
  // CHECK: scf.for
  // CHECK-NOT: dot.latency
  scf.for %k = %c0 to %n step %c16 {
    dot.copy_async %A[%c0, %k] into %sa[%c0] bytes 16 : !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
  }
  tile.return
}
}
