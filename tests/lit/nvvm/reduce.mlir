// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// If this fails, a reduction counts a replica twice, counts padding, or reads a partial result before it is written.

#rows = #tile.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 0], [1, 0], [2, 0], [4, 0]], warp = []>
#sums = #tile.layout<register = [[0], [0]], lane = [[0], [0], [1], [2], [4]], warp = []>
#line = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#eight = #tile.layout<register = [], lane = [[1], [2], [4], [0], [0]], warp = [[0]]>
#total = #tile.layout<register = [], lane = [], warp = []>
!view = !tile.view<8x8xf32, strides = [?, 1], align = 16>
!out = !tile.view<8xf32, strides = [1], align = 16>
!line = !tile.view<100xf32, strides = [1], align = 16>
module attributes {tile.chip = "sm_80"} {
  // Four registers in a tree, then one shuffle over lane bit 0; lane bit 1 holds replicas.
  // CHECK-LABEL: llvm.func @lanes
  // CHECK: %[[A:.*]] = llvm.fadd
  // CHECK: %[[B:.*]] = llvm.fadd
  // CHECK: %[[S:.*]] = llvm.fadd
  // CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %[[ONE]]
  // CHECK: llvm.fadd %[[S]]
  // CHECK-NOT: nvvm.shfl
  // CHECK-NOT: llvm.fadd
  tile.kernel @lanes(%A: !view, %B: !out) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0, %c0] whole [true, true] : !view -> tensor<8x8xf32, #rows>
    %s = tile.reduce %x axis 1 identity [0.0 : f32] : tensor<8x8xf32, #rows> -> tensor<8xf32, #sums> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      tile.yield %z : f32
    }
    tile.store %s, %B[%c0] whole [true] : tensor<8xf32, #sums>, !out
    tile.return
  }
  // 100 elements in 128 places of two warps: those from 100 on count as the identity; one lane of each warp writes, all threads read both.
  // CHECK-LABEL: llvm.func @warps
  // CHECK: %[[IDENTITY:.*]] = llvm.mlir.constant(0xFF800000 : f32) : f32
  // CHECK: %[[EXTENT:.*]] = llvm.mlir.constant(100 : i32)
  // CHECK: %[[INSIDE:.*]] = llvm.icmp "ult" %{{.*}}, %[[EXTENT]]
  // CHECK: llvm.select %[[INSIDE]], %{{.*}}, %[[IDENTITY]]
  // CHECK: llvm.intr.maximum
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK: llvm.cond_br
  // CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
  // CHECK: llvm.intr.maximum
  // CHECK-NOT: nvvm.barrier0
  tile.kernel @warps(%A: !line, %B: !out) attributes {tile.threads = 64 : i32} {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0] whole [true] : !line -> tensor<100xf32, #line>
    %s = tile.reduce %x axis 0 identity [0xFF800000 : f32] {shared.offset = 0 : i64} : tensor<100xf32, #line> -> tensor<f32, #total> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.maximumf %p, %q : f32
      tile.yield %z : f32
    }
    %v = tile.to_scalar %s : tensor<f32, #total> -> f32
    %t = tile.splat %v : f32 -> tensor<8xf32, #eight>
    tile.store %t, %B[%c0] whole [true] : tensor<8xf32, #eight>, !out
    tile.return
  }
}
