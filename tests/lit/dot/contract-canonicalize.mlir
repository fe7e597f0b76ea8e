// RUN: phobos-opt %s -canonicalize | FileCheck %s
// If this fails, `acc += ph.dot(a, b)` keeps an add beside the product, or a transposed operand is transposed in registers.

// CHECK-LABEL: tile.kernel @accumulate
// CHECK-SAME: %[[A:.*]]: tensor<64x32xf16>, %[[B:.*]]: tensor<32x64xf16>, %[[SUM:.*]]: tensor<64x64xf32>
tile.kernel @accumulate(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %sum: tensor<64x64xf32>, %C: !tile.view<?x?xf32>, %i: index) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: %[[D:.*]] = dot.contract %[[A]], %[[B]], %[[SUM]]
  // CHECK-NOT: arith.addf
  %d = dot.contract %a, %b, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  %s = arith.addf %sum, %d : tensor<64x64xf32>
  // CHECK: tile.store %[[D]]
  tile.store %s, %C[%i, %i] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @twoUses
tile.kernel @twoUses(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %sum: tensor<64x64xf32>, %C: !tile.view<?x?xf32>, %i: index) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = dot.contract %a, %b, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  // CHECK: arith.addf
  %s = arith.addf %sum, %d : tensor<64x64xf32>
  tile.store %s, %C[%i, %i] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.store %d, %C[%i, %i] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @integers
tile.kernel @integers(%a: tensor<64x32xi8>, %b: tensor<32x64xi8>, %sum: tensor<64x64xi32>, %C: !tile.view<?x?xi32>, %i: index) {
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %d = dot.contract %a, %b, %zero : tensor<64x32xi8>, tensor<32x64xi8>, tensor<64x64xi32>
  // CHECK-NOT: arith.addi
  %s = arith.addi %d, %sum : tensor<64x64xi32>
  tile.store %s, %C[%i, %i] : tensor<64x64xi32>, !tile.view<?x?xi32>
  tile.return
}

// CHECK-LABEL: tile.kernel @transposed
// CHECK-SAME: %[[A:.*]]: tensor<64x32xf16>, %[[B:.*]]: tensor<64x32xf16>
tile.kernel @transposed(%a: tensor<64x32xf16>, %b: tensor<64x32xf16>, %sum: tensor<64x64xf32>, %C: !tile.view<?x?xf32>, %i: index) {
  // CHECK-NOT: tile.transpose
  %t = tile.transpose %b [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
  // CHECK: dot.contract %[[A]], %[[B]], %{{.*}} trans_b
  %d = dot.contract %a, %t, %sum : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  tile.store %d, %C[%i, %i] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}

// A transpose that leaves the dimensions where they are turns nothing.
// CHECK-LABEL: tile.kernel @identity
tile.kernel @identity(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %sum: tensor<64x64xf32>, %C: !tile.view<?x?xf32>, %i: index) {
  %t = tile.transpose %b [0, 1] : tensor<32x64xf16> -> tensor<32x64xf16>
  // CHECK: dot.contract
  // CHECK-NOT: trans_b
  %d = dot.contract %a, %t, %sum : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  // CHECK: tile.store
  tile.store %d, %C[%i, %i] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}
