// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-simplify-relayouts))' | FileCheck %s
// There and back is nothing, twice is once, and what gets narrower is moved narrow.

#rows = #tile.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>
#columns = #tile.layout<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = []>

// CHECK-LABEL: tile.kernel @back
tile.kernel @back(%A: !tile.view<?x?xf32>) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  // CHECK: %[[LOADED:.*]] = tile.load
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf32> -> tensor<16x8xf32, #rows>
  %there = tile.relayout %a : tensor<16x8xf32, #rows> -> tensor<16x8xf32, #columns>
  %back = tile.relayout %there : tensor<16x8xf32, #columns> -> tensor<16x8xf32, #rows>
  // CHECK-NOT: tile.relayout
  // CHECK: tile.store %[[LOADED]]
  tile.store %back, %A[%c0, %c0] : tensor<16x8xf32, #rows>, !tile.view<?x?xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @narrow
tile.kernel @narrow(%A: !tile.view<?x?xf32>, %C: !tile.view<?x?xf16>) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf32> -> tensor<16x8xf32, #rows>
  %moved = tile.relayout %a : tensor<16x8xf32, #rows> -> tensor<16x8xf32, #columns>
  // CHECK: arith.truncf
  // CHECK-NEXT: tile.relayout {{.*}} : tensor<16x8xf16
  %t = arith.truncf %moved : tensor<16x8xf32, #columns> to tensor<16x8xf16, #columns>
  tile.store %t, %C[%c0, %c0] : tensor<16x8xf16, #columns>, !tile.view<?x?xf16>
  tile.return
}
