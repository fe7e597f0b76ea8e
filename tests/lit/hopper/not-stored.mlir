// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(dot-stage-stores))' -verify-diagnostics
// A product's tile that does not leave by the copy engine says why.

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#rows = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
!view = !tile.view<?x512xf16, strides = [8*?, 1], align = 16>
module attributes {tile.chip = "sm_90a"} {
tile.kernel @pitch(%C: !tile.view<?x?xf16, strides = [?, 1], align = 16>, %t: tensor<64x64xf16, #acc>) attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  // expected-remark @below {{not stored by the copy engine: pitches, or where tiles begin, are not known to be multiples of 16 bytes}}
  tile.store %r, %C[%c0, %c0] : tensor<64x64xf16, #rows>, !tile.view<?x?xf16, strides = [?, 1], align = 16>
  tile.return
}

// Of a view that is narrower than its rows: the copy engine would write behind its last column.
tile.kernel @ragged(%C: !tile.view<?x?xf16, strides = [8*?, 1], align = 16> {tile.dims = ["M", "N"]}, %t: tensor<64x64xf16, #acc>) attributes {tile.dims = {N = 2 : i64}, tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  // expected-remark @below {{not stored by the copy engine: the tensor's rows are not known to be whole 16 bytes}}
  tile.store %r, %C[%c0, %c0] : tensor<64x64xf16, #rows>, !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
  tile.return
}

tile.kernel @columns(%C: !tile.view<?x?xf16, strides = [1, 8*?], align = 16>, %t: tensor<64x64xf16, #acc>) attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  // expected-remark @below {{not stored by the copy engine: the tensor's rows do not lie along the tile's}}
  tile.store %r, %C[%c0, %c0] : tensor<64x64xf16, #rows>, !tile.view<?x?xf16, strides = [1, 8*?], align = 16>
  tile.return
}

tile.kernel @element(%C: !tile.view<?x?xi16, strides = [8*?, 1], align = 16>, %t: tensor<64x64xi16, #acc>) attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %r = tile.relayout %t : tensor<64x64xi16, #acc> -> tensor<64x64xi16, #rows>
  // expected-remark @below {{not stored by the copy engine: it takes elements of 8 bits, f16, bf16 and f32}}
  tile.store %r, %C[%c0, %c0] : tensor<64x64xi16, #rows>, !tile.view<?x?xi16, strides = [8*?, 1], align = 16>
  tile.return
}

tile.kernel @twice(%C: !view, %t: tensor<64x64xf16, #acc>) attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  // expected-remark @below {{not stored by the copy engine: the kernel stores to this tensor elsewhere too}}
  tile.store %r, %C[%c0, %c0] : tensor<64x64xf16, #rows>, !view
  // expected-remark @below {{not stored by the copy engine: the kernel stores to this tensor elsewhere too}}
  tile.store %r, %C[%c0, %c64] : tensor<64x64xf16, #rows>, !view
  tile.return
}

tile.kernel @read(%C: !view, %D: !view, %t: tensor<64x64xf16, #acc>) attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  // expected-remark @below {{not stored by the copy engine: the kernel reads this tensor elsewhere, or later}}
  tile.store %r, %C[%c0, %c0] : tensor<64x64xf16, #rows>, !view
  %x = tile.load %C[%c0, %c0] : !view -> tensor<64x64xf16, #rows>
  tile.store %x, %D[%c0, %c0] : tensor<64x64xf16, #rows>, !view
  tile.return
}

tile.kernel @again(%C: !view, %t: tensor<64x64xf16, #acc>, %n: index) attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark @below {{not stored by the copy engine: another turn of a loop may store to the same place}}
    tile.store %r, %C[%c0, %c0] : tensor<64x64xf16, #rows>, !view
  }
  tile.return
}
}
