// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(dot-multicast))' 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// A copy goes to all blocks along the axes of the cluster that where it begins does not depend on; the blocks meet where a block met alone.

!sa = !dot.stage<2 x 64x64xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x64xf16, swizzle = 128>
!view = !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
module attributes {tile.chip = "sm_90a"} {
  // REMARK: remark: cluster of 2 x 4 blocks: 3 of 3 buffers are filled by multicast
  // CHECK-LABEL: tile.kernel @product
  tile.kernel @product(%A: !view, %n: index, %m: !map {dot.map_of = 0 : i32}) attributes {tile.cluster = array<i32: 2, 4>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %a = dot.alloc : !sa
    %b = dot.alloc : !sa
    %c = dot.alloc : !sa
    %bars = dot.alloc_barriers count 3 : !dot.barriers<2>
    %x = tile.block_id x
    %y = tile.block_id y
    %row = arith.muli %x, %c64 : index
    %column = arith.muli %y, %c64 : index
    // CHECK: dot.cluster_barrier
    // CHECK-NEXT: dot.tma_load %{{.*}}[%[[ROW:.*]], %c0] {{.*}} {dot.multicast = array<i1: false, true>}
    // CHECK-NEXT: dot.tma_load %{{.*}}[%c0, %[[COLUMN:.*]]] {{.*}} {dot.multicast = array<i1: true, false>}
    // CHECK-NEXT: dot.tma_load %{{.*}}[%c0, %c64] {{.*}} {dot.multicast = array<i1: true, true>}
    // CHECK-NEXT: scf.for
    dot.tma_load %m[%row, %c0] into %a[%c0] signals %bars : !map, !sa, !dot.barriers<2>
    dot.tma_load %m[%c0, %column] into %b[%c0] signals %bars : !map, !sa, !dot.barriers<2>
    dot.tma_load %m[%c0, %c64] into %c[%c0] signals %bars : !map, !sa, !dot.barriers<2>
    dot.barrier
    scf.for %k = %c0 to %n step %c64 {
      // CHECK-NEXT: dot.await
      // CHECK-NEXT: dot.cluster_barrier
      // CHECK: dot.tma_load %{{.*}}[%[[ROW]], %{{.*}}] {{.*}} {dot.multicast = array<i1: false, true>}
      // CHECK-NEXT: dot.tma_load %{{.*}}[%{{.*}}, %[[COLUMN]]] {{.*}} {dot.multicast = array<i1: true, false>}
      // CHECK-NOT: {{dot.barrier$}}
      dot.await %bars[%c0] parity %c0 : !dot.barriers<2>
      dot.barrier
      %ahead = arith.addi %k, %c64 : index
      %more = arith.cmpi slt, %ahead, %n : index
      dot.tma_load %m[%row, %ahead] into %a[%c0] signals %bars if %more : !map, !sa, !dot.barriers<2>
      dot.tma_load %m[%ahead, %column] into %b[%c0] signals %bars if %more : !map, !sa, !dot.barriers<2>
      dot.tma_load %m[%c0, %c64] into %c[%c0] signals %bars if %more : !map, !sa, !dot.barriers<2>
    }
    tile.return
  }

  // How often the loop runs is each block's own.
  // REMARK: remark: cluster of 2 x 1 blocks: no copy is shared: a loop or branch around them depends on the block's number
  // CHECK-LABEL: tile.kernel @triangle
  // CHECK-NOT: {{multicast|cluster_barrier}}
  tile.kernel @triangle(%A: !view, %m: !map {dot.map_of = 0 : i32}) attributes {tile.cluster = array<i32: 2, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %b = dot.alloc : !sa
    %bars = dot.alloc_barriers count 1 : !dot.barriers<2>
    %x = tile.block_id x
    %end = arith.muli %x, %c64 : index
    scf.for %k = %c0 to %end step %c64 {
      dot.barrier
      dot.tma_load %m[%c0, %k] into %b[%c0] signals %bars : !map, !sa, !dot.barriers<2>
    }
    tile.return
  }

  // A slot that goes round is as much the same as what it begins with, and as what the loop makes of it.
  // REMARK: remark: cluster of 2 x 1 blocks: 1 of 2 buffers are filled by multicast
  // CHECK-LABEL: tile.kernel @carried
  tile.kernel @carried(%A: !view, %n: index, %m: !map {dot.map_of = 0 : i32}) attributes {tile.cluster = array<i32: 2, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %a = dot.alloc : !sa
    %b = dot.alloc : !sa
    %bars = dot.alloc_barriers count 2 : !dot.barriers<2>
    %x = tile.block_id x
    // CHECK: scf.for {{.*}} iter_args(%[[SLOT:.*]] = %c0, %[[MOVES:.*]] = %c0)
    scf.for %k = %c0 to %n step %c64 iter_args(%slot = %c0, %moves = %c0) -> (index, index) {
      // CHECK: dot.cluster_barrier
      // CHECK-NEXT: dot.tma_load %{{.*}}[%[[SLOT]], %{{.*}}] {{.*}} {dot.multicast = array<i1: true, false>}
      // CHECK-NEXT: dot.tma_load %{{.*}}[%[[MOVES]], %{{.*}}] into %{{.*}}[%[[SLOT]]] signals %{{[^ ]*}} :
      dot.barrier
      dot.tma_load %m[%slot, %k] into %a[%slot] signals %bars : !map, !sa, !dot.barriers<2>
      dot.tma_load %m[%moves, %k] into %b[%slot] signals %bars : !map, !sa, !dot.barriers<2>
      %other = arith.subi %c1, %slot : index
      %on = arith.addi %moves, %x : index
      scf.yield %other, %on : index, index
    }
    tile.return
  }

  // The number of the cluster, or of several, is that of all its blocks; that of half a cluster is not.
  // REMARK: remark: cluster of 4 x 1 blocks: 1 of 2 buffers are filled by multicast
  // CHECK-LABEL: tile.kernel @grouped
  tile.kernel @grouped(%A: !view, %m: !map {dot.map_of = 0 : i32}) attributes {tile.cluster = array<i32: 4, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %a = dot.alloc : !sa
    %b = dot.alloc : !sa
    %bars = dot.alloc_barriers count 2 : !dot.barriers<2>
    // CHECK: %[[BOTH:.*]] = arith.divsi
    // CHECK: %[[HALF:.*]] = arith.divsi
    // CHECK: dot.tma_load %{{.*}}[%[[BOTH]], %{{.*}}] {{.*}} {dot.multicast = array<i1: true, false>}
    // CHECK-NEXT: dot.tma_load %{{.*}}[%[[HALF]], %{{.*}}] into %{{.*}} signals %{{[^ ]*}} :
    %x = tile.block_id x
    %both = arith.divsi %x, %c8 : index
    %half = arith.divsi %x, %c2 : index
    dot.tma_load %m[%both, %c0] into %a[%c0] signals %bars : !map, !sa, !dot.barriers<2>
    dot.tma_load %m[%half, %c0] into %b[%c0] signals %bars : !map, !sa, !dot.barriers<2>
    tile.return
  }

  // REMARK: remark: cluster of 1 x 2 blocks: no copy is shared: none is made in bulk
  tile.kernel @nothing(%A: !view) attributes {tile.cluster = array<i32: 1, 2>} {
    tile.return
  }
}

// -----

// REMARK: remark: `@ph.cluster` does nothing on sm_89, which has no clusters
module attributes {tile.chip = "sm_89"} {
  // CHECK-LABEL: tile.kernel @older
  // CHECK-NOT: cluster_barrier
  tile.kernel @older() attributes {tile.cluster = array<i32: 2, 1>} {
    tile.return
  }
}
