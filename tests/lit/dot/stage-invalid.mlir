// RUN: phobos-opt %s -verify-diagnostics -split-input-file
// If this fails, a copy or a read that does not fit its slot gets past the verifier.

tile.kernel @rank(%A: !tile.view<?xf16>, %i: index) {
  %s = dot.alloc : !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
  // expected-error @+1 {{expected a slot and offsets of the view's rank 1}}
  dot.copy_async %A[%i] into %s[%i] bytes 16 : !tile.view<?xf16>, !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
  tile.return
}

// -----

tile.kernel @element(%A: !tile.view<?x?xbf16>, %i: index) {
  %s = dot.alloc : !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
  // expected-error @+1 {{expected slots of 'bf16', got 'f16'}}
  dot.copy_async %A[%i, %i] into %s[%i] bytes 16 : !tile.view<?x?xbf16>, !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
  tile.return
}

// -----

tile.kernel @bytes(%A: !tile.view<?x?xf16>, %i: index) {
  %s = dot.alloc : !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
  // expected-error @+1 {{expected copies of 4, 8 or 16 bytes, got 2}}
  dot.copy_async %A[%i, %i] into %s[%i] bytes 2 : !tile.view<?x?xf16>, !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
  tile.return
}

// -----

tile.kernel @put(%t: tensor<128x32xf16>, %i: index) {
  %s = dot.alloc : !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
  // expected-error @+1 {{expected a tile that fits a slot of}}
  dot.put %t, %s[%i] : tensor<128x32xf16>, !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
  tile.return
}

// -----

tile.kernel @outside(%i: index) {
  %s = dot.alloc : !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
  // expected-error @+1 {{expected a part of the slot, got 16 from 24 in dimension 1}}
  %f = dot.fragment %s[%i] origin [0, 24] : !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle> -> tensor<64x16xf16>
  tile.return
}

// -----

tile.kernel @fragmentElement(%i: index) {
  %s = dot.alloc : !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
  // expected-error @+1 {{expected elements of type 'f16', got 'f32'}}
  %f = dot.fragment %s[%i] origin [0, 0] : !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle> -> tensor<64x16xf32>
  tile.return
}

// -----

tile.kernel @dims(%A: !tile.view<?x?x?xf16>, %i: index) {
  %s = dot.alloc : !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
  // expected-error @+1 {{expected a dimension of the view for each of the slot's 2, in order}}
  dot.copy_async %A[%i, %i, %i] dims [2, 1] into %s[%i] bytes 16 : !tile.view<?x?x?xf16>, !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
  tile.return
}

// -----

tile.kernel @extents(%A: !tile.view<?x?x?xf16>, %i: index) {
  %s = dot.alloc : !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
  // expected-error @+1 {{expected an extent for each of the slot's 2 dimensions}}
  dot.copy_async %A[%i, %i, %i] dims [1, 2] into %s[%i] bytes 16 extents [1, 64, 16] : !tile.view<?x?x?xf16>, !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
  tile.return
}
