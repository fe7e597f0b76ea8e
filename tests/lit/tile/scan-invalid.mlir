// RUN: phobos-opt %s -verify-diagnostics -split-input-file
// If this fails, a scan whose region or results do not fit its operands gets past the verifier.

tile.kernel @shape(%t: tensor<8x4xf32>) {
  // expected-error @+1 {{expected a result of shape 8, 4 and type 'f32', got 'tensor<8xf32>'}}
  %s = tile.scan %t axis 1 : tensor<8x4xf32> -> tensor<8xf32> {
  ^bb0(%x: f32, %y: f32):
    tile.yield %x : f32
  }
  tile.return
}

// -----

tile.kernel @shapes(%t: tensor<8x4xf32>, %u: tensor<4x8xf32>) {
  // expected-error @+1 {{expected tiles of one shape, got 'tensor<8x4xf32>' and 'tensor<4x8xf32>'}}
  %s:2 = tile.scan %t, %u axis 1 : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x4xf32>, tensor<4x8xf32> {
  ^bb0(%x: f32, %y: f32, %z: f32, %w: f32):
    tile.yield %x, %y : f32, f32
  }
  tile.return
}

// -----

tile.kernel @element(%t: tensor<8x4xf32>) {
  // expected-error @+1 {{expected elements of type 'f32' in the region}}
  %s = tile.scan %t axis 1 : tensor<8x4xf32> -> tensor<8x4xf32> {
  ^bb0(%x: f32, %y: i32):
    tile.yield %x : f32
  }
  tile.return
}

// -----

tile.kernel @axis(%t: tensor<8x4xf32>) {
  // expected-error @+1 {{expected an axis below 2, got 2}}
  %s = tile.scan %t axis 2 : tensor<8x4xf32> -> tensor<8x4xf32> {
  ^bb0(%x: f32, %y: f32):
    tile.yield %x : f32
  }
  tile.return
}
