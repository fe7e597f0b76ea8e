// RUN: phobos-opt %s -verify-diagnostics -split-input-file
// If this fails, a reduction whose region does not fit its operands gets past the verifier.

tile.kernel @identity(%t: tensor<8x4xf32>) {
  // expected-error @+1 {{expected one identity an operand, got 2 for 1}}
  %s = tile.reduce %t axis 1 identity [0.0 : f32, 0.0 : f32] : tensor<8x4xf32> -> tensor<8xf32> {
  ^bb0(%x: f32, %y: f32):
    tile.yield %x : f32
  }
  tile.return
}

// -----

tile.kernel @arguments(%t: tensor<8x4xf32>) {
  // expected-error @+1 {{expected a region from 2 elements to 1}}
  %s = tile.reduce %t axis 1 identity [0.0 : f32] : tensor<8x4xf32> -> tensor<8xf32> {
  ^bb0(%x: f32):
    tile.yield %x : f32
  }
  tile.return
}

// -----

tile.kernel @axis(%t: tensor<8x4xf32>) {
  // expected-error @+1 {{expected an axis below 2, got 2}}
  %s = tile.reduce %t axis 2 identity [0.0 : f32] : tensor<8x4xf32> -> tensor<8xf32> {
  ^bb0(%x: f32, %y: f32):
    tile.yield %x : f32
  }
  tile.return
}

// -----

tile.kernel @result(%t: tensor<8x4xf32>) {
  // expected-error @+1 {{expected a result of shape 4 and type 'f32', got 'tensor<8xf32>'}}
  %s = tile.reduce %t axis 0 identity [0.0 : f32] : tensor<8x4xf32> -> tensor<8xf32> {
  ^bb0(%x: f32, %y: f32):
    tile.yield %x : f32
  }
  tile.return
}

// -----

tile.kernel @element(%t: tensor<8x4xf32>) {
  // expected-error @+1 {{expected elements of type 'f32' in the region}}
  %s = tile.reduce %t axis 1 identity [0.0 : f32] : tensor<8x4xf32> -> tensor<8xf32> {
  ^bb0(%x: f16, %y: f16):
    tile.yield %x : f16
  }
  tile.return
}
