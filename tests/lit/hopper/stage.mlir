// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts,dot-stage-operands,canonicalize,cse))' | FileCheck %s
// A k loop whose slices the copy engine can read becomes bulk copies and one warpgroup product; tensor maps become arguments that name
// their view.

module attributes {tile.chip = "sm_90a"} {
// CHECK-LABEL: tile.kernel @product
// CHECK-SAME: !dot.tensor_map<128x64xf16, swizzle = 128> {dot.map_of = 0 : i32}
// CHECK-SAME: !dot.tensor_map<64x64xf16, swizzle = 128> {dot.map_of = 1 : i32}
tile.kernel @product(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %B: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>,
                     %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %n: index)
    attributes {tile.threads = 256 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  // CHECK-DAG: %[[A:.*]] = dot.alloc : !dot.stage<1 x 128x64xf16, order = [1, 0], panels = 128>
  // CHECK-DAG: %[[B:.*]] = dot.alloc : !dot.stage<1 x 64x128xf16, order = [1, 0], panels = 128>
  // CHECK-DAG: %[[BARRIERS:.*]] = dot.alloc_barriers count 2
  %acc = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    // CHECK: dot.tma_load {{.*}} into %[[A]]{{.*}} signals %[[BARRIERS]]
    // CHECK: dot.tma_load {{.*}} into %[[B]]{{.*}} signals %[[BARRIERS]]
    // CHECK: dot.await %[[BARRIERS]]
    // CHECK: %[[D:.*]] = dot.wgmma %[[A]]{{.*}}, %[[B]]
    // CHECK: dot.wgmma_wait %[[D]] pending 0
    // CHECK-NOT: tile.load
    %a = tile.load %A[%c0, %k] : !tile.view<?x?xf16, strides = [8*?, 1], align = 16> -> tensor<128x64xf16>
    %b = tile.load %B[%k, %c0] : !tile.view<?x?xf16, strides = [8*?, 1], align = 16> -> tensor<64x128xf16>
    %d = dot.contract %a, %b, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.store %acc, %C[%c0, %c0] : tensor<128x128xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
}

// -----

// A pitch of no whole 16 bytes is nothing for the copy engine: the loop keeps cp.async and mma.sync.
module attributes {tile.chip = "sm_90a"} {
// CHECK-LABEL: tile.kernel @pitch
tile.kernel @pitch(%A: !tile.view<?x?xf16, strides = [2*?, 1], align = 16>, %B: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>,
                   %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %n: index)
    attributes {tile.threads = 256 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  // CHECK-NOT: dot.tma_load
  // CHECK: dot.mma
  %acc = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%c0, %k] : !tile.view<?x?xf16, strides = [2*?, 1], align = 16> -> tensor<128x64xf16>
    %b = tile.load %B[%k, %c0] : !tile.view<?x?xf16, strides = [8*?, 1], align = 16> -> tensor<64x128xf16>
    %d = dot.contract %a, %b, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.store %acc, %C[%c0, %c0] : tensor<128x128xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
}
