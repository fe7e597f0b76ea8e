// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(dot-allocate-shared))' | FileCheck %s
// Buffers that are never alive at once share memory; those of one loop do not, wherever in it they are used.

#acc = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #tile.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
!view = !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
!sa = !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
!sb = !dot.stage<1 x 16x8xf16, order = [1, 0]>
#load = #tile.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>
// CHECK-LABEL: tile.kernel @apart
// CHECK-SAME: tile.shared_bytes = 512
tile.kernel @apart(%t: f16) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %x = tile.splat %t : f16 -> tensor<16x16xf16, #load>
  // CHECK: dot.alloc at 0
  // CHECK: dot.alloc at 0
  %s = dot.alloc : !sa
  %r = dot.alloc : !sa
  dot.put %x, %s[%c0] : tensor<16x16xf16, #load>, !sa
  dot.put %x, %r[%c0] : tensor<16x16xf16, #load>, !sa
  tile.return
}

// CHECK-LABEL: tile.kernel @together
// CHECK-SAME: tile.shared_bytes = 1024
tile.kernel @together(%t: f16, %n: index) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tile.splat %t : f16 -> tensor<16x16xf16, #load>
  // CHECK-DAG: dot.alloc at 0
  // CHECK-DAG: dot.alloc at 512
  %s = dot.alloc : !sa
  %r = dot.alloc : !sa
  scf.for %i = %c0 to %n step %c1 {
    dot.put %x, %s[%c0] : tensor<16x16xf16, #load>, !sa
    dot.put %x, %r[%c0] : tensor<16x16xf16, #load>, !sa
  }
  tile.return
}
