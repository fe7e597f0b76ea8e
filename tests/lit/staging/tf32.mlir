// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts,dot-stage-operands,canonicalize,cse))' | FileCheck %s
// f32 on tensor cores is split in two terms and multiplied three times, small products first: less would lose precision silently.

module attributes {tile.chip = "sm_80"} {
// CHECK-LABEL: tile.kernel @split
tile.kernel @split(%A: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>)
    attributes {tile.threads = 128 : i32, dot.tensorcore = "tf32x3"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf32, strides = [4*?, 1], align = 16> -> tensor<64x8xf32>
  %b = tile.load %A[%c0, %c0] : !tile.view<?x?xf32, strides = [4*?, 1], align = 16> -> tensor<8x64xf32>
  // CHECK: %[[BIGA:.*]], %[[SMALLA:.*]] = dot.split_tf32
  // CHECK: %[[BIGB:.*]], %[[SMALLB:.*]] = dot.split_tf32
  // CHECK: %[[ONE:.*]] = dot.mma %[[SMALLA]], %[[BIGB]], %
  // CHECK: %[[TWO:.*]] = dot.mma %[[BIGA]], %[[SMALLB]], %[[ONE]]
  // CHECK: dot.mma %[[BIGA]], %[[BIGB]], %[[TWO]]
  %d = dot.contract %a, %b, %zero precision "tf32x3" : tensor<64x8xf32>, tensor<8x64xf32>, tensor<64x64xf32>
  tile.store %d, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
}
