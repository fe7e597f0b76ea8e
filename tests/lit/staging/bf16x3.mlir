// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-simplify-relayouts,dot-stage-operands,canonicalize,cse))' | FileCheck %s
// bf16x3 splits f32 into two bf16 terms and multiplies three times on the faster bf16 instruction.

module attributes {tile.chip = "sm_80"} {
// CHECK-LABEL: tile.kernel @split
tile.kernel @split(%A: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>)
    attributes {tile.threads = 128 : i32, dot.tensorcore = "bf16x3"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf32, strides = [4*?, 1], align = 16> -> tensor<64x16xf32>
  %b = tile.load %A[%c0, %c0] : !tile.view<?x?xf32, strides = [4*?, 1], align = 16> -> tensor<16x64xf32>
  // CHECK: %[[BIGA:.*]] = arith.truncf {{.*}} to tensor<64x16xbf16
  // CHECK: %[[SMALLA:.*]] = arith.truncf {{.*}} to tensor<64x16xbf16
  // CHECK: %[[BIGB:.*]] = arith.truncf {{.*}} to tensor<16x64xbf16
  // CHECK: %[[SMALLB:.*]] = arith.truncf {{.*}} to tensor<16x64xbf16
  // CHECK: %[[ONE:.*]] = dot.mma %[[SMALLA]], %[[BIGB]], %{{.*}} shape [16, 8, 16]
  // CHECK: %[[TWO:.*]] = dot.mma %[[BIGA]], %[[SMALLB]], %[[ONE]]
  // CHECK: dot.mma %[[BIGA]], %[[BIGB]], %[[TWO]]
  %d = dot.contract %a, %b, %zero precision "bf16x3" : tensor<64x16xf32>, tensor<16x64xf32>, tensor<64x64xf32>
  tile.store %d, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  tile.return
}
}
