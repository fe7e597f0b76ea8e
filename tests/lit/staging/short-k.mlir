// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts,dot-stage-operands,canonicalize,cse))' | FileCheck %s
// A k shorter than an instruction's is filled up with zeros: what the slot held before would be added to the sums. Where the tile's own
// padding reaches as far, its put does it.

module attributes {tile.chip = "sm_80"} {
// CHECK-LABEL: tile.kernel @eight
tile.kernel @eight(%A: !tile.view<?x?xi8>, %C: !tile.view<?x?xi32>) attributes {tile.threads = 32 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xi8> -> tensor<16x8xi8>
  %b = tile.load %A[%c0, %c0] : !tile.view<?x?xi8> -> tensor<8x16xi8>
  // CHECK-DAG: %[[ZEROA:.*]] = arith.constant dense<0> : tensor<16x16xi8
  // CHECK: dot.put %[[ZEROA]]
  // CHECK: dot.put %{{.*}} : tensor<16x8xi8
  // CHECK: dot.mma {{.*}} shape [16, 8, 16]
  %d = dot.contract %a, %b, %zero : tensor<16x8xi8>, tensor<8x16xi8>, tensor<16x16xi32>
  tile.store %d, %C[%c0, %c0] : tensor<16x16xi32>, !tile.view<?x?xi32>
  tile.return
}

// One tile may be both operands: each has a slot as deep along its own k.
// CHECK-LABEL: tile.kernel @both
tile.kernel @both(%A: !tile.view<?x?xi8>, %C: !tile.view<?x?xi32>) attributes {tile.threads = 32 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xi8> -> tensor<16x8xi8>
  %x = arith.addi %a, %a : tensor<16x8xi8>
  // CHECK-DAG: dot.fragment %{{.*}} origin [0, 0] : !dot.stage<1 x 16x16xi8
  // CHECK-DAG: dot.fragment %{{.*}} origin [0, 0] transposed : !dot.stage<1 x 16x16xi8
  %d = dot.contract %x, %x, %zero trans_b : tensor<16x8xi8>, tensor<16x8xi8>, tensor<16x16xi32>
  tile.store %d, %C[%c0, %c0] : tensor<16x16xi32>, !tile.view<?x?xi32>
  tile.return
}

// CHECK-LABEL: tile.kernel @twentyfour
tile.kernel @twentyfour(%A: !tile.view<?x?xf16>, %C: !tile.view<?x?xf32>) attributes {tile.threads = 32 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x24xf16>
  %b = tile.load %A[%c0, %c0] : !tile.view<?x?xf16> -> tensor<24x16xf16>
  // CHECK-COUNT-2: dot.put
  // CHECK-NOT: dot.put
  // CHECK-COUNT-2: dot.mma {{.*}} shape [16, 8, 16]
  %d = dot.contract %a, %b, %zero : tensor<16x24xf16>, tensor<24x16xf16>, tensor<16x16xf32>
  tile.store %d, %C[%c0, %c0] : tensor<16x16xf32>, !tile.view<?x?xf32>
  tile.return
}
}
