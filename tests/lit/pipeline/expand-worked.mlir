// RUN: phobos-opt %s -allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(dot-assign-latency,dot-schedule-loop,dot-expand-pipeline,canonicalize,cse))' | FileCheck %s
// What is loaded, converted and put is loaded a turn ahead and converted behind the product, where the load has arrived; not where others see
// what is made on the way, or where it is made of what the turn before left.

#acc = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #tile.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#load = #tile.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>
!view = !tile.view<?x?xi8, strides = [16*?, 1], align = 16>
!sa = !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
module attributes {tile.chip = "sm_80"} {
// CHECK-LABEL: tile.kernel @worked
tile.kernel @worked(%A: !view, %n: index, %b: f16, %scale: f16) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #acc>
  %fb = tile.splat %b : f16 -> tensor<16x8xf16, #b>
  // CHECK: dot.alloc {dot.pipelined} : !dot.stage<2 x 16x16xf16
  %sa = dot.alloc : !sa
  // CHECK: %[[FIRST:.*]] = tile.load
  // CHECK: %[[HALF:.*]] = arith.sitofp %[[FIRST]]
  // CHECK: %[[SCALED:.*]] = arith.mulf %[[HALF]]
  // CHECK: dot.put %[[SCALED]], %{{.*}}[%c0]
  // CHECK: scf.for
  // CHECK: %[[NEXT:.*]] = tile.load {{.*}} whole [true, false]
  // CHECK-NOT: tile.load
  // CHECK: dot.mma
  // CHECK: %[[NEXTHALF:.*]] = arith.sitofp %[[NEXT]]
  // CHECK: %[[NEXTSCALED:.*]] = arith.mulf %[[NEXTHALF]]
  // CHECK-NEXT: dot.put %[[NEXTSCALED]]
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: scf.yield
  %acc = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %zero) -> (tensor<16x8xf32, #acc>) {
    %t = tile.load %A[%c0, %k] whole [true, true] : !view -> tensor<16x16xi8, #load>
    %h = arith.sitofp %t : tensor<16x16xi8, #load> to tensor<16x16xf16, #load>
    %s = tile.splat %scale : f16 -> tensor<16x16xf16, #load>
    %x = arith.mulf %h, %s : tensor<16x16xf16, #load>
    dot.put %x, %sa[%c0] : tensor<16x16xf16, #load>, !sa
    %a = dot.fragment %sa[%c0] origin [0, 0] : !sa -> tensor<16x16xf16, #a>
    %d = dot.mma %a, %fb, %sum shape [16, 8, 16] : tensor<16x16xf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #acc>
    scf.yield %d : tensor<16x8xf32, #acc>
  }
  "test.use"(%acc) : (tensor<16x8xf32, #acc>) -> ()
  tile.return
}

// CHECK-LABEL: tile.kernel @seen
tile.kernel @seen(%A: !view, %n: index, %b: f16) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #acc>
  %fb = tile.splat %b : f16 -> tensor<16x8xf16, #b>
  // CHECK: dot.alloc : !dot.stage<1 x 16x16xf16
  %sa = dot.alloc : !sa
  // CHECK-NOT: tile.load
  // CHECK: scf.for
  %acc = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %zero) -> (tensor<16x8xf32, #acc>) {
    %t = tile.load %A[%c0, %k] whole [true, true] : !view -> tensor<16x16xi8, #load>
    %h = arith.sitofp %t : tensor<16x16xi8, #load> to tensor<16x16xf16, #load>
    "test.use"(%h) : (tensor<16x16xf16, #load>) -> ()
    dot.put %h, %sa[%c0] : tensor<16x16xf16, #load>, !sa
    %a = dot.fragment %sa[%c0] origin [0, 0] : !sa -> tensor<16x16xf16, #a>
    %d = dot.mma %a, %fb, %sum shape [16, 8, 16] : tensor<16x16xf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #acc>
    scf.yield %d : tensor<16x8xf32, #acc>
  }
  "test.use"(%acc) : (tensor<16x8xf32, #acc>) -> ()
  tile.return
}

// CHECK-LABEL: tile.kernel @carried
tile.kernel @carried(%A: !view, %n: index, %b: f16, %first: f16) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #acc>
  %fb = tile.splat %b : f16 -> tensor<16x8xf16, #b>
  // CHECK: dot.alloc : !dot.stage<1 x 16x16xf16
  %sa = dot.alloc : !sa
  %acc:2 = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %zero, %scale = %first) -> (tensor<16x8xf32, #acc>, f16) {
    %t = tile.load %A[%c0, %k] whole [true, true] : !view -> tensor<16x16xi8, #load>
    %h = arith.sitofp %t : tensor<16x16xi8, #load> to tensor<16x16xf16, #load>
    %s = tile.splat %scale : f16 -> tensor<16x16xf16, #load>
    %x = arith.mulf %h, %s : tensor<16x16xf16, #load>
    dot.put %x, %sa[%c0] : tensor<16x16xf16, #load>, !sa
    %a = dot.fragment %sa[%c0] origin [0, 0] : !sa -> tensor<16x16xf16, #a>
    %d = dot.mma %a, %fb, %sum shape [16, 8, 16] : tensor<16x16xf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #acc>
    %next = arith.mulf %scale, %first : f16
    scf.yield %d, %next : tensor<16x8xf32, #acc>, f16
  }
  "test.use"(%acc#0) : (tensor<16x8xf32, #acc>) -> ()
  tile.return
}
}
