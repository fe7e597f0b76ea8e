// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// If this fails, a change of shape moves data that every thread already has, or reads the wrong register.

#row = #tile.layout<register = [[0], [1], [2]], lane = [[4], [8], [0], [0], [0]], warp = []>
#row2 = #tile.layout<register = [[0, 0], [0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 0], [0, 0], [0, 0]], warp = []>
#full = #tile.layout<register = [[8, 0], [0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []>
#turned = #tile.layout<register = [[1, 0], [2, 0], [0, 8]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#full2 = #tile.layout<register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []>
!view = !tile.view<16x16xi32, strides = [4*?, 1], align = 16>
module attributes {tile.chip = "sm_80"} {
  // CHECK-LABEL: llvm.func @shapes
  // iota: lanes 0 and 1 count fours, registers 1 and 2 ones and twos.
  // CHECK: %[[LANE:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
  // CHECK: %[[THREE:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK: %[[LOW:.*]] = llvm.and %[[LANE]], %[[THREE]]
  // CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[I0:.*]] = llvm.shl %[[LOW]], %[[TWO]]
  // CHECK: %[[I1:.*]] = llvm.add %[[I0]], %{{.*}}
  // CHECK: %[[I2:.*]] = llvm.add %[[I0]], %{{.*}}
  // CHECK: %[[I3:.*]] = llvm.add %[[I0]], %{{.*}}
  // Four different registers are stored for both halves; nothing is shuffled.
  // CHECK-NOT: nvvm.shfl
  // CHECK: llvm.insertelement %[[I0]]
  // CHECK: llvm.insertelement %[[I1]]
  // CHECK: llvm.insertelement %[[I2]]
  // CHECK: llvm.insertelement %[[I3]]
  tile.kernel @shapes(%A: !view) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %i = tile.iota : tensor<16xi32, #row>
    %r = tile.expand_dims %i, 0 : tensor<16xi32, #row> -> tensor<1x16xi32, #row2>
    %f = tile.broadcast %r : tensor<1x16xi32, #row2> -> tensor<16x16xi32, #full>
    %t = tile.transpose %f [1, 0] : tensor<16x16xi32, #full> -> tensor<16x16xi32, #turned>
    %b = tile.transpose %t [1, 0] : tensor<16x16xi32, #turned> -> tensor<16x16xi32, #full2>
    tile.store %b, %A[%c0, %c0] whole [true, true] : tensor<16x16xi32, #full2>, !view
    tile.return
  }
}
