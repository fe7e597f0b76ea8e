// RUN: phobos-opt %s -verify-diagnostics -split-input-file
// If this fails, a view type that says something impossible is accepted.

// expected-error @+1 {{expected 2 strides, got 1}}
tile.kernel @count(%A: !tile.view<?x?xf32, strides = [1]>) {
  tile.return
}

// -----

// expected-error @+1 {{expected stride 0, 1, ? or n*?, got 4}}
tile.kernel @exact(%A: !tile.view<?x?xf32, strides = [4, 1]>) {
  tile.return
}

// -----

// expected-error @+1 {{expected a positive factor, got 0}}
tile.kernel @factor(%A: !tile.view<?xf32, strides = [0*?]>) {
  tile.return
}

// -----

tile.kernel @axis(%A: !tile.view<?x?xf32>) {
  // expected-error @+1 {{expected a dimension below 2, got 2}}
  %n = tile.extent %A, 2 : !tile.view<?x?xf32>
  tile.return
}

// -----

tile.kernel @pitch(%A: !tile.view<?xf32>) {
  // expected-error @+1 {{expected a dimension below 1, got 3}}
  %n = tile.stride %A, 3 : !tile.view<?xf32>
  tile.return
}
