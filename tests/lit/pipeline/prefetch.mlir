// RUN: phobos-opt %s -allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(dot-prefetch-fragments))' | FileCheck %s
// The next step's fragments are read before this step's product, the next turn's first ones after the barrier and before the last product.

#acc = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #tile.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
!view = !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
!sa = !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
!sb = !dot.stage<1 x 16x8xf16, order = [1, 0]>
!two = !dot.stage<2 x 16x32xf16, order = [1, 0], swizzle>
// CHECK-LABEL: tile.kernel @steps
tile.kernel @steps(%n: index, %b: f16) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #acc>
  %fb = tile.splat %b : f16 -> tensor<16x8xf16, #b>
  %s = dot.alloc {dot.pipelined} : !two
  // CHECK: %[[FIRST:.*]] = dot.fragment %{{.*}}[%c0] origin [0, 0]
  // CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[READ:.*]] = %c0, %[[CARRIED:.*]] = %[[FIRST]])
  // CHECK-NEXT: %[[SECOND:.*]] = dot.fragment %{{.*}}[%[[READ]]] origin [0, 16]
  // CHECK: %[[NEXT:.*]] = arith.subi
  // CHECK: %[[ONE:.*]] = dot.mma %[[CARRIED]], %{{.*}}, %[[SUM]]
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: %[[AHEAD:.*]] = dot.fragment %{{.*}}[%[[NEXT]]] origin [0, 0]
  // CHECK-NEXT: %[[TWO:.*]] = dot.mma %[[SECOND]], %{{.*}}, %[[ONE]]
  // CHECK-NEXT: scf.yield %[[TWO]], %[[NEXT]], %[[AHEAD]]
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero, %read = %c0) -> (tensor<16x8xf32, #acc>, index) {
    %next = arith.subi %c1, %read : index
    %f0 = dot.fragment %s[%read] origin [0, 0] : !two -> tensor<16x16xf16, #a>
    %d0 = dot.mma %f0, %fb, %sum shape [16, 8, 16] : tensor<16x16xf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #acc>
    %f1 = dot.fragment %s[%read] origin [0, 16] : !two -> tensor<16x16xf16, #a>
    %d1 = dot.mma %f1, %fb, %d0 shape [16, 8, 16] : tensor<16x16xf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #acc>
    dot.barrier
    scf.yield %d1, %next : tensor<16x8xf32, #acc>, index
  } {dot.pipelined = 2 : i32}
  "test.use"(%r#0) : (tensor<16x8xf32, #acc>) -> ()
  tile.return
}
