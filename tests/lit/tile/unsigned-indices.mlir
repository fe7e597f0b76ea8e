// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-unsigned-indices,canonicalize))' | FileCheck %s
// A remainder that rounds down compares signs, which block numbers and extents do not have; what may be negative keeps them.

// CHECK-LABEL: tile.kernel @heads
tile.kernel @heads(%A: !tile.view<?x?xf32>, %n: index, %B: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %block = tile.block_id x
  %heads = tile.extent %A, 0 : !tile.view<?x?xf32>
  // CHECK: %[[R:.*]] = arith.remui
  // CHECK-NOT: arith.select
  %r = arith.remsi %block, %heads : index
  %signs = arith.xori %r, %heads : index
  %differ = arith.cmpi slt, %signs, %c0 : index
  %some = arith.cmpi ne, %r, %c0 : index
  %both = arith.andi %some, %differ : i1
  %sum = arith.addi %r, %heads : index
  %floor = arith.select %both, %sum, %r : index
  // CHECK: tile.load %{{.*}}[%[[R]], %[[R]]]
  %t = tile.load %A[%floor, %floor] : !tile.view<?x?xf32> -> tensor<4x4xf32>
  // CHECK: arith.remsi
  // CHECK: arith.select
  %s = arith.remsi %n, %heads : index
  %signs2 = arith.xori %s, %heads : index
  %differ2 = arith.cmpi slt, %signs2, %c0 : index
  %sum2 = arith.addi %s, %heads : index
  %floor2 = arith.select %differ2, %sum2, %s : index
  tile.store %t, %B[%floor2, %c0] : tensor<4x4xf32>, !tile.view<?x?xf32>
  tile.return
}
