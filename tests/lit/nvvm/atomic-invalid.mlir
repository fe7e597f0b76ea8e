// RUN: phobos-opt %s --tile-to-llvm -verify-diagnostics -split-input-file
// If this fails, an atomic operation is done otherwise than asked for: without its scope, or by a chip that has no instruction for it.

#warp = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
tile.kernel @system(%x: i32, %C: !tile.view<?xi32, strides = [1], align = 16>) attributes {tile.threads = 32 : i32} {
  %i = tile.block_id x
  %t = tile.splat %x : i32 -> tensor<32xi32, #warp>
  // expected-error @+1 {{the scope "system" of an atomic operation other than cas is not supported yet}}
  %old = tile.atomic add system relaxed %t, %C[%i] : tensor<32xi32, #warp>, !tile.view<?xi32, strides = [1], align = 16>
  tile.return
}

// -----

#warp = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
module attributes {tile.chip = "sm_80"} {
tile.kernel @bf16(%x: bf16, %C: !tile.view<?xbf16, strides = [1], align = 16>) attributes {tile.threads = 32 : i32} {
  %i = tile.block_id x
  %t = tile.splat %x : bf16 -> tensor<32xbf16, #warp>
  // expected-error @+1 {{atomic addition of bf16 needs sm_90 or later; sm_80 has none}}
  %old = tile.atomic add device relaxed %t, %C[%i] : tensor<32xbf16, #warp>, !tile.view<?xbf16, strides = [1], align = 16>
  tile.return
}
}
