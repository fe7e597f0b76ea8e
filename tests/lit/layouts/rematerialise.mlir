// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts))' | FileCheck %s
// A row vector meets a tile: the vector is converted, not the tile that it is widened to, and constants are made again instead of moved.

// CHECK-LABEL: tile.kernel @bias
tile.kernel @bias(%A: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %B: !tile.view<?xf32, strides = [1], align = 16>)
    attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %a = tile.load %A[%c0, %c0] whole [true, true] : !tile.view<?x?xf32, strides = [4*?, 1], align = 16> -> tensor<32x128xf32>
  %v = tile.load %B[%c0] whole [true] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<128xf32>
  // CHECK: tile.relayout {{.*}} : tensor<128xf32
  // CHECK-NOT: tile.relayout
  %e = tile.expand_dims %v, 0 : tensor<128xf32> -> tensor<1x128xf32>
  %b = tile.broadcast %e : tensor<1x128xf32> -> tensor<32x128xf32>
  %two = arith.constant dense<2.0> : tensor<32x128xf32>
  %s = arith.addf %a, %b : tensor<32x128xf32>
  %r = arith.mulf %s, %two : tensor<32x128xf32>
  tile.store %r, %A[%c0, %c0] : tensor<32x128xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
