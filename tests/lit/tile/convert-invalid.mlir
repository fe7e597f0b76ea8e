// RUN: phobos-opt %s --split-input-file --verify-diagnostics
// If this fails, a rounding to 8-bit floats that means nothing is accepted.

tile.kernel @from_eight_bits(%x: f8E5M2) attributes {tile.threads = 32 : i32} {
  // expected-error @+1 {{'tile.to_float8' op expected floats of more than 8 bits, got 'f8E5M2'}}
  %a = tile.to_float8 %x : f8E5M2 to f8E4M3FN
  tile.return
}

// -----

tile.kernel @from_integers(%x: tensor<64xi32>) attributes {tile.threads = 32 : i32} {
  // expected-error @+1 {{'tile.to_float8' op expected floats of more than 8 bits, got 'tensor<64xi32>'}}
  %a = tile.to_float8 %x : tensor<64xi32> to tensor<64xf8E4M3FN>
  tile.return
}

// -----

tile.kernel @to_sixteen_bits(%x: f32) attributes {tile.threads = 32 : i32} {
  // expected-error @+1 {{'tile.to_float8' op expected a result of 8-bit floats, got 'f16'}}
  %a = tile.to_float8 %x : f32 to f16
  tile.return
}
