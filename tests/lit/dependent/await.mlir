// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(dot-await-previous))' 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// A dependent kernel lets the next one in at once and waits once, in its outermost block, before anything that may touch global memory and after the set-up of shared memory.

module attributes {tile.chip = "sm_90a"} {
  // CHECK-LABEL: tile.kernel @copy
  tile.kernel @copy(%A: !tile.view<?xf32>, %B: !tile.view<?xf32>) attributes {tile.dependent} {
    // CHECK-NEXT: tile.admit_next
    // CHECK: tile.block_id x
    // CHECK-NEXT: %[[I:.*]] = arith.muli
    // CHECK-NEXT: tile.await_previous
    // CHECK-NEXT: tile.load %{{.*}}[%[[I]]]
    // CHECK-NEXT: tile.store
    // CHECK-NEXT: tile.return
    %c4 = arith.constant 4 : index
    %b = tile.block_id x
    %i = arith.muli %b, %c4 : index
    %t = tile.load %A[%i] : !tile.view<?xf32> -> tensor<4xf32>
    tile.store %t, %B[%i] : tensor<4xf32>, !tile.view<?xf32>
    tile.return
  }
}

// -----

// Buffers and barriers are set up before; the producer and the consumers come after.
!stage = !dot.stage<2 x 64x64xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x64xf16, swizzle = 128>
module attributes {tile.chip = "sm_90a"} {
  // CHECK-LABEL: tile.kernel @roles
  tile.kernel @roles(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %m: !map {dot.map_of = 0 : i32})
      attributes {tile.dependent, tile.threads = 128 : i32, dot.specialized} {
    // CHECK: tile.admit_next
    // CHECK: dot.alloc_barriers count 1 : !dot.barriers<2>
    // CHECK-NEXT: dot.barrier
    // CHECK-NEXT: tile.resident_id
    // CHECK-NEXT: tile.await_previous
    // CHECK-NEXT: dot.specialize
    // CHECK-NOT: tile.await_previous
    %c0 = arith.constant 0 : index
    %s = dot.alloc : !stage
    %full = dot.alloc_barriers count 1 : !dot.barriers<2>
    dot.barrier
    %first = tile.resident_id
    dot.specialize producer {
      dot.tma_load %m[%first, %c0] into %s[%c0] signals %full : !map, !stage, !dot.barriers<2>
    } consumer {
      dot.await %full[%c0] parity %c0 : !dot.barriers<2>
    }
    tile.return
  }
}

// -----

module attributes {tile.chip = "sm_90a"} {
  // All threads wait, whether or not they come to the access.
  // CHECK-LABEL: tile.kernel @branch
  tile.kernel @branch(%A: !tile.view<?xf32>, %p: i1, %x: f32) attributes {tile.dependent} {
    // CHECK: tile.splat
    // CHECK-NEXT: tile.await_previous
    // CHECK-NEXT: scf.if
    // CHECK-NOT: tile.await_previous
    %c0 = arith.constant 0 : index
    %t = tile.splat %x : f32 -> tensor<4xf32>
    scf.if %p {
      tile.store %t, %A[%c0] : tensor<4xf32>, !tile.view<?xf32>
    }
    tile.return
  }

  // The kernel after this one waits for this one alone, so that it must not be complete before the one that it was started beside.
  // CHECK-LABEL: tile.kernel @nothing
  tile.kernel @nothing() attributes {tile.dependent} {
    // CHECK-NEXT: tile.admit_next
    // CHECK-NEXT: tile.await_previous
    // CHECK-NEXT: tile.return
    tile.return
  }

  // CHECK-LABEL: tile.kernel @asks_for_nothing
  tile.kernel @asks_for_nothing(%A: !tile.view<?xf32>, %x: tensor<4xf32>) {
    // CHECK-NOT: tile.{{await_previous|admit_next}}
    %c0 = arith.constant 0 : index
    tile.store %x, %A[%c0] : tensor<4xf32>, !tile.view<?xf32>
    tile.return
  }
}

// -----

// REMARK: remark: `@ph.dependent` does nothing on sm_89: there a kernel starts when the one before it is complete
module attributes {tile.chip = "sm_89"} {
  // CHECK-LABEL: tile.kernel @older
  // CHECK-NOT: tile.dependent
  tile.kernel @older(%A: !tile.view<?xf32>, %x: tensor<4xf32>) attributes {tile.dependent} {
    // CHECK-NOT: tile.{{await_previous|admit_next}}
    %c0 = arith.constant 0 : index
    tile.store %x, %A[%c0] : tensor<4xf32>, !tile.view<?xf32>
    tile.return
  }
}
