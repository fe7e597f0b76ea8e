// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(dot-stage-stores,canonicalize))' | FileCheck %s
// A product's tile leaves by the copy engine, and is waited for before the kernel ends; not where the kernel reads the view back, nor where rows
// or tiles do not begin at whole 16 bytes.

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#rows = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
module attributes {tile.chip = "sm_90a"} {
// CHECK-LABEL: tile.kernel @leaves
// CHECK-SAME: !dot.tensor_map<64x64xf16, swizzle = 128> {dot.map_of = 0 : i32}
tile.kernel @leaves(%C: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %i: index, %t: tensor<64x64xf16, #acc>) attributes {tile.threads = 128 : i32} {
  // CHECK: %[[S:.*]] = dot.alloc : !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
  // CHECK: dot.store_async %{{.*}}, %[[S]], %{{.*}}[%{{.*}}, %{{.*}}]
  // CHECK-NOT: tile.store
  // CHECK: dot.store_wait %[[S]]
  // CHECK-NEXT: tile.return
  %c64 = arith.constant 64 : index
  %column = arith.muli %i, %c64 : index
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  tile.store %r, %C[%i, %column] : tensor<64x64xf16, #rows>, !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
  tile.return
}

// CHECK-LABEL: tile.kernel @read_back
tile.kernel @read_back(%C: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %i: index, %t: tensor<64x64xf16, #acc>) attributes {tile.threads = 128 : i32} {
  // CHECK-NOT: dot.store_async
  %c64 = arith.constant 64 : index
  %column = arith.muli %i, %c64 : index
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  tile.store %r, %C[%i, %column] : tensor<64x64xf16, #rows>, !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
  %x = tile.load %C[%i, %column] : !tile.view<?x?xf16, strides = [8*?, 1], align = 16> -> tensor<64x64xf16, #rows>
  tile.store %x, %C[%i, %column] : tensor<64x64xf16, #rows>, !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
  tile.return
}

// CHECK-LABEL: tile.kernel @odd_pitch
tile.kernel @odd_pitch(%C: !tile.view<?x?xf16, strides = [?, 1], align = 16>, %i: index, %t: tensor<64x64xf16, #acc>) attributes {tile.threads = 128 : i32} {
  // CHECK-NOT: dot.store_async
  %c64 = arith.constant 64 : index
  %column = arith.muli %i, %c64 : index
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  tile.store %r, %C[%i, %column] : tensor<64x64xf16, #rows>, !tile.view<?x?xf16, strides = [?, 1], align = 16>
  tile.return
}

// CHECK-LABEL: tile.kernel @odd_start
tile.kernel @odd_start(%C: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %i: index, %t: tensor<64x64xf16, #acc>) attributes {tile.threads = 128 : i32} {
  // CHECK-NOT: dot.store_async
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  tile.store %r, %C[%i, %i] : tensor<64x64xf16, #rows>, !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
  tile.return
}
}
