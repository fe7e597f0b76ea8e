// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts))' | FileCheck %s
// What a reduction leaves in many registers of a thread a loop carries in as many as it has different values: here four rows of sums.

module attributes {tile.chip = "sm_80"} {
// CHECK: #layout = #tile.layout<register = {{.}}[8, 0], [16, 0]], lane
// CHECK-LABEL: tile.kernel @statistics
tile.kernel @statistics(%C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %n: index) attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %low = arith.constant dense<-1.0e30> : tensor<64x1xf32>
  // CHECK: scf.for {{.*}} -> (tensor<64x1xf32, #layout>)
  %top = scf.for %k = %c0 to %n step %c1 iter_args(%m = %low) -> (tensor<64x1xf32>) {
    %x = tile.load %C[%k, %c0] : !tile.view<?x?xf32, strides = [4*?, 1], align = 16> -> tensor<64x16xf32>
    %y = tile.load %C[%k, %c16] : !tile.view<?x?xf32, strides = [4*?, 1], align = 16> -> tensor<16x64xf32>
    %s = dot.contract %x, %y, %zero precision "tf32" : tensor<64x16xf32>, tensor<16x64xf32>, tensor<64x64xf32>
    %r = tile.reduce %s axis 1 identity [0xFF800000 : f32] : tensor<64x64xf32> -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %o = arith.maximumf %p, %q : f32
      tile.yield %o : f32
    }
    %e = tile.expand_dims %r, 1 : tensor<64xf32> -> tensor<64x1xf32>
    %h = arith.maximumf %m, %e : tensor<64x1xf32>
    scf.yield %h : tensor<64x1xf32>
  }
  tile.store %top, %C[%c0, %c0] : tensor<64x1xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
}
