// RUN: phobos-opt %s -verify-diagnostics -split-input-file
// If this fails, a change of shape that loses or invents elements gets past the verifier.

tile.kernel @splat(%x: f32) {
  // expected-error @+1 {{expected a scalar of type 'f16', got 'f32'}}
  %t = tile.splat %x : f32 -> tensor<8xf16>
  tile.return
}

// -----

tile.kernel @iota() {
  // expected-error @+1 {{expected a rank-1 integer tile, got 'tensor<8x8xi32>'}}
  %t = tile.iota : tensor<8x8xi32>
  tile.return
}

// -----

tile.kernel @expand(%t: tensor<8xf32>) {
  // expected-error @+1 {{expected a result of shape 8, 1, got 'tensor<1x8xf32>'}}
  %e = tile.expand_dims %t, 1 : tensor<8xf32> -> tensor<1x8xf32>
  tile.return
}

// -----

tile.kernel @expandAxis(%t: tensor<8xf32>) {
  // expected-error @+1 {{expected an axis up to 1, got 2}}
  %e = tile.expand_dims %t, 2 : tensor<8xf32> -> tensor<8x1xf32>
  tile.return
}

// -----

tile.kernel @broadcast(%t: tensor<8x2xf32>) {
  // expected-error @+1 {{expected extents of 1 where shapes differ, got 'tensor<8x2xf32>' and 'tensor<8x4xf32>'}}
  %b = tile.broadcast %t : tensor<8x2xf32> -> tensor<8x4xf32>
  tile.return
}

// -----

tile.kernel @broadcastElement(%t: tensor<8x1xf32>) {
  // expected-error @+1 {{expected elements of type 'f32', got 'f16'}}
  %b = tile.broadcast %t : tensor<8x1xf32> -> tensor<8x4xf16>
  tile.return
}

// -----

tile.kernel @permutation(%t: tensor<8x4xf32>) {
  // expected-error @+1 {{expected a permutation, got 0, 0}}
  %p = tile.transpose %t [0, 0] : tensor<8x4xf32> -> tensor<8x8xf32>
  tile.return
}

// -----

tile.kernel @transposed(%t: tensor<8x4xf32>) {
  // expected-error @+1 {{expected extent 4 in dimension 0, got 8}}
  %p = tile.transpose %t [1, 0] : tensor<8x4xf32> -> tensor<8x4xf32>
  tile.return
}

// -----

tile.kernel @count(%t: tensor<8x4xf32>) {
  // expected-error @+1 {{expected 32 elements, got 'tensor<16xf32>'}}
  %r = tile.reshape %t : tensor<8x4xf32> -> tensor<16xf32>
  tile.return
}

// -----

tile.kernel @powers(%t: tensor<3x4xf32>, %u: tensor<4x3xf32>) {
  %good = tile.reshape %t : tensor<3x4xf32> -> tensor<12xf32>
  // expected-error @+1 {{expected extents that are powers of two behind the first that changes, got 'tensor<4x3xf32>' and 'tensor<12xf32>'}}
  %r = tile.reshape %u : tensor<4x3xf32> -> tensor<12xf32>
  tile.return
}

// -----

tile.kernel @scalar(%t: tensor<2xf32>) {
  // expected-error @+1 {{expected a tile of one 'f32', got 'tensor<2xf32>'}}
  %x = tile.to_scalar %t : tensor<2xf32> -> f32
  tile.return
}

// -----

tile.kernel @relayout(%t: tensor<8xf32>) {
  // expected-error @+1 {{expected one shape, got 'tensor<8xf32>' and 'tensor<4xf32>'}}
  %x = tile.relayout %t : tensor<8xf32> -> tensor<4xf32>
  tile.return
}

// -----

tile.kernel @part(%t: tensor<8x4xf32>, %i: index) {
  // expected-error @+1 {{expected a tile of the source's rank 2 and as many offsets, got 'tensor<4xf32>' and 1}}
  %p = tile.part %t[%i] : tensor<8x4xf32> -> tensor<4xf32>
  tile.return
}

// -----

tile.kernel @replaced(%t: tensor<8xf32>, %u: tensor<16xf32>, %i: index) {
  // expected-error @+1 {{expected another tile of type 'tensor<8xf32>', got 'tensor<16xf32>'}}
  %p = tile.part %t[%i] else %u : tensor<16xf32> : tensor<8xf32> -> tensor<8xf32>
  tile.return
}
