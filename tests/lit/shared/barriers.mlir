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

// A wait says nothing of copies whose group is not closed yet.
// CHECK-LABEL: tile.kernel @open
tile.kernel @open(%A: !view) attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %s = dot.alloc at 0 : !sa
  %r = dot.alloc at 512 : !sa
  // CHECK: dot.commit
  // CHECK-NEXT: dot.wait pending 0
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.fragment
  // CHECK-NEXT: dot.fragment
  dot.copy_async %A[%c0, %c0] into %s[%c0] bytes 16 : !view, !sa
  dot.wait pending 0
  dot.barrier
  dot.copy_async %A[%c0, %c0] into %r[%c0] bytes 16 : !view, !sa
  dot.commit
  dot.wait pending 0
  %f = dot.fragment %s[%c0] origin [0, 0] : !sa -> tensor<16x16xf16, #a>
  %g = dot.fragment %r[%c0] origin [0, 0] : !sa -> tensor<16x16xf16, #a>
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

// Copies that a pipelined loop left in flight are waited for, and then met, before their memory is used again: before the scratch or the
// buffer that overlaps them, not before another. Where nothing uses it they are still in flight when the kernel ends.
// CHECK-LABEL: tile.kernel @drained
tile.kernel @drained(%A: !view, %n: index, %t: f16) attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tile.splat %t : f16 -> tensor<16x16xf16, #load>
  %s = dot.alloc at 0 {dot.pipelined} : !sa
  %other = dot.alloc at 512 : !sa
  %same = dot.alloc at 0 : !sa
  // CHECK: dot.wait pending 0
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: scf.for
  dot.copy_async %A[%c0, %c0] into %s[%c0] bytes 16 : !view, !sa
  dot.commit
  dot.wait pending 0
  dot.barrier
  scf.for %i = %c0 to %n step %c1 {
    dot.copy_async %A[%c0, %c0] into %s[%c0] bytes 16 : !view, !sa
    dot.commit
    %f = dot.fragment %s[%c0] origin [0, 0] : !sa -> tensor<16x16xf16, #a>
    dot.wait pending 1
    dot.barrier
  } {dot.pipelined = 2 : i32}
  // CHECK: }
  // CHECK-NEXT: dot.put
  // CHECK-NEXT: dot.wait pending 0
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.put
  // CHECK-NEXT: tile.return
  dot.put %x, %other[%c0] : tensor<16x16xf16, #load>, !sa
  dot.put %x, %same[%c0] : tensor<16x16xf16, #load>, !sa
  tile.return
}

// CHECK-LABEL: tile.kernel @in_flight
tile.kernel @in_flight(%A: !view, %n: index) attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = dot.alloc at 0 {dot.pipelined} : !sa
  scf.for %i = %c0 to %n step %c1 {
    dot.copy_async %A[%c0, %c0] into %s[%c0] bytes 16 : !view, !sa
    dot.commit
  } {dot.pipelined = 2 : i32}
  // CHECK: scf.for
  // CHECK: }
  // CHECK-NEXT: tile.return
  tile.return
}

// A loop around such a loop: the next turn's first copies write where the last turn's may still land.
// CHECK-LABEL: tile.kernel @again
tile.kernel @again(%A: !view, %n: index) attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = dot.alloc at 0 {dot.pipelined} : !sa
  // CHECK: scf.for
  // CHECK-NEXT: dot.wait pending 0
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.copy_async
  scf.for %j = %c0 to %n step %c1 {
    dot.copy_async %A[%c0, %c0] into %s[%c0] bytes 16 : !view, !sa
    dot.commit
    dot.wait pending 0
    dot.barrier
    scf.for %i = %c0 to %n step %c1 {
      dot.copy_async %A[%c0, %c0] into %s[%c0] bytes 16 : !view, !sa
      dot.commit
      %f = dot.fragment %s[%c0] origin [0, 0] : !sa -> tensor<16x16xf16, #a>
      dot.wait pending 1
      dot.barrier
    } {dot.pipelined = 2 : i32}
  }
  tile.return
}

// The waits of a second loop cover what the first left behind, so only the barrier is still missing.
// CHECK-LABEL: tile.kernel @two_loops
tile.kernel @two_loops(%A: !view, %n: index, %t: f16) attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tile.splat %t : f16 -> tensor<16x16xf16, #load>
  %s = dot.alloc at 0 {dot.pipelined} : !sa
  %r = dot.alloc at 512 {dot.pipelined} : !sa
  %same = dot.alloc at 0 : !sa
  scf.for %i = %c0 to %n step %c1 {
    dot.copy_async %A[%c0, %c0] into %s[%c0] bytes 16 : !view, !sa
    dot.commit
  } {dot.pipelined = 2 : i32}
  dot.copy_async %A[%c0, %c0] into %r[%c0] bytes 16 : !view, !sa
  dot.commit
  // CHECK: dot.wait pending 1
  // CHECK-NEXT: scf.for
  dot.wait pending 1
  scf.for %i = %c0 to %n step %c1 {
    dot.copy_async %A[%c0, %c0] into %r[%c0] bytes 16 : !view, !sa
    dot.commit
  } {dot.pipelined = 2 : i32}
  // CHECK: }
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.put
  dot.put %x, %same[%c0] : tensor<16x16xf16, #load>, !sa
  tile.return
}
