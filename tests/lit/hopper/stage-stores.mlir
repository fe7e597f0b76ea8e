// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(dot-stage-stores,canonicalize))' | FileCheck %s
// A product's tile leaves by the copy engine, and is waited for before the kernel ends; not where the kernel reads the view back, nor where rows
// or tiles do not begin at whole 16 bytes.

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#rows = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#turned = #tile.layout<register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 16], [0, 32]]>
#acc3 = #tile.layout<register = [[0, 0, 1], [8, 0, 0], [0, 0, 8], [0, 0, 16], [0, 0, 32]], lane = [[0, 0, 2], [0, 0, 4], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]]>
#rows3 = #tile.layout<register = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [16, 0, 0], [32, 0, 0]], lane = [[0, 0, 8], [0, 0, 16], [0, 0, 32], [1, 0, 0], [2, 0, 0]], warp = [[4, 0, 0], [8, 0, 0]]>
module attributes {tile.chip = "sm_90a"} {
// CHECK-LABEL: tile.kernel @leaves
// CHECK-SAME: !dot.tensor_map<64x64xf16, swizzle = 128> {dot.map_of = 0 : i32}
tile.kernel @leaves(%C: !tile.view<?x512xf16, strides = [8*?, 1], align = 16>, %t: tensor<64x64xf16, #acc>) attributes {tile.threads = 128 : i32} {
  %i = tile.block_id x
  // CHECK: %[[S:.*]] = dot.alloc : !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
  // CHECK: dot.store_async %{{.*}}, %[[S]], %{{.*}}[%{{.*}}, %{{.*}}]
  // CHECK-NOT: tile.store
  // CHECK: dot.store_wait %[[S]]
  // CHECK-NEXT: tile.return
  %c64 = arith.constant 64 : index
  %column = arith.muli %i, %c64 : index
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  tile.store %r, %C[%i, %column] : tensor<64x64xf16, #rows>, !tile.view<?x512xf16, strides = [8*?, 1], align = 16>
  tile.return
}

// CHECK-LABEL: tile.kernel @read_back
tile.kernel @read_back(%C: !tile.view<?x512xf16, strides = [8*?, 1], align = 16>, %t: tensor<64x64xf16, #acc>) attributes {tile.threads = 128 : i32} {
  %i = tile.block_id x
  // CHECK-NOT: dot.store_async
  %c64 = arith.constant 64 : index
  %column = arith.muli %i, %c64 : index
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  tile.store %r, %C[%i, %column] : tensor<64x64xf16, #rows>, !tile.view<?x512xf16, strides = [8*?, 1], align = 16>
  %x = tile.load %C[%i, %column] : !tile.view<?x512xf16, strides = [8*?, 1], align = 16> -> tensor<64x64xf16, #rows>
  tile.store %x, %C[%i, %column] : tensor<64x64xf16, #rows>, !tile.view<?x512xf16, strides = [8*?, 1], align = 16>
  tile.return
}

// CHECK-LABEL: tile.kernel @odd_pitch
tile.kernel @odd_pitch(%C: !tile.view<?x?xf16, strides = [?, 1], align = 16>, %t: tensor<64x64xf16, #acc>) attributes {tile.threads = 128 : i32} {
  %i = tile.block_id x
  // CHECK-NOT: dot.store_async
  %c64 = arith.constant 64 : index
  %column = arith.muli %i, %c64 : index
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  tile.store %r, %C[%i, %column] : tensor<64x64xf16, #rows>, !tile.view<?x?xf16, strides = [?, 1], align = 16>
  tile.return
}

// Before the tensor's first element the copy engine stores nothing: it would be an illegal instruction.
// CHECK-LABEL: tile.kernel @before
tile.kernel @before(%C: !tile.view<?x512xf16, strides = [8*?, 1], align = 16>, %t: tensor<64x64xf16, #acc>) attributes {tile.threads = 128 : i32} {
  // CHECK-NOT: dot.store_async
  // CHECK: tile.store
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.block_id x
  %row = arith.subi %i, %c1 : index
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  tile.store %r, %C[%row, %c0] : tensor<64x64xf16, #rows>, !tile.view<?x512xf16, strides = [8*?, 1], align = 16>
  tile.return
}

// CHECK-LABEL: tile.kernel @odd_start
tile.kernel @odd_start(%C: !tile.view<?x512xf16, strides = [8*?, 1], align = 16>, %t: tensor<64x64xf16, #acc>) attributes {tile.threads = 128 : i32} {
  %i = tile.block_id x
  // CHECK-NOT: dot.store_async
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  tile.store %r, %C[%i, %i] : tensor<64x64xf16, #rows>, !tile.view<?x512xf16, strides = [8*?, 1], align = 16>
  tile.return
}

// Two tiles that leave one after the other share the slots, and one wait.
// CHECK-LABEL: tile.kernel @two
tile.kernel @two(%C: !tile.view<?x512xf16, strides = [8*?, 1], align = 16>, %D: !tile.view<?x512xf16, strides = [8*?, 1], align = 16>, %t: tensor<64x64xf16, #acc>) attributes {tile.threads = 128 : i32} {
  %i = tile.block_id x
  // CHECK: %[[S:.*]] = dot.alloc
  // CHECK-NOT: dot.alloc
  // CHECK: dot.store_async %{{.*}}, %[[S]]
  // CHECK: dot.store_async %{{.*}}, %[[S]]
  // CHECK: dot.store_wait %[[S]]
  // CHECK-NEXT: tile.return
  %c64 = arith.constant 64 : index
  %column = arith.muli %i, %c64 : index
  %r = tile.relayout %t : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
  tile.store %r, %C[%i, %column] : tensor<64x64xf16, #rows>, !tile.view<?x512xf16, strides = [8*?, 1], align = 16>
  tile.store %r, %D[%i, %column] : tensor<64x64xf16, #rows>, !tile.view<?x512xf16, strides = [8*?, 1], align = 16>
  tile.return
}

// What the same slice held may be read first, also in a loop that goes from slice to slice; not what another turn's copy stores.
// CHECK-LABEL: tile.kernel @read_before
tile.kernel @read_before(%C: !tile.view<?x512xf16, strides = [8*?, 1], align = 16>, %n: index) attributes {tile.threads = 128 : i32} {
  // CHECK: dot.store_async
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  scf.for %j = %c0 to %n step %c64 {
    %x = tile.load %C[%c0, %j] : !tile.view<?x512xf16, strides = [8*?, 1], align = 16> -> tensor<64x64xf16, #acc>
    %r = tile.relayout %x : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
    tile.store %r, %C[%c0, %j] : tensor<64x64xf16, #rows>, !tile.view<?x512xf16, strides = [8*?, 1], align = 16>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @read_from_before
tile.kernel @read_from_before(%C: !tile.view<?x512xf16, strides = [8*?, 1], align = 16>, %n: index) attributes {tile.threads = 128 : i32} {
  // CHECK-NOT: dot.store_async
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  scf.for %j = %c64 to %n step %c64 {
    %before = arith.subi %j, %c64 : index
    %x = tile.load %C[%c0, %before] : !tile.view<?x512xf16, strides = [8*?, 1], align = 16> -> tensor<64x64xf16, #acc>
    %r = tile.relayout %x : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #rows>
    tile.store %r, %C[%c0, %j] : tensor<64x64xf16, #rows>, !tile.view<?x512xf16, strides = [8*?, 1], align = 16>
  }
  tile.return
}

// Bytes leave so too, from a batch in the middle.
// CHECK-LABEL: tile.kernel @bytes
// CHECK-SAME: !dot.tensor_map<64x1x64xi8, swizzle = 64> {dot.map_of = 0 : i32}
tile.kernel @bytes(%C: !tile.view<?x?x512xi8, strides = [16*?, 16*?, 1], align = 16>, %t: tensor<64x64xi8, #acc>) attributes {tile.threads = 128 : i32} {
  %i = tile.block_id x
  // CHECK: dot.store_async {{.*}} : tensor<64x64xi8, #{{.*}}>, !dot.stage<1 x 64x64xi8, order = [1, 0], panels = 64>
  %c64 = arith.constant 64 : index
  %column = arith.muli %i, %c64 : index
  %whole = tile.reshape %t : tensor<64x64xi8, #acc> -> tensor<64x1x64xi8, #acc3>
  %r = tile.relayout %whole : tensor<64x1x64xi8, #acc3> -> tensor<64x1x64xi8, #rows3>
  tile.store %r, %C[%i, %i, %column] : tensor<64x1x64xi8, #rows3>, !tile.view<?x?x512xi8, strides = [16*?, 16*?, 1], align = 16>
  tile.return
}

// CHECK-LABEL: tile.kernel @vector
tile.kernel @vector(%C: !tile.view<?xf16, strides = [1], align = 16>, %t: tensor<64xf16, #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]>>) attributes {tile.threads = 128 : i32} {
  // CHECK: tile.store
  %c0 = arith.constant 0 : index
  %r = tile.relayout %t : tensor<64xf16, #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]>> -> tensor<64xf16, #tile.layout<register = [], lane = [[32], [1], [2], [4], [8]], warp = [[16], [0]]>>
  tile.store %r, %C[%c0] : tensor<64xf16, #tile.layout<register = [], lane = [[32], [1], [2], [4], [8]], warp = [[16], [0]]>>, !tile.view<?xf16, strides = [1], align = 16>
  tile.return
}

// A product's columns may be the rows.
// CHECK-LABEL: tile.kernel @turned
// CHECK-SAME: !dot.tensor_map<64x64xf16, swizzle = 128> {dot.map_of = 0 : i32}
tile.kernel @turned(%C: !tile.view<?x512xf16, strides = [8*?, 1], align = 16>, %t: tensor<64x64xf16, #turned>) attributes {tile.threads = 128 : i32} {
  // CHECK: %[[BACK:.*]] = tile.transpose %{{.*}} [1, 0]
  // CHECK: dot.store_async %[[BACK]], %{{.*}} transposed : tensor<64x64xf16
  %c0 = arith.constant 0 : index
  %r = tile.relayout %t : tensor<64x64xf16, #turned> -> tensor<64x64xf16, #rows>
  tile.store %r, %C[%c0, %c0] : tensor<64x64xf16, #rows>, !tile.view<?x512xf16, strides = [8*?, 1], align = 16>
  tile.return
}
}
