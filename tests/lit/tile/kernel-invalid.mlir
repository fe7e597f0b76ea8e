// RUN: phobos-opt %s -verify-diagnostics -split-input-file
// If this fails, a kernel that no launch can serve gets past the verifier.

// expected-error @+1 {{expected no results, got 1}}
tile.kernel @result() -> i32 {
  tile.return
}

// -----

// expected-error @+1 {{expected tile.threads to be a power of two, 32 to 1024, got 48}}
tile.kernel @warps() attributes {tile.threads = 48 : i32} {
  tile.return
}

// -----

// expected-error @+1 {{expected tile.threads to be a power of two, 32 to 1024, got 2048}}
tile.kernel @many() attributes {tile.threads = 2048 : i32} {
  tile.return
}

// -----

// expected-error @+1 {{expected tile.dims of argument 0 to name 2 dims, got 1}}
tile.kernel @dims(%A: !tile.view<?x?xf32> {tile.dims = ["M"]}) {
  tile.return
}

// -----

// expected-error @+1 {{expected a body}}
tile.kernel @declared()
