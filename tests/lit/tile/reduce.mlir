// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// If this fails, a reduction, of one tile or of a value with its place, does not survive its own text form.

// CHECK-LABEL: tile.kernel @reductions
tile.kernel @reductions(%t: tensor<64x32xf32>, %p: tensor<64x32xi32>) {
  // CHECK: tile.reduce %{{.*}} axis 1 identity [0.000000e+00 : f32] : tensor<64x32xf32> -> tensor<64xf32>
  // CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
  // CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[Y]] : f32
  // CHECK: tile.yield %[[SUM]] : f32
  %s = tile.reduce %t axis 1 identity [0.0 : f32] : tensor<64x32xf32> -> tensor<64xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  // CHECK: tile.reduce %{{.*}}, %{{.*}} axis 0 identity [0xFF800000 : f32, 2147483647 : i32]
  // CHECK-SAME: : tensor<64x32xf32>, tensor<64x32xi32> -> tensor<32xf32>, tensor<32xi32>
  %v, %i = tile.reduce %t, %p axis 0 identity [0xFF800000 : f32, 2147483647 : i32]
      : tensor<64x32xf32>, tensor<64x32xi32> -> tensor<32xf32>, tensor<32xi32> {
  ^bb0(%x: f32, %ix: i32, %y: f32, %iy: i32):
    %c = arith.cmpf ogt, %y, %x : f32
    %z = arith.select %c, %y, %x : f32
    %iz = arith.select %c, %iy, %ix : i32
    tile.yield %z, %iz : f32, i32
  }
  tile.return
}
