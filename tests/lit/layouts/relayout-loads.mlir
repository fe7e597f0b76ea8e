// RUN: phobos-opt %s -allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(tile-relayout-loads))' | FileCheck %s
// What a relayout through shared memory would move is loaded where it is wanted, if that reads 16 bytes side by side and nobody else sees
// it; else it moves narrow.

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#rows = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#rows2 = #tile.layout<register = [[0, 1], [0, 2], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#columns = #tile.layout<register = [[1, 0], [2, 0], [4, 0], [0, 16]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]]>
#vector = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]>
#column = #tile.layout<register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [0, 0]]>
#widened = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [0, 0]]>
#slice = #tile.layout<register = [[1], [0], [8], [16], [32]], lane = [[2], [4], [0], [0], [0]], warp = [[0], [0]]>
!view = !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
!turned = !tile.view<?x?xf16, strides = [1, 8*?], align = 16>

// CHECK-LABEL: tile.kernel @residual
// CHECK: tile.load {{.*}} -> tensor<64x32xf16, #[[ACC:layout[0-9]*]]>
// CHECK: arith.extf {{.*}} tensor<64x32xf16, #[[ACC]]> to tensor<64x32xf32, #[[ACC]]>
// CHECK: arith.constant dense<2.0{{.*}}> : tensor<64x32xf32, #[[ACC]]>
// CHECK: arith.mulf
// CHECK-NOT: tile.relayout
// CHECK: arith.addf
tile.kernel @residual(%R: !view, %C: !view, %i: index, %sums: tensor<64x32xf32, #acc>) attributes {tile.threads = 128 : i32} {
  %r = tile.load %R[%i, %i] : !view -> tensor<64x32xf16, #rows>
  %wide = arith.extf %r : tensor<64x32xf16, #rows> to tensor<64x32xf32, #rows>
  %two = arith.constant dense<2.0> : tensor<64x32xf32, #rows>
  %twice = arith.mulf %wide, %two : tensor<64x32xf32, #rows>
  %moved = tile.relayout %twice : tensor<64x32xf32, #rows> -> tensor<64x32xf32, #acc>
  %sum = arith.addf %sums, %moved : tensor<64x32xf32, #acc>
  %t = arith.truncf %sum : tensor<64x32xf32, #acc> to tensor<64x32xf16, #acc>
  tile.store %t, %C[%i, %i] : tensor<64x32xf16, #acc>, !view
  tile.return
}

// CHECK-LABEL: tile.kernel @bias
// CHECK: tile.load {{.*}} -> tensor<64xf32, #[[SLICE:layout[0-9]*]]>
// CHECK-NOT: tile.relayout
// CHECK: arith.truncf {{.*}} tensor<64xf32, #[[SLICE]]>
tile.kernel @bias(%b: !tile.view<?xf32, strides = [1], align = 16>, %i: index) attributes {tile.threads = 128 : i32} {
  %v = tile.load %b[%i] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<64xf32, #vector>
  %moved = tile.relayout %v : tensor<64xf32, #vector> -> tensor<64xf32, #slice>
  %t = arith.truncf %moved : tensor<64xf32, #slice> to tensor<64xf16, #slice>
  "test.use"(%t) : (tensor<64xf16, #slice>) -> ()
  tile.return
}

// The source of what is widened lies where its copies are wanted.
// CHECK-LABEL: tile.kernel @widened
// CHECK: tile.load {{.*}} -> tensor<64xf32
// CHECK: tile.expand_dims
// CHECK: tile.broadcast
// CHECK-NOT: tile.relayout
// CHECK: "test.use"
tile.kernel @widened(%b: !tile.view<?xf32, strides = [1], align = 16>, %i: index) attributes {tile.threads = 128 : i32} {
  %v = tile.load %b[%i] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<64xf32, #vector>
  %column = tile.expand_dims %v, 1 : tensor<64xf32, #vector> -> tensor<64x1xf32, #column>
  %wide = tile.broadcast %column : tensor<64x1xf32, #column> -> tensor<64x32xf32, #widened>
  %moved = tile.relayout %wide : tensor<64x32xf32, #widened> -> tensor<64x32xf32, #acc>
  "test.use"(%moved) : (tensor<64x32xf32, #acc>) -> ()
  tile.return
}

// A warp would read columns of eight neighbours in 4 places where it wants rows.
// CHECK-LABEL: tile.kernel @scattered
// CHECK: tile.load {{.*}} -> tensor<64x32xf16, #[[COLUMNS:layout[0-9]*]]>
// CHECK-NEXT: tile.relayout {{.*}} : tensor<64x32xf16, #[[COLUMNS]]> -> tensor<64x32xf16, #[[ROWS:layout[0-9]*]]>
// CHECK-NEXT: arith.extf
tile.kernel @scattered(%R: !turned, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %i: index) attributes {tile.threads = 128 : i32} {
  %r = tile.load %R[%i, %i] : !turned -> tensor<64x32xf16, #columns>
  %wide = arith.extf %r : tensor<64x32xf16, #columns> to tensor<64x32xf32, #columns>
  %moved = tile.relayout %wide : tensor<64x32xf32, #columns> -> tensor<64x32xf32, #rows2>
  tile.store %moved, %C[%i, %i] : tensor<64x32xf32, #rows2>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}

// CHECK-LABEL: tile.kernel @seen_twice
// CHECK: tile.relayout
tile.kernel @seen_twice(%R: !view, %C: !view, %i: index) attributes {tile.threads = 128 : i32} {
  %r = tile.load %R[%i, %i] : !view -> tensor<64x32xf16, #rows>
  tile.store %r, %C[%i, %i] : tensor<64x32xf16, #rows>, !view
  %moved = tile.relayout %r : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #acc>
  tile.store %moved, %C[%i, %i] : tensor<64x32xf16, #acc>, !view
  tile.return
}
