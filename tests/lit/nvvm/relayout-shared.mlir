// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// If this fails, a trip through shared memory leaves out its barrier, or uses the wrong bytes.

#a = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]>
#b = #tile.layout<register = [[1, 0], [2, 0], [4, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[8, 0]]>
!view = !tile.view<32x32xf32, strides = [?, 1], align = 16>
module attributes {tile.chip = "sm_80"} {
  // CHECK-LABEL: llvm.func @trip
  // CHECK: llvm.mlir.addressof @phobos_shared
  // CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
  // CHECK-NOT: nvvm.barrier0
  tile.kernel @trip(%A: !view) attributes {tile.threads = 64 : i32} {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0, %c0] whole [true, true] : !view -> tensor<32x32xf32, #a>
    %r = tile.relayout %x {shared.offset = 4096 : i64} : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    tile.store %r, %A[%c0, %c0] whole [true, true] : tensor<32x32xf32, #b>, !view
    tile.return
  }
}
