// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// Where extent and offset are whole tiles, a store is inside or outside as one: one comparison a dimension and one branch, not one a row.

#rows = #tile.layout<register = [[0, 1], [0, 2], [4, 0], [8, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = []>
// CHECK-LABEL: llvm.func @store
tile.kernel @store(%x: f32, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16> {tile.dims = ["M", "N"]})
    attributes {tile.threads = 32 : i32, tile.dims = {M = 16 : i64, N = 32 : i64}} {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %p = tile.block_id x
  %q = tile.block_id y
  %row = arith.muli %p, %c16 : index
  %col = arith.muli %q, %c32 : index
  %t = tile.splat %x : f32 -> tensor<16x32xf32, #rows>
  // CHECK-COUNT-2: llvm.icmp "ult"
  // CHECK-NOT: llvm.icmp "ult"
  // CHECK: llvm.cond_br
  // CHECK-COUNT-4: llvm.store {{.*}} : vector<4xf32>
  // CHECK-NOT: llvm.cond_br
  tile.store %t, %C[%row, %col] whole [false, false] : tensor<16x32xf32, #rows>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
