// RUN: phobos-opt %s -verify-diagnostics -split-input-file
// If this fails, fragments that no instruction multiplies get past the verifier.

tile.kernel @k(%a: tensor<64x8xf16>, %b: tensor<8x64xf16>, %acc: tensor<64x64xf32>) {
  // expected-error @+1 {{expected m, n and k of an instruction whose k divides the operands'}}
  %d = dot.mma %a, %b, %acc shape [16, 8, 16] : tensor<64x8xf16>, tensor<8x64xf16>, tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @shapes(%a: tensor<64x16xf16>, %b: tensor<16x32xf16>, %acc: tensor<64x64xf32>) {
  // expected-error @+1 {{expected M x K, K x N and M x N}}
  %d = dot.mma %a, %b, %acc shape [16, 8, 16] : tensor<64x16xf16>, tensor<16x32xf16>, tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @fma(%a: tensor<64x1xf32>, %b: tensor<2x64xf32>, %acc: tensor<64x64xf32>) {
  // expected-error @+1 {{expected M x K, K x N and M x N}}
  %d = dot.fma %a, %b, %acc : tensor<64x1xf32>, tensor<2x64xf32>, tensor<64x64xf32>
  tile.return
}
