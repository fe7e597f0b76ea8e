// RUN: phobos-opt %s -allow-unregistered-dialect -split-input-file --tile-to-llvm | FileCheck %s
// One thread behind the kernel's own is the producer; a barrier of the consumers is one of their number; with four warpgroups of them
// registers change hands.

// CHECK-LABEL: llvm.func @one
// CHECK-SAME: nvvm.maxntid = array<i32: 256, 1, 1>
// CHECK: %[[T:.*]] = nvvm.read.ptx.sreg.tid.x
tile.kernel @one(%i: index, %p: i1) attributes {tile.threads = 128 : i32, dot.specialized, tile.shared_bytes = 128 : i64} {
  %b = dot.alloc_barriers at 0 count 4 : !dot.barriers<2>
  // CHECK: nvvm.barrier0
  dot.barrier
  dot.specialize producer {
    // CHECK: llvm.icmp "uge" %[[T]]
    // CHECK-NOT: setmaxregister
    // CHECK: llvm.icmp "eq" %[[T]]
    // CHECK: nvvm.mbarrier.try_wait.parity
    dot.await %b[%i] parity %i : !dot.barriers<2>
  } consumer {
    // CHECK: llvm.icmp "ult" %[[T]]
    // CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
    dot.barrier
    // One lane of each warp, where it holds.
    // CHECK: llvm.and
    // CHECK: nvvm.mbarrier.arrive
    dot.release %b[%i] if %p : !dot.barriers<2>
  }
  tile.return
}

// -----

// CHECK-LABEL: llvm.func @four
// CHECK-SAME: nvvm.maxntid = array<i32: 640, 1, 1>, nvvm.minctasm = 1
tile.kernel @four(%i: index) attributes {tile.threads = 512 : i32, dot.specialized, tile.shared_bytes = 128 : i64} {
  %b = dot.alloc_barriers at 0 count 4 : !dot.barriers<2>
  dot.specialize producer {
    // CHECK: nvvm.setmaxregister decrease 24
    dot.await %b[%i] parity %i : !dot.barriers<2>
  } consumer {
    // CHECK: nvvm.setmaxregister increase 112
    dot.await %b[%i] parity %i : !dot.barriers<2>
  }
  tile.return
}
