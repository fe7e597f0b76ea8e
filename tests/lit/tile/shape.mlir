// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// If this fails, a change of shape does not survive its own text form.

// CHECK-LABEL: tile.kernel @shapes
tile.kernel @shapes(%x: f32, %t: tensor<64x32xf16>) {
  // CHECK: tile.splat %{{.*}} : f32 -> tensor<64xf32>
  %splat = tile.splat %x : f32 -> tensor<64xf32>
  // CHECK: tile.iota : tensor<64xi32>
  %iota = tile.iota : tensor<64xi32>
  // CHECK: tile.expand_dims %{{.*}}, 1 : tensor<64xf32> -> tensor<64x1xf32>
  %column = tile.expand_dims %splat, 1 : tensor<64xf32> -> tensor<64x1xf32>
  // CHECK: tile.broadcast %{{.*}} : tensor<64x1xf32> -> tensor<64x32xf32>
  %wide = tile.broadcast %column : tensor<64x1xf32> -> tensor<64x32xf32>
  // CHECK: tile.transpose %{{.*}} [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
  %turned = tile.transpose %t [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
  // CHECK: tile.reshape %{{.*}} : tensor<64x32xf16> -> tensor<16x128xf16>
  %other = tile.reshape %t : tensor<64x32xf16> -> tensor<16x128xf16>
  // CHECK: tile.to_scalar %{{.*}} : tensor<1x1xf32> -> f32
  %one = tile.splat %x : f32 -> tensor<1x1xf32>
  %scalar = tile.to_scalar %one : tensor<1x1xf32> -> f32
  tile.return
}
