// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(dot-allocate-shared))' | FileCheck %s
// Scratch of a few bytes overlaps nothing, so that no barrier keeps one reduction from the next; where there is no room for that, it does.

#warps = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
module attributes {tile.chip = "sm_75"} {
// CHECK-LABEL: tile.kernel @apart
// CHECK-SAME: tile.shared_bytes = 256
tile.kernel @apart(%t: f32) attributes {tile.threads = 64 : i32} {
  %x = tile.splat %t : f32 -> tensor<64xf32, #warps>
  // CHECK-COUNT-2: tile.reduce {{.*}} {shared.offset = {{0|128}} : i64}
  %s = tile.reduce %x axis 0 identity [0.0 : f32] : tensor<64xf32, #warps> -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %m = tile.reduce %x axis 0 identity [0.0 : f32] : tensor<64xf32, #warps> -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}
}

// -----

#warps = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#load = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [64, 0], [128, 0], [256, 0]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]]>
!all = !dot.stage<4 x 512x16xf16, order = [1, 0], swizzle>
module attributes {tile.chip = "sm_75"} {
// CHECK-LABEL: tile.kernel @no_room
// CHECK-SAME: tile.shared_bytes = 65536
tile.kernel @no_room(%t: f32, %h: f16) attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %s = dot.alloc : !all
  %y = tile.splat %h : f16 -> tensor<512x16xf16, #load>
  dot.put %y, %s[%c0] : tensor<512x16xf16, #load>, !all
  %x = tile.splat %t : f32 -> tensor<64xf32, #warps>
  // CHECK: tile.reduce {{.*}} {shared.offset = 0 : i64}
  %m = tile.reduce %x axis 0 identity [0.0 : f32] : tensor<64xf32, #warps> -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  tile.return
}
}
