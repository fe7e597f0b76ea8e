// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts))' | FileCheck %s
// What is widened from less follows what it meets, whichever comes first, and is never wider than the tile needs: a number widened in
// the layout that it has would be in every thread as often as the tile has elements.

// CHECK: #[[$ROWS:layout[0-9]+]] = #tile.layout<register = {{\[\[}}0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = {{\[\[}}2, 0], [4, 0]]>
// CHECK-LABEL: tile.kernel @meets
tile.kernel @meets(%A: !tile.view<?xf32, strides = [1], align = 16>, %B: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>)
    attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %a = tile.load %A[%c0] whole [true] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<64xf32>
  %e = tile.expand_dims %a, 0 : tensor<64xf32> -> tensor<1x64xf32>
  %w = tile.broadcast %e : tensor<1x64xf32> -> tensor<64x64xf32>
  // CHECK: tile.load {{.*}} -> tensor<64x64xf32, #[[$ROWS]]>
  %b = tile.load %B[%c0, %c0] whole [true, true] : !tile.view<?x?xf32, strides = [4*?, 1], align = 16> -> tensor<64x64xf32>
  // CHECK: arith.addf {{.*}} : tensor<64x64xf32, #[[$ROWS]]>
  %s = arith.addf %w, %b : tensor<64x64xf32>
  tile.store %s, %C[%c0, %c0] whole [true, true] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}

// CHECK-LABEL: tile.kernel @alone
tile.kernel @alone(%A: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %B: !tile.view<?xf32, strides = [1], align = 16>)
    attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %a = tile.load %A[%c0, %c0] whole [true, true] : !tile.view<?x?xf32, strides = [4*?, 1], align = 16> -> tensor<1x1xf32>
  // CHECK: tile.broadcast {{.*}} -> tensor<64x64xf32, #[[$ROWS]]>
  %w = tile.broadcast %a : tensor<1x1xf32> -> tensor<64x64xf32>
  %r = tile.reduce %w axis 1 identity [0.0 : f32] : tensor<64x64xf32> -> tensor<64xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  tile.store %r, %B[%c0] whole [true] : tensor<64xf32>, !tile.view<?xf32, strides = [1], align = 16>
  tile.return
}
