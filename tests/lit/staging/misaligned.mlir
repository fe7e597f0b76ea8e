// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts,dot-stage-operands,canonicalize,cse))' | FileCheck %s
// A pitch of an odd number of halves cannot be copied asynchronously: cp.async takes 4 bytes or more, aligned.

module attributes {tile.chip = "sm_80"} {
// CHECK-LABEL: tile.kernel @odd
tile.kernel @odd(%A: !tile.view<?x?xf16, strides = [?, 1], align = 2>, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>)
    attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK-NOT: dot.copy_async
  // CHECK: dot.put
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf16, strides = [?, 1], align = 2> -> tensor<64x32xf16>
  %b = tile.load %A[%c0, %c0] : !tile.view<?x?xf16, strides = [?, 1], align = 2> -> tensor<32x64xf16>
  %d = dot.contract %a, %b, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  tile.store %d, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
}
