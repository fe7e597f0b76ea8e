// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts,dot-stage-operands,canonicalize,cse))' | FileCheck %s
// Operands wider or narrower than 16 bits must lie along k; f32 is taken as tf32 only where that was asked for.

!k_major = !tile.view<?x?xi8, strides = [16*?, 1], align = 16>
module attributes {tile.chip = "sm_90a"} {
// CHECK-LABEL: tile.kernel @bytes
tile.kernel @bytes(%A: !k_major, %B: !k_major, %C: !tile.view<?x?xi32, strides = [4*?, 1], align = 16>, %n: index) attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  // CHECK: dot.wgmma {{.*}} trans_b : !dot.stage<1 x 64x64xi8, order = [1, 0], panels = 64>
  %acc = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xi32>) {
    %a = tile.load %A[%c0, %k] : !k_major -> tensor<64x64xi8>
    %b = tile.load %B[%c0, %k] : !k_major -> tensor<64x64xi8>
    %d = dot.contract %a, %b, %sum trans_b : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
    scf.yield %d : tensor<64x64xi32>
  }
  tile.store %acc, %C[%c0, %c0] : tensor<64x64xi32>, !tile.view<?x?xi32, strides = [4*?, 1], align = 16>
  tile.return
}

// CHECK-LABEL: tile.kernel @bytes_across_k
tile.kernel @bytes_across_k(%A: !k_major, %B: !k_major, %C: !tile.view<?x?xi32, strides = [4*?, 1], align = 16>, %n: index) attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  // CHECK-NOT: dot.wgmma
  // CHECK: dot.mma
  %acc = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xi32>) {
    %a = tile.load %A[%c0, %k] : !k_major -> tensor<64x64xi8>
    %b = tile.load %B[%k, %c0] : !k_major -> tensor<64x64xi8>
    %d = dot.contract %a, %b, %sum : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
    scf.yield %d : tensor<64x64xi32>
  }
  tile.store %acc, %C[%c0, %c0] : tensor<64x64xi32>, !tile.view<?x?xi32, strides = [4*?, 1], align = 16>
  tile.return
}
}

// -----

!k_major = !tile.view<?x?xf8E4M3FN, strides = [16*?, 1], align = 16>
module attributes {tile.chip = "sm_90a"} {
// CHECK-LABEL: tile.kernel @floats_of_8_bits
tile.kernel @floats_of_8_bits(%A: !k_major, %B: !k_major, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %n: index) attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK-NOT: arith.extf
  // CHECK: dot.wgmma {{.*}} trans_b : !dot.stage<1 x 64x128xf8E4M3FN, order = [1, 0], panels = 128>
  %acc = scf.for %k = %c0 to %n step %c128 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%c0, %k] : !k_major -> tensor<64x128xf8E4M3FN>
    %b = tile.load %B[%c0, %k] : !k_major -> tensor<64x128xf8E4M3FN>
    %d = dot.contract %a, %b, %sum trans_b : tensor<64x128xf8E4M3FN>, tensor<64x128xf8E4M3FN>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}

// Where they do not, they multiply as f16, and the sums that the loop carries are in that product's layout.
// CHECK-LABEL: tile.kernel @widened
tile.kernel @widened(%A: !k_major, %B: !k_major, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %n: index) attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: scf.for
  // CHECK: arith.extf {{.*}} to tensor<64x64xf16
  // CHECK-NOT: tensor<64x64xf32, #{{.*}}> -> tensor<64x64xf32
  // CHECK: dot.mma
  // CHECK: scf.yield
  %acc = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%c0, %k] : !k_major -> tensor<64x64xf8E4M3FN>
    %b = tile.load %B[%k, %c0] : !k_major -> tensor<64x64xf8E4M3FN>
    %d = dot.contract %a, %b, %sum : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
}

// -----

!k_major = !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
module attributes {tile.chip = "sm_90a"} {
// CHECK-LABEL: tile.kernel @words
tile.kernel @words(%A: !k_major, %B: !k_major, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %n: index) attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // Rounded on the way.
  // CHECK-COUNT-2: dot.tma_load {{.*}} : !dot.tensor_map<64x32xtf32, swizzle = 128>, !dot.stage<1 x 64x32xf32, order = [1, 0], panels = 128>
  // CHECK: dot.wgmma {{.*}} trans_b : !dot.stage<1 x 64x32xf32, order = [1, 0], panels = 128>
  %acc = scf.for %k = %c0 to %n step %c32 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%c0, %k] : !k_major -> tensor<64x32xf32>
    %b = tile.load %B[%c0, %k] : !k_major -> tensor<64x32xf32>
    %d = dot.contract %a, %b, %sum trans_b precision "tf32" : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}

// CHECK-LABEL: tile.kernel @split
tile.kernel @split(%A: !k_major, %B: !k_major, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %n: index) attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK-NOT: dot.wgmma
  %acc = scf.for %k = %c0 to %n step %c32 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%c0, %k] : !k_major -> tensor<64x32xf32>
    %b = tile.load %B[%c0, %k] : !k_major -> tensor<64x32xf32>
    %d = dot.contract %a, %b, %sum trans_b precision "tf32x3" : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
}
