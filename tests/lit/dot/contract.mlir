// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// If this fails, a contraction loses its transpositions or its precision on the way through text.

// CHECK-LABEL: tile.kernel @contract
tile.kernel @contract(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %acc: tensor<64x64xf32>, %at: tensor<32x64xf32>, %bt: tensor<64x32xf32>) {
  // CHECK: dot.contract %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  %d = dot.contract %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  // CHECK: dot.contract %{{.*}}, %{{.*}}, %{{.*}} trans_a trans_b precision "tf32x3" : tensor<32x64xf32>, tensor<64x32xf32>, tensor<64x64xf32>
  %e = dot.contract %at, %bt, %acc trans_a trans_b precision "tf32x3" : tensor<32x64xf32>, tensor<64x32xf32>, tensor<64x64xf32>
  tile.return
}
