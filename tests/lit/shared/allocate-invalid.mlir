// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(dot-allocate-shared))' -verify-diagnostics
// Too much shared memory lists each buffer with its bytes, and what would fit; two numbers alone help nobody.

#load = #tile.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>
!stage = !dot.stage<8 x 256x64xf16, order = [1, 0], swizzle>
module attributes {tile.chip = "sm_80"} {
// expected-error @below {{kernel needs 262144 bytes of shared memory; sm_80 has 166912 for a CTA}}
// expected-note @below {{hint: at most 5 stages of these tiles fit}}
tile.kernel @big(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  // expected-note @below {{262144 bytes: 8 slots of 256 x 64 f16}}
  %s = dot.alloc : !stage
  dot.copy_async %A[%c0, %c0] into %s[%c0] bytes 16 : !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, !stage
  tile.return
}
}
