// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-advance-loads))' | FileCheck %s
// Loads go up over arithmetic of a thread's own, with the scalars they need: over nothing else, and not with more than 256 bytes a thread.

#layout = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#one = #tile.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = []>
#wide = #tile.layout<register = [[1], [2], [4], [8], [16], [32]], lane = [[64], [128], [256], [512], [1024]], warp = []>
!view = !tile.view<?xf32, strides = [1], align = 16>
!tile = tensor<128xf32, #layout>
!large = tensor<2048xf32, #wide>

// CHECK-LABEL: tile.kernel @advances
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK-NEXT: tile.load %{{.*}}[%[[AT]]]
// CHECK-NEXT: math.exp
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: tile.store
tile.kernel @advances(%A: !view, %x: !tile, %i: index) attributes {tile.threads = 32 : i32} {
  %e = math.exp %x : !tile
  %at = arith.addi %i, %i : index
  %a = tile.load %A[%at] : !view -> !tile
  %y = arith.mulf %e, %a : !tile
  tile.store %y, %A[%i] : !tile, !view
  tile.return
}

// What comes of a tile is waited for.
// CHECK-LABEL: tile.kernel @needs
// CHECK: math.log
// CHECK-NEXT: tile.to_scalar
// CHECK-NEXT: arith.index_cast
// CHECK-NEXT: tile.load
// CHECK-NEXT: math.exp
tile.kernel @needs(%A: !view, %x: !tile, %n: tensor<1xi32, #one>) attributes {tile.threads = 32 : i32} {
  %l = math.log %x : !tile
  %first = tile.to_scalar %n : tensor<1xi32, #one> -> i32
  %e = math.exp %l : !tile
  %at = arith.index_cast %first : i32 to index
  %a = tile.load %A[%at] : !view -> !tile
  %y = arith.mulf %e, %a : !tile
  tile.store %y, %A[%at] : !tile, !view
  tile.return
}

// CHECK-LABEL: tile.kernel @stays
// CHECK: tile.reduce
// CHECK: tile.load
// CHECK-NEXT: math.exp
// CHECK: tile.store
// CHECK-NEXT: tile.load
// CHECK: tile.relayout
// CHECK-NEXT: tile.load
tile.kernel @stays(%A: !view, %x: !tile, %i: index) attributes {tile.threads = 32 : i32} {
  %s = tile.reduce %x axis 0 identity [0.0 : f32] : !tile -> tensor<f32> {
  ^bb0(%p: f32, %q: f32):
    %sum = arith.addf %p, %q : f32
    tile.yield %sum : f32
  }
  %e = math.exp %x : !tile
  %a = tile.load %A[%i] : !view -> !tile
  %y = arith.mulf %e, %a : !tile
  tile.store %y, %A[%i] : !tile, !view
  %b = tile.load %A[%i] : !view -> !tile
  %r = tile.relayout %y : !tile -> tensor<128xf32, #wide>
  %c = tile.load %A[%i] : !view -> !tile
  tile.store %b, %A[%i] : !tile, !view
  tile.store %c, %A[%i] : !tile, !view
  tile.store %r, %A[%i] : tensor<128xf32, #wide>, !view
  tile.return
}

// CHECK-LABEL: tile.kernel @in_registers
// CHECK: tile.load
// CHECK-NEXT: math.exp
// CHECK-NEXT: tile.load
// CHECK-NEXT: arith.mulf
tile.kernel @in_registers(%A: !view, %x: !large, %i: index) attributes {tile.threads = 32 : i32} {
  %e = math.exp %x : !large
  %a = tile.load %A[%i] : !view -> !large
  %b = tile.load %A[%i] : !view -> !large
  %y = arith.mulf %a, %b : !large
  %z = arith.mulf %y, %e : !large
  tile.store %z, %A[%i] : !large, !view
  tile.return
}
