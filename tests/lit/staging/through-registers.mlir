// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts,dot-stage-operands,canonicalize,cse))' | FileCheck %s
// No cp.async on sm_75, and none for slices aligned to less than 4 bytes anywhere: then tiles are loaded and put.

module attributes {tile.chip = "sm_75"} {
// CHECK-LABEL: tile.kernel @turing
tile.kernel @turing(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>)
    attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: tile.load
  // CHECK-NOT: dot.copy_async
  // CHECK: dot.put
  // CHECK: dot.mma {{.*}} shape [16, 8, 8]
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf16, strides = [8*?, 1], align = 16> -> tensor<64x32xf16>
  %b = tile.load %A[%c0, %c0] : !tile.view<?x?xf16, strides = [8*?, 1], align = 16> -> tensor<32x64xf16>
  %d = dot.contract %a, %b, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  tile.store %d, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
}
