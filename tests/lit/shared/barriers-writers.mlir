// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(dot-insert-barriers))' | FileCheck %s
// Case 35 of docs/cases.md: each op that writes shared memory is seen to, before and after. If this fails, one of them writes what another thread reads.

#load = #tile.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[0, 0]]>
#warps = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#a = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]>
#b = #tile.layout<register = [[1, 0], [2, 0], [4, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[8, 0]]>
#one = #tile.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[0]]>
!s = !dot.stage<1 x 16x16xf16, order = [1, 0]>
!cell = !tile.view<1xi32, strides = [1], align = 16>
!out = !tile.view<64xf32, strides = [1], align = 16>
!square = !tile.view<32x32xf32, strides = [?, 1], align = 16>

// Ops that use scratch memory at the place of a buffer; they meet inside, after they have written.
// CHECK-LABEL: tile.kernel @scratch
tile.kernel @scratch(%h: f16, %f: f32, %n: i32, %A: !square, %L: !cell, %i: index) attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %s = dot.alloc at 0 : !s
  %y = tile.splat %h : f16 -> tensor<16x16xf16, #load>
  %x = tile.splat %f : f32 -> tensor<64xf32, #warps>
  %w = tile.splat %f : f32 -> tensor<32x32xf32, #a>
  %t = tile.splat %n : i32 -> tensor<1xi32, #one>
  // CHECK: dot.put
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: tile.reduce
  dot.put %y, %s[%c0] : tensor<16x16xf16, #load>, !s
  %sum = tile.reduce %x axis 0 identity [0.0 : f32] {shared.offset = 0 : i64} : tensor<64xf32, #warps> -> tensor<f32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  }
  // CHECK: dot.barrier
  // CHECK-NEXT: tile.scan
  %sums = tile.scan %x axis 0 {shared.offset = 0 : i64} : tensor<64xf32, #warps> -> tensor<64xf32, #warps> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  }
  // CHECK: dot.barrier
  // CHECK-NEXT: tile.relayout
  %v = tile.relayout %w {shared.offset = 0 : i64} : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: tile.part
  %part = tile.part %x[%i] {shared.offset = 0 : i64} : tensor<64xf32, #warps> -> tensor<64xf32, #warps>
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: tile.atomic
  %old = tile.atomic add block relaxed %t, %L[%c0] whole [true] {shared.offset = 0 : i64} : tensor<1xi32, #one>, !cell
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.put
  tile.store %old, %L[%c0] whole [true] : tensor<1xi32, #one>, !cell
  dot.put %y, %s[%c0] : tensor<16x16xf16, #load>, !s
  tile.return
}

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!panel = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x64xf16, swizzle = 128>
!view = !tile.view<?x?xf16, strides = [8*?, 1], align = 16>

// The copy engine's: into a buffer, and out of one that the op itself fills.
// CHECK-LABEL: tile.kernel @engine
tile.kernel @engine(%A: !view, %i: index, %t: tensor<64x64xf16, #acc>, %y: tensor<16x16xf16, #load>, %m: !map {dot.map_of = 0 : i32})
    attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %s = dot.alloc at 0 : !panel
  %o = dot.alloc at 0 : !s
  %bars = dot.alloc_barriers at 8192 count 1 : !dot.barriers<1>
  // CHECK: dot.put
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.store_async
  // CHECK-NEXT: dot.store_wait
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.put
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.tma_load
  dot.put %y, %o[%c0] : tensor<16x16xf16, #load>, !s
  dot.store_async %t, %s, %m[%i, %i] : tensor<64x64xf16, #acc>, !panel, !map
  dot.store_wait %s : !panel
  dot.put %y, %o[%c0] : tensor<16x16xf16, #load>, !s
  dot.tma_load %m[%i, %i] into %s[%c0] signals %bars : !map, !panel, !dot.barriers<1>
  tile.return
}
