// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// If this fails, data that stays in its warp goes through shared memory, or a lane reads the wrong one.

#a = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
#b = #tile.layout<register = [], lane = [[2], [1], [4], [8], [16]], warp = []>
!view = !tile.view<32xf32, strides = [1], align = 16>
!wide = !tile.view<32xf64, strides = [1], align = 16>
module attributes {tile.chip = "sm_80"} {
  // Lanes that differ in their two lowest bits change places.
  // CHECK-LABEL: llvm.func @turned
  // CHECK: %[[BITS:.*]] = llvm.bitcast %{{.*}} : f32 to i32
  // CHECK: %[[GOT:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[BITS]], %{{.*}}, %{{.*}} : i32 -> i32
  // CHECK: llvm.bitcast %[[GOT]] : i32 to f32
  // CHECK-NOT: nvvm.barrier
  tile.kernel @turned(%A: !view) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0] whole [true] : !view -> tensor<32xf32, #a>
    %r = tile.relayout %x : tensor<32xf32, #a> -> tensor<32xf32, #b>
    tile.store %r, %A[%c0] whole [true] : tensor<32xf32, #b>, !view
    tile.return
  }
  // 64 bits are two shuffles.
  // CHECK-LABEL: llvm.func @wide
  // CHECK-COUNT-2: nvvm.shfl.sync idx
  // CHECK-NOT: nvvm.shfl
  tile.kernel @wide(%A: !wide) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0] whole [true] : !wide -> tensor<32xf64, #a>
    %r = tile.relayout %x : tensor<32xf64, #a> -> tensor<32xf64, #b>
    tile.store %r, %A[%c0] whole [true] : tensor<32xf64, #b>, !wide
    tile.return
  }
}
