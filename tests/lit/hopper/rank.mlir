// RUN: phobos-opt %s -split-input-file --tile-to-llvm | FileCheck %s
// Coordinates of a box are those of the dimension of stride 1 first and then the others from the last to the first, also where an index
// dropped some; a panel moves on along the first.

!slot = !dot.stage<1 x 64x128xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<1x64x1x64xf16, swizzle = 128>
// CHECK-LABEL: llvm.func @rows
tile.kernel @rows(%A: !tile.view<?x?x?x?xf16, strides = [8*?, 8*?, 8*?, 1], align = 16>, %m: !map {dot.map_of = 0 : i32})
    attributes {tile.threads = 128 : i32, tile.shared_bytes = 17408 : i64} {
  %c3 = arith.constant 1003 : index
  %c5 = arith.constant 1005 : index
  %c7 = arith.constant 1007 : index
  %c11 = arith.constant 1011 : index
  %s = dot.alloc at 0 : !slot
  %b = dot.alloc_barriers at 16384 count 1 : !dot.barriers<1>
  // CHECK-DAG: %[[C3:.*]] = llvm.mlir.constant(1003 : i32)
  // CHECK-DAG: %[[C5:.*]] = llvm.mlir.constant(1005 : i32)
  // CHECK-DAG: %[[C7:.*]] = llvm.mlir.constant(1007 : i32)
  // CHECK-DAG: %[[C11:.*]] = llvm.mlir.constant(1011 : i32)
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%[[C11]], %[[C7]], %[[C5]], %[[C3]]]
  // CHECK: %[[NEXT:.*]] = llvm.add %[[C11]], %
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%[[NEXT]], %[[C7]], %[[C5]], %[[C3]]]
  dot.tma_load %m[%c3, %c5, %c7, %c11] into %s[%c3] signals %b : !map, !slot, !dot.barriers<1>
  tile.return
}

// -----

!slot = !dot.stage<1 x 64x64xf16, order = [0, 1], panels = 128>
!map = !dot.tensor_map<64x1x64xf16, swizzle = 128>
// CHECK-LABEL: llvm.func @columns
tile.kernel @columns(%A: !tile.view<?x?x?xf16, strides = [1, 8*?, 8*?], align = 16>, %m: !map {dot.map_of = 0 : i32})
    attributes {tile.threads = 128 : i32, tile.shared_bytes = 9216 : i64} {
  %c3 = arith.constant 1003 : index
  %c5 = arith.constant 1005 : index
  %c7 = arith.constant 1007 : index
  %s = dot.alloc at 0 : !slot
  %b = dot.alloc_barriers at 8192 count 1 : !dot.barriers<1>
  // CHECK-DAG: %[[C3:.*]] = llvm.mlir.constant(1003 : i32)
  // CHECK-DAG: %[[C5:.*]] = llvm.mlir.constant(1005 : i32)
  // CHECK-DAG: %[[C7:.*]] = llvm.mlir.constant(1007 : i32)
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%[[C3]], %[[C7]], %[[C5]]]
  dot.tma_load %m[%c3, %c5, %c7] into %s[%c3] signals %b : !map, !slot, !dot.barriers<1>
  tile.return
}

// -----

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!slots = !dot.stage<2 x 64x64xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x1x64xf16, swizzle = 128>
module attributes {tile.chip = "sm_90a"} {
// CHECK-LABEL: llvm.func @store
tile.kernel @store(%C: !tile.view<?x?x?xf16, strides = [8*?, 8*?, 1], align = 16>, %m: !map {dot.map_of = 0 : i32})
    attributes {tile.threads = 128 : i32, tile.shared_bytes = 16384 : i64} {
  %c3 = arith.constant 1003 : index
  %c5 = arith.constant 1005 : index
  %c7 = arith.constant 1007 : index
  %t = arith.constant dense<1.0> : tensor<64x128xf16, #acc>
  %s = dot.alloc at 0 : !slots
  // CHECK-DAG: %[[C5:.*]] = llvm.mlir.constant(1005 : i32)
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta {{.*}} box[%[[COLUMN:.*]], %[[C5]], %[[ROW:.*]]] :
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta {{.*}} box[%[[NEXT:.*]], %[[C5]], %[[ROW]]] :
  dot.store_async %t, %s, %m[%c3, %c5, %c7] : tensor<64x128xf16, #acc>, !slots, !map
  tile.return
}
}
