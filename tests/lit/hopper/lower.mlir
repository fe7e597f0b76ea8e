// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// Descriptors carry the strides and swizzle of a row of 128 bytes, row-major A and B; neighbouring copies share one branch of one thread.

!sa = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x64xf16, swizzle = 128>
#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
// CHECK-LABEL: llvm.func @turn
// CHECK-SAME: llvm.byval = !llvm.array<128 x i8>{{.*}}nvvm.grid_constant
tile.kernel @turn(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %i: index, %m: !map {dot.map_of = 0 : i32})
    attributes {tile.threads = 128 : i32, tile.shared_bytes = 9216 : i64} {
  %acc = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %s = dot.alloc at 0 : !sa
  // CHECK: nvvm.mbarrier.init
  // CHECK: nvvm.fence.mbarrier.init
  %b = dot.alloc_barriers at 8192 count 2 : !dot.barriers<1>
  // CHECK: llvm.cond_br
  // CHECK: nvvm.mbarrier.arrive.expect_tx
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
  // CHECK-NOT: llvm.cond_br
  // CHECK: nvvm.mbarrier.arrive.expect_tx
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
  dot.tma_load %m[%i, %i] into %s[%i] signals %b : !map, !sa, !dot.barriers<1>
  dot.tma_load %m[%i, %i] into %s[%i] signals %b : !map, !sa, !dot.barriers<1>
  // CHECK: nvvm.mbarrier.try_wait.parity
  dot.await %b[%i] parity %i : !dot.barriers<1>
  // K-major A: 1024 bytes between groups of 8 rows (0x4000004000010000).
  // CHECK-DAG: llvm.mlir.constant(4611686293305360384 : i64)
  // MN-major B: 8192 bytes to the next 64 columns (0x4000004002000000).
  // CHECK-DAG: llvm.mlir.constant(4611686293338849280 : i64)
  // CHECK: nvvm.wgmma.fence.aligned
  // CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}}m = 64, n = 64, k = 16
  // CHECK: nvvm.wgmma.commit.group
  %d = dot.wgmma %s[%i], %s[%i], %acc : !sa, !sa, tensor<64x64xf32, #acc>
  // CHECK: nvvm.wgmma.wait.group.sync.aligned 0
  %r = dot.wgmma_wait %d pending 0 : tensor<64x64xf32, #acc>
  tile.return
}
