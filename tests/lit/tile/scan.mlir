// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// If this fails, a scan, of one tile or of two side by side, does not survive its own text form.

// CHECK-LABEL: tile.kernel @scans
tile.kernel @scans(%t: tensor<64x32xf32>, %p: tensor<64x32xi32>) {
  // CHECK: tile.scan %{{.*}} axis 1 : tensor<64x32xf32> -> tensor<64x32xf32>
  // CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
  // CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[Y]] : f32
  // CHECK: tile.yield %[[SUM]] : f32
  %s = tile.scan %t axis 1 : tensor<64x32xf32> -> tensor<64x32xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  // CHECK: tile.scan %{{.*}}, %{{.*}} axis 0 : tensor<64x32xf32>, tensor<64x32xi32> -> tensor<64x32xf32>, tensor<64x32xi32>
  %v, %i = tile.scan %t, %p axis 0 : tensor<64x32xf32>, tensor<64x32xi32> -> tensor<64x32xf32>, tensor<64x32xi32> {
  ^bb0(%x: f32, %ix: i32, %y: f32, %iy: i32):
    tile.yield %y, %ix : f32, i32
  }
  tile.return
}
