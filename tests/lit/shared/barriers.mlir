// RUN: phobos-opt %s -allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(dot-insert-barriers))' | FileCheck %s
// Write then read, and read then write by the next turn, need a barrier; reads among themselves and other bytes do not.

#acc = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #tile.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
!view = !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
!sa = !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
!sb = !dot.stage<1 x 16x8xf16, order = [1, 0]>
#load = #tile.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>
// CHECK-LABEL: tile.kernel @straight
tile.kernel @straight(%t: f16) attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %x = tile.splat %t : f16 -> tensor<16x16xf16, #load>
  %s = dot.alloc at 0 : !sa
  %r = dot.alloc at 512 : !sa
  // CHECK: dot.put
  // CHECK-NEXT: dot.put
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.fragment
  // CHECK-NEXT: dot.fragment
  // CHECK-NEXT: tile.return
  dot.put %x, %s[%c0] : tensor<16x16xf16, #load>, !sa
  dot.put %x, %r[%c0] : tensor<16x16xf16, #load>, !sa
  %f = dot.fragment %s[%c0] origin [0, 0] : !sa -> tensor<16x16xf16, #a>
  %g = dot.fragment %s[%c0] origin [0, 0] : !sa -> tensor<16x16xf16, #a>
  tile.return
}

// CHECK-LABEL: tile.kernel @loop
tile.kernel @loop(%t: f16, %n: index) attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tile.splat %t : f16 -> tensor<16x16xf16, #load>
  %s = dot.alloc at 0 : !sa
  // CHECK: scf.for
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.put
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.fragment
  // CHECK-NEXT: }
  scf.for %i = %c0 to %n step %c1 {
    dot.put %x, %s[%c0] : tensor<16x16xf16, #load>, !sa
    %f = dot.fragment %s[%c0] origin [0, 0] : !sa -> tensor<16x16xf16, #a>
  }
  tile.return
}

// The barrier after a copy comes after the wait: another thread's copy is only there once it has waited itself.
// CHECK-LABEL: tile.kernel @copy
tile.kernel @copy(%A: !view) attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %s = dot.alloc at 0 : !sa
  // CHECK: dot.wait pending 0
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.fragment
  dot.copy_async %A[%c0, %c0] into %s[%c0] bytes 16 : !view, !sa
  dot.commit
  dot.wait pending 0
  %f = dot.fragment %s[%c0] origin [0, 0] : !sa -> tensor<16x16xf16, #a>
  tile.return
}

// What a pipelined loop leaves behind is met once before its memory is used again.
// CHECK-LABEL: tile.kernel @after
tile.kernel @after(%A: !view, %n: index, %t: f16) attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tile.splat %t : f16 -> tensor<16x16xf16, #load>
  %s = dot.alloc at 0 {dot.pipelined} : !sa
  %r = dot.alloc at 0 : !sa
  // CHECK: scf.for
  // CHECK-NEXT: dot.fragment
  // CHECK-NEXT: }
  scf.for %i = %c0 to %n step %c1 {
    %f = dot.fragment %s[%c0] origin [0, 0] : !sa -> tensor<16x16xf16, #a>
  } {dot.pipelined = 2 : i32}
  // CHECK: dot.barrier
  // CHECK-NEXT: dot.put
  dot.put %x, %r[%c0] : tensor<16x16xf16, #load>, !sa
  tile.return
}
