// RUN: phobos-opt %s -split-input-file --tile-to-llvm | FileCheck %s
// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(dot-allocate-shared))' | FileCheck %s --check-prefix=SHARED
// A turn draws its successor as it begins and hands it round as it ends, in two words by turns; who draws the last puts the counter back.

#one = #tile.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]]>
// SHARED-LABEL: tile.kernel @meets
// SHARED-SAME: tile.shared_bytes = 128
// SHARED: tile.queue {shared.offset = 0 : i64}
// CHECK-LABEL: llvm.func @meets
// CHECK-SAME: %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %[[COUNTER:.*]]: !llvm.ptr<1>)
tile.kernel @meets(%A: !tile.view<640xf32, strides = [1]>, %x: f32, %blocks: index) attributes {tile.threads = 128 : i32, tile.persistent, tile.queue} {
  // CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[FIRST:.*]] = nvvm.read.ptx.sreg.ctaid.x
  %first = tile.resident_id
  %next = tile.queue {shared.offset = 0 : i64}
  // CHECK: llvm.cond_br %{{.*}}, ^[[BODY:bb[0-9]+]](%[[FIRST]], %{{.*}} : i32, i32), ^[[EXIT:bb[0-9]+]]
  // CHECK: ^[[BODY]](%[[BLOCK:.*]]: i32, %[[TURN:.*]]: i32):
  // CHECK: llvm.icmp "eq" %[[TID]]
  // CHECK: %[[DRAWN:.*]] = llvm.atomicrmw add %[[COUNTER]], %{{.*}} syncscope("device") monotonic
  // CHECK: ^{{bb[0-9]+}}(%[[TICKET:.*]]: i32):
  // CHECK: llvm.sext %[[BLOCK]] : i32 to i64
  scf.for %block = %first to %blocks step %next {
    %t = tile.splat %x : f32 -> tensor<1xf32, #one>
    tile.store %t, %A[%block] : tensor<1xf32, #one>, !tile.view<640xf32, strides = [1]>
    // CHECK: %[[WHICH:.*]] = llvm.and %[[TURN]]
    // CHECK: llvm.icmp "eq" %[[TID]]
    // CHECK: llvm.store %[[TICKET]], %[[WORD:[^ ]*]]
    // CHECK: llvm.icmp "eq" %[[TICKET]]
    // CHECK: llvm.atomicrmw xchg %[[COUNTER]], %{{.*}} syncscope("device") monotonic
    // CHECK: nvvm.barrier0
    // CHECK: %[[TAKEN:.*]] = llvm.load %[[WORD]]
    // CHECK: %[[SAME:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[TAKEN]]
    // CHECK: %[[CTAS:.*]] = nvvm.read.ptx.sreg.nctaid.x
    // CHECK: %[[NEXT:.*]] = llvm.add %[[SAME]], %[[CTAS]]
    // CHECK: %[[LATER:.*]] = llvm.add %[[TURN]]
    // CHECK: llvm.cond_br %{{.*}}, ^[[BODY]](%[[NEXT]], %[[LATER]] : i32, i32), ^[[EXIT]]
  }
  tile.return
}

// -----

#one = #tile.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]]>
// With roles the producer draws; each warp of the consumers says that it has the number.
// CHECK-LABEL: llvm.func @roles
// CHECK-SAME: %[[COUNTER:[a-z0-9]*]]: !llvm.ptr<1>)
tile.kernel @roles(%A: !tile.view<640xf32, strides = [1]>, %x: f32, %blocks: index) attributes {tile.threads = 128 : i32, tile.persistent, tile.queue, dot.specialized} {
  // Two words, each with a barrier of one arrival and one of as many as there are warps.
  // CHECK-COUNT-4: nvvm.mbarrier.init
  // CHECK-NOT: nvvm.mbarrier.init
  // CHECK: nvvm.barrier0
  dot.barrier
  %first = tile.resident_id
  %next = tile.queue {shared.offset = 0 : i64}
  dot.specialize producer {
    // CHECK: %[[TICKET:.*]] = llvm.atomicrmw add %[[COUNTER]]
    // CHECK: llvm.store %arg1
    // CHECK: nvvm.mbarrier.try_wait.parity
    // CHECK: llvm.store %[[TICKET]]
    // CHECK: llvm.atomicrmw xchg %[[COUNTER]]
    // CHECK: nvvm.mbarrier.arrive
    scf.for %block = %first to %blocks step %next {
      %t = tile.splat %x : f32 -> tensor<1xf32, #one>
      tile.store %t, %A[%block] : tensor<1xf32, #one>, !tile.view<640xf32, strides = [1]>
    }
  } consumer {
    // CHECK: llvm.store %arg1
    // CHECK: nvvm.mbarrier.try_wait.parity
    // CHECK: llvm.load
    // CHECK: nvvm.mbarrier.arrive
    // CHECK: nvvm.shfl.sync
    // CHECK-NOT: llvm.atomicrmw
    scf.for %block = %first to %blocks step %next {
      %t = tile.splat %x : f32 -> tensor<1xf32, #one>
      tile.store %t, %A[%block] : tensor<1xf32, #one>, !tile.view<640xf32, strides = [1]>
    }
  }
  tile.return
}
