// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// If this fails, a multiplication of fragments or a tf32 rounding does not survive its own text form.

// CHECK-LABEL: tile.kernel @products
tile.kernel @products(%a: tensor<64x16xf16>, %b: tensor<16x64xf16>, %acc: tensor<64x64xf32>, %x: tensor<64x8xf32>, %y: tensor<8x64xf32>) {
  // CHECK: dot.mma %{{.*}}, %{{.*}}, %{{.*}} shape [16, 8, 16] : tensor<64x16xf16>, tensor<16x64xf16>, tensor<64x64xf32>
  %d = dot.mma %a, %b, %acc shape [16, 8, 16] : tensor<64x16xf16>, tensor<16x64xf16>, tensor<64x64xf32>
  // CHECK: dot.fma %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x8xf32>, tensor<8x64xf32>, tensor<64x64xf32>
  %e = dot.fma %x, %y, %acc : tensor<64x8xf32>, tensor<8x64xf32>, tensor<64x64xf32>
  // CHECK: dot.split_tf32 %{{.*}} : tensor<64x8xf32>
  %big, %small = dot.split_tf32 %x : tensor<64x8xf32>
  // CHECK: dot.round_tf32 %{{.*}} : tensor<64x8xf32>
  %r = dot.round_tf32 %x : tensor<64x8xf32>
  tile.return
}
