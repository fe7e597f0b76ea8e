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
