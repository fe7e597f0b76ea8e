// RUN: phobos-opt %s -allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(dot-expand-pipeline,canonicalize,cse))' | FileCheck %s
// Without cp.async a tile is loaded one turn ahead, masked because the last turn has no next, and put into the other slot before the
// barrier.

#acc = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #tile.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
!view = !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
!sa = !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
!sb = !dot.stage<1 x 16x8xf16, order = [1, 0]>
#load = #tile.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>
// CHECK-LABEL: tile.kernel @two
tile.kernel @two(%A: !view, %n: index, %b: f16) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #acc>
  %fb = tile.splat %b : f16 -> tensor<16x8xf16, #b>
  // CHECK: dot.alloc {dot.pipelined} : !dot.stage<2 x 16x16xf16
  %sa = dot.alloc : !sa
  // CHECK: %[[FIRST:.*]] = tile.load {{.*}} whole [true, false]
  // CHECK: dot.put %[[FIRST]], %{{.*}}[%c0]
  // CHECK-NEXT: dot.barrier
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[READ:.*]] = %c0)
  // CHECK: %[[NEXT:.*]] = tile.load {{.*}} whole [true, false]
  // CHECK: dot.fragment %{{.*}}[%[[READ]]]
  // CHECK: dot.mma
  // CHECK: dot.put %[[NEXT]], %{{[0-9]+}}[%[[OTHER:[0-9]+]]]
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: scf.yield %{{[0-9]+}}, %[[OTHER]]
  %acc = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %zero) -> (tensor<16x8xf32, #acc>) {
    %t = tile.load %A[%c0, %k] whole [true, true] {dot.latency = 1 : i32} : !view -> tensor<16x16xf16, #load>
    dot.put %t, %sa[%c0] : tensor<16x16xf16, #load>, !sa
    %a = dot.fragment %sa[%c0] origin [0, 0] : !sa -> tensor<16x16xf16, #a>
    %d = dot.mma %a, %fb, %sum shape [16, 8, 16] : tensor<16x16xf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #acc>
    scf.yield %d : tensor<16x8xf32, #acc>
  }
  "test.use"(%acc) : (tensor<16x8xf32, #acc>) -> ()
  tile.return
}
