// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// Of a buffer of two panels each of the two blocks along x brings one, to both; the mask is that of their row of the cluster. Each expects all bytes.

!sa = !dot.stage<1 x 64x128xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x64xf16, swizzle = 128>
!view = !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
module attributes {tile.chip = "sm_90a"} {
  // CHECK-LABEL: llvm.func @row
  // CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 4, 1>
  tile.kernel @row(%A: !view, %i: index, %m: !map {dot.map_of = 0 : i32}) attributes {tile.cluster = array<i32: 2, 4>} {
    %s = dot.alloc at 0 : !sa
    %b = dot.alloc_barriers at 16384 count 1 : !dot.barriers<1>
    %c0 = arith.constant 0 : index
    // CHECK: nvvm.cluster.arrive {aligned}
    // CHECK: nvvm.cluster.wait {aligned}
    dot.cluster_barrier
    // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(16384 : i32)
    // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES]]
    // CHECK: %[[X:.*]] = nvvm.read.ptx.sreg.cluster.ctaid.x
    // CHECK: %[[Y:.*]] = nvvm.read.ptx.sreg.cluster.ctaid.y
    // CHECK: %[[ROW:.*]] = llvm.mlir.constant(3 : i32)
    // CHECK: %[[WIDE:.*]] = llvm.shl %[[ROW]], %{{.*}}
    // CHECK: %[[MASK:.*]] = llvm.trunc %[[WIDE]] : i32 to i16
    // CHECK: %[[FIRST:.*]] = llvm.mlir.constant(0 : i32)
    // CHECK: llvm.icmp "eq" %[[MEMBER:.*]], %[[FIRST]]
    // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %[[MASK]]
    // CHECK: %[[SECOND:.*]] = llvm.mlir.constant(1 : i32)
    // CHECK: llvm.icmp "eq" %[[MEMBER]], %[[SECOND]]
    // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %[[MASK]]
    dot.tma_load %m[%i, %c0] into %s[%c0] signals %b {dot.multicast = array<i1: true, false>} : !map, !sa, !dot.barriers<1>
    tile.return
  }

  // Along y: every second rank, from the block's column on; of all eight the two panels are the first two's.
  // CHECK-LABEL: llvm.func @column
  tile.kernel @column(%A: !view, %i: index, %m: !map {dot.map_of = 0 : i32}) attributes {tile.cluster = array<i32: 2, 4>} {
    %s = dot.alloc at 0 : !sa
    %b = dot.alloc_barriers at 16384 count 1 : !dot.barriers<1>
    %c0 = arith.constant 0 : index
    // CHECK: llvm.mlir.constant(85 : i32)
    dot.tma_load %m[%i, %c0] into %s[%c0] signals %b {dot.multicast = array<i1: false, true>} : !map, !sa, !dot.barriers<1>
    // CHECK: llvm.mlir.constant(255 : i32)
    dot.tma_load %m[%i, %c0] into %s[%c0] signals %b {dot.multicast = array<i1: true, true>} : !map, !sa, !dot.barriers<1>
    tile.return
  }
}
