// RUN: phobos-opt %s -allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(dot-expand-pipeline,canonicalize,cse))' | FileCheck %s
// Three stages: two turns are copied before the loop, each turn starts the copies of the turn two later without a branch, and ends with one
// wait that leaves one group in flight and one barrier. A wait too lax or a barrier too few is a race. Nobody waits for the zeros that the last
// turns left in flight: dot-insert-barriers does, where their memory is used again.

#acc = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #tile.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
!view = !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
!sa = !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
!sb = !dot.stage<1 x 16x8xf16, order = [1, 0]>
// CHECK-LABEL: tile.kernel @three
tile.kernel @three(%A: !view, %n: index) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #acc>
  // CHECK-DAG: dot.alloc {dot.pipelined} : !dot.stage<3 x 16x16xf16
  // CHECK-DAG: dot.alloc {dot.pipelined} : !dot.stage<3 x 16x8xf16
  %sa = dot.alloc : !sa
  %sb = dot.alloc : !sb
  // CHECK: dot.copy_async {{.*}}into %[[SA:[0-9]+]][%c0] bytes 16 if
  // CHECK: dot.copy_async
  // CHECK: dot.commit
  // CHECK: dot.copy_async {{.*}}into %[[SA]][%c1] bytes 16 if
  // CHECK: dot.copy_async
  // CHECK: dot.commit
  // CHECK-NEXT: dot.wait pending 1
  // CHECK-NEXT: dot.barrier
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[READ:arg[0-9]+]] = %c0, %[[WRITE:arg[0-9]+]] = %c2)
  // CHECK: %[[VALID:[0-9]+]] = arith.cmpi slt
  // CHECK: dot.copy_async {{.*}}into %[[SA]][%[[WRITE]]] bytes 16 if %[[VALID]]
  // CHECK: dot.copy_async
  // CHECK: dot.commit
  // CHECK-NOT: dot.wait pending 0
  // CHECK: dot.fragment %[[SA]][%[[READ]]]
  // CHECK: dot.mma
  // CHECK-NEXT: dot.wait pending 1
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: }
  // CHECK-NOT: dot.wait
  %acc = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %zero) -> (tensor<16x8xf32, #acc>) {
    dot.copy_async %A[%c0, %k] into %sa[%c0] bytes 16 {dot.latency = 2 : i32} : !view, !sa
    dot.copy_async %A[%k, %c0] into %sb[%c0] bytes 16 {dot.latency = 2 : i32} : !view, !sb
    dot.commit
    dot.wait pending 0
    %a = dot.fragment %sa[%c0] origin [0, 0] : !sa -> tensor<16x16xf16, #a>
    %b = dot.fragment %sb[%c0] origin [0, 0] : !sb -> tensor<16x8xf16, #b>
    %d = dot.mma %a, %b, %sum shape [16, 8, 16] : tensor<16x16xf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #acc>
    scf.yield %d : tensor<16x8xf32, #acc>
  }
  "test.use"(%acc) : (tensor<16x8xf32, #acc>) -> ()
  tile.return
}
