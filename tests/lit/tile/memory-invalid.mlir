// RUN: phobos-opt %s -verify-diagnostics -split-input-file
// If this fails, a slice whose tile does not fit its view gets past the verifier.

tile.kernel @rank(%A: !tile.view<?x?xf32>, %i: index) {
  // expected-error @+1 {{expected a tile of the view's rank 2, got 'tensor<64xf32>'}}
  %a = tile.load %A[%i, %i] : !tile.view<?x?xf32> -> tensor<64xf32>
  tile.return
}

// -----

tile.kernel @dynamic(%A: !tile.view<?xf32>, %i: index) {
  // expected-error @+1 {{expected a tile of static shape, got 'tensor<?xf32>'}}
  %a = tile.load %A[%i] : !tile.view<?xf32> -> tensor<?xf32>
  tile.return
}

// -----

tile.kernel @element(%A: !tile.view<?xf32>, %i: index) {
  // expected-error @+1 {{expected elements of type 'f32', got 'f16'}}
  %a = tile.load %A[%i] : !tile.view<?xf32> -> tensor<8xf16>
  tile.return
}

// -----

tile.kernel @offsets(%A: !tile.view<?x?xf32>, %i: index) {
  // expected-error @+1 {{expected 2 offsets, got 1}}
  %a = tile.load %A[%i] : !tile.view<?x?xf32> -> tensor<8x8xf32>
  tile.return
}

// -----

tile.kernel @fill(%A: !tile.view<?xf32>, %i: index, %x: f16) {
  // expected-error @+1 {{expected a fill of type 'f32', got 'f16'}}
  %a = tile.load %A[%i] fill %x : !tile.view<?xf32>, f16 -> tensor<8xf32>
  tile.return
}

// -----

tile.kernel @whole(%A: !tile.view<?xf32>, %i: index, %t: tensor<8xf32>) {
  // expected-error @+1 {{expected `whole` for 1 dimensions, got 2}}
  tile.store %t, %A[%i] whole [true, true] : tensor<8xf32>, !tile.view<?xf32>
  tile.return
}

// -----

tile.kernel @stored(%A: !tile.view<?xf32>, %i: index, %t: tensor<8x8xf32>) {
  // expected-error @+1 {{expected a tile of the view's rank 1, got 'tensor<8x8xf32>'}}
  tile.store %t, %A[%i] : tensor<8x8xf32>, !tile.view<?xf32>
  tile.return
}

// -----

tile.kernel @indexed(%A: !tile.view<?x?xf32>, %i: index, %r: tensor<8x8xi32>) {
  // expected-error @+1 {{expected a tile of indices for each of `indexed`, ascending dimensions of the view}}
  %a = tile.load %A[%i, %i] along [1, 0] by %r, %r : tensor<8x8xi32>, tensor<8x8xi32> : !tile.view<?x?xf32> -> tensor<8x8xf32>
  tile.return
}

// -----

tile.kernel @indices(%A: !tile.view<?x?xf32>, %i: index, %r: tensor<8x1xi32>) {
  // expected-error @+1 {{expected indices of i32 or i64 that lie as the tile does, 'tensor<8x8xf32>', got 'tensor<8x1xi32>'}}
  %a = tile.load %A[%i, %i] along [0] by %r : tensor<8x1xi32> : !tile.view<?x?xf32> -> tensor<8x8xf32>
  tile.return
}

// -----

tile.kernel @prefetched(%A: !tile.view<?x?xf32>, %i: index) {
  // expected-error @+1 {{expected 2 offsets and extents, got 2 and 1}}
  tile.prefetch %A[%i, %i] [64] : !tile.view<?x?xf32>
  tile.return
}
