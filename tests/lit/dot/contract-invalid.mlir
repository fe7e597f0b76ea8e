// RUN: phobos-opt %s -verify-diagnostics -split-input-file
// If this fails, operands that do not multiply get past the verifier.

tile.kernel @rank(%a: tensor<64xf16>, %b: tensor<32x64xf16>, %acc: tensor<64x64xf32>) {
  // expected-error @+1 {{expected rank-2 tiles, got 'tensor<64xf16>', 'tensor<32x64xf16>' and 'tensor<64x64xf32>'}}
  %d = dot.contract %a, %b, %acc : tensor<64xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @inner(%a: tensor<64x32xf16>, %b: tensor<64x32xf16>, %acc: tensor<64x64xf32>) {
  // expected-error @+1 {{expected M x K, K x N and M x N, got 64 x 32, 64 x 32 and 64 x 64}}
  %d = dot.contract %a, %b, %acc : tensor<64x32xf16>, tensor<64x32xf16>, tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @element(%a: tensor<64x32xf16>, %b: tensor<32x64xbf16>, %acc: tensor<64x64xf32>) {
  // expected-error @+1 {{expected operands of one element type, got 'f16' and 'bf16'}}
  %d = dot.contract %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xbf16>, tensor<64x64xf32>
  tile.return
}
