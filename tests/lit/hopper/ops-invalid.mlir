// RUN: phobos-opt %s -verify-diagnostics -split-input-file
// A map that does not fit its slot would let the copy engine write past it.

!sa = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
tile.kernel @box(%i: index, %m: !dot.tensor_map<48x64xf16, swizzle = 128>) {
  %s = dot.alloc : !sa
  %b = dot.alloc_barriers count 1 : !dot.barriers<1>
  // expected-error @below {{expected a box of up to 256 that divides the slot, got 48 in dimension 0}}
  dot.tma_load %m[%i, %i] into %s[%i] signals %b : !dot.tensor_map<48x64xf16, swizzle = 128>, !sa, !dot.barriers<1>
  tile.return
}

// -----

!sa = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
tile.kernel @swizzle(%i: index, %m: !dot.tensor_map<64x32xf16, swizzle = 64>) {
  %s = dot.alloc : !sa
  %b = dot.alloc_barriers count 1 : !dot.barriers<1>
  // expected-error @below {{expected slots of 'f16' in panels of 64 bytes, got '!dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>'}}
  dot.tma_load %m[%i, %i] into %s[%i] signals %b : !dot.tensor_map<64x32xf16, swizzle = 64>, !sa, !dot.barriers<1>
  tile.return
}

// -----

!sa = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
tile.kernel @product(%i: index, %acc: tensor<64x32xf32>) {
  %s = dot.alloc : !sa
  // expected-error @below {{expected M x K, K x N and M x N, got 64 x 64, 64 x 64 and 'tensor<64x32xf32>'}}
  %d = dot.wgmma %s[%i], %s[%i], %acc : !sa, !sa, tensor<64x32xf32>
  tile.return
}

// -----

!sa = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
tile.kernel @store_of_sums(%i: index, %t: tensor<64x64xf32>, %m: !dot.tensor_map<64x64xf16, swizzle = 128>) {
  %s = dot.alloc : !sa
  // expected-error @below {{expected slots of 'f32', got '!dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>'}}
  dot.store_async %t, %s, %m[%i, %i] : tensor<64x64xf32>, !sa, !dot.tensor_map<64x64xf16, swizzle = 128>
  tile.return
}

// -----

!sa = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
tile.kernel @offsets(%i: index, %m: !dot.tensor_map<1x64x64xf16, swizzle = 128>) {
  %s = dot.alloc : !sa
  %b = dot.alloc_barriers count 1 : !dot.barriers<1>
  // expected-error @below {{expected offsets of the map's rank 3}}
  dot.tma_load %m[%i, %i] into %s[%i] signals %b : !dot.tensor_map<1x64x64xf16, swizzle = 128>, !sa, !dot.barriers<1>
  tile.return
}

// -----

!sa = !dot.stage<1 x 1x64x64xf16, order = [2, 1, 0], panels = 128>
tile.kernel @slot_rank(%i: index, %m: !dot.tensor_map<1x64x64xf16, swizzle = 128>) {
  %s = dot.alloc : !sa
  %b = dot.alloc_barriers count 1 : !dot.barriers<1>
  // expected-error @below {{expected a slot of rank 2, as the map's tiles are, got '!dot.stage<1 x 1x64x64xf16}}
  dot.tma_load %m[%i, %i, %i] into %s[%i] signals %b : !dot.tensor_map<1x64x64xf16, swizzle = 128>, !sa, !dot.barriers<1>
  tile.return
}

// -----

!sa = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
tile.kernel @store_offsets(%i: index, %t: tensor<64x64xf16>, %m: !dot.tensor_map<1x64x64xf16, swizzle = 128>) {
  %s = dot.alloc : !sa
  // expected-error @below {{expected offsets of the map's rank 3}}
  dot.store_async %t, %s, %m[%i, %i] : tensor<64x64xf16>, !sa, !dot.tensor_map<1x64x64xf16, swizzle = 128>
  tile.return
}

// -----

!sa = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
tile.kernel @store_rank(%i: index, %t: tensor<1x64x64xf16>, %m: !dot.tensor_map<1x64x64xf16, swizzle = 128>) {
  %s = dot.alloc : !sa
  // expected-error @below {{expected a tile, a slot and the map's tiles of rank 2}}
  dot.store_async %t, %s, %m[%i, %i, %i] : tensor<1x64x64xf16>, !sa, !dot.tensor_map<1x64x64xf16, swizzle = 128>
  tile.return
}
