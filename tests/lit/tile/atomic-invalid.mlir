// RUN: phobos-opt %s -verify-diagnostics -split-input-file
// If this fails, an atomic operation that no instruction does gets past the verifier.

tile.kernel @element(%A: !tile.view<?xf32>, %i: index, %t: tensor<8xf32>) {
  // expected-error @+1 {{cannot min elements of type 'f32'}}
  %a = tile.atomic min device relaxed %t, %A[%i] : tensor<8xf32>, !tile.view<?xf32>
  tile.return
}

// -----

tile.kernel @narrow(%A: !tile.view<?xi16>, %i: index, %t: tensor<8xi16>) {
  // expected-error @+1 {{cannot add elements of type 'i16'}}
  %a = tile.atomic add device relaxed %t, %A[%i] : tensor<8xi16>, !tile.view<?xi16>
  tile.return
}

// -----

tile.kernel @compares_nothing(%A: !tile.view<?xi32>, %i: index, %t: tensor<8xi32>) {
  // expected-error @+1 {{expected `compare` with cas and nothing else}}
  %a = tile.atomic cas device relaxed %t, %A[%i] : tensor<8xi32>, !tile.view<?xi32>
  tile.return
}

// -----

tile.kernel @compares(%A: !tile.view<?xi32>, %i: index, %t: tensor<8xi32>, %u: tensor<4xi32>) {
  // expected-error @+1 {{expected to compare with a tile of type 'tensor<8xi32>', got 'tensor<4xi32>'}}
  %a = tile.atomic cas device relaxed %t, %A[%i] compare %u : tensor<8xi32>, !tile.view<?xi32>, tensor<4xi32>
  tile.return
}

// -----

tile.kernel @rank(%A: !tile.view<?x?xi32>, %i: index, %t: tensor<8xi32>) {
  // expected-error @+1 {{expected a tile of the view's rank 2, got 'tensor<8xi32>'}}
  %a = tile.atomic add device relaxed %t, %A[%i, %i] : tensor<8xi32>, !tile.view<?x?xi32>
  tile.return
}
