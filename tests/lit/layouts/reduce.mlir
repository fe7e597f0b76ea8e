// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts))' | FileCheck %s
// A reduction's result is a slice of its operand's layout, so subtracting it from the operand again moves nothing.

// CHECK-LABEL: tile.kernel @centre
tile.kernel @centre(%A: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>) attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf32, strides = [4*?, 1], align = 16> -> tensor<32x128xf32>
  // CHECK-NOT: tile.relayout
  %m = tile.reduce %a axis 1 identity [0.0 : f32] : tensor<32x128xf32> -> tensor<32xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  %e = tile.expand_dims %m, 1 : tensor<32xf32> -> tensor<32x1xf32>
  %b = tile.broadcast %e : tensor<32x1xf32> -> tensor<32x128xf32>
  %d = arith.subf %a, %b : tensor<32x128xf32>
  // CHECK: tile.store
  tile.store %d, %A[%c0, %c0] : tensor<32x128xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
