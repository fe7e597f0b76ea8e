// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(dot-advance-blocks))' | FileCheck %s
// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(dot-advance-blocks),tile-to-llvm)' | FileCheck %s --check-prefix=NVVM
// What a block's products take from registers is loaded for the next block as soon as this one's have read it; the block is asked for there, in both branches.

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!slot = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
!view = !tile.view<640x64xf16, strides = [64*?, 1]>

// CHECK-LABEL: tile.kernel @drawn
// NVVM-LABEL: llvm.func @drawn
tile.kernel @drawn(%Q: !view, %blocks: index, %turns: index) attributes {tile.threads = 128 : i32, tile.persistent, tile.queue, dot.specialized, tile.shared_bytes = 8320 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %b = dot.alloc at 0 : !slot
  dot.barrier
  %first = tile.resident_id
  %next = tile.queue {shared.offset = 8192 : i64}
  %some = arith.cmpi slt, %c0, %turns : index
  dot.specialize producer {
    scf.for %block = %first to %blocks step %next {
    }
  } consumer {
    // CHECK: } consumer {
    // CHECK: %[[ROW0:.*]] = arith.muli %{{.*}}, %c64
    // CHECK: %[[INIT:.*]] = tile.load %{{.*}}[%[[ROW0]], %c0]
    // CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %[[INIT]])
    scf.for %block = %first to %blocks step %next {
      %row = arith.muli %block, %c64 : index
      %t = tile.load %Q[%row, %c0] : !view -> tensor<64x64xf16, #acc>
      // CHECK: %[[R:.*]]:3 = scf.if
      %r = scf.if %some -> (tensor<64x64xf32, #acc>) {
        // CHECK: scf.for
        %s = scf.for %i = %c0 to %turns step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32, #acc>) {
          // CHECK: dot.wgmma %[[T]],
          %p = dot.wgmma %t, %b[%c0], %a : tensor<64x64xf16, #acc>, !slot, tensor<64x64xf32, #acc>
          %w = dot.wgmma_wait %p pending 0 tied : tensor<64x64xf32, #acc>
          scf.yield %w : tensor<64x64xf32, #acc>
        }
        // CHECK: %[[N:.*]] = tile.next_block
        // CHECK: %[[ROW:.*]] = arith.muli %[[N]], %c64
        // CHECK: %[[NT:.*]] = tile.load %{{.*}}[%[[ROW]], %c0]
        // CHECK: scf.yield %{{.*}}, %[[NT]], %[[N]]
        // NVVM: nvvm.mbarrier.try_wait.parity
        // NVVM: nvvm.shfl.sync idx
        scf.yield %s : tensor<64x64xf32, #acc>
      } else {
        // CHECK: tile.next_block without_work
        // CHECK: scf.yield
        scf.yield %zero : tensor<64x64xf32, #acc>
      }
      // CHECK: tile.go_on %[[R]]#2
      // CHECK: scf.yield %[[R]]#1
    }
  }
  tile.return
}

// -----

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!slot = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
!view = !tile.view<640x64xf16, strides = [64*?, 1]>

// What the kernel stores itself may be what the next block loads.
// CHECK-LABEL: tile.kernel @stored
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.load
// CHECK-NOT: tile.load
tile.kernel @stored(%Q: !view, %blocks: index, %turns: index) attributes {tile.threads = 128 : i32, tile.persistent, dot.specialized, tile.shared_bytes = 8320 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %b = dot.alloc at 0 : !slot
  %first = tile.resident_id
  %step = tile.resident_count
  dot.specialize producer {
    scf.for %block = %first to %blocks step %step {
    }
  } consumer {
    scf.for %block = %first to %blocks step %step {
      %row = arith.muli %block, %c64 : index
      %t = tile.load %Q[%row, %c0] : !view -> tensor<64x64xf16, #acc>
      %s = scf.for %i = %c0 to %turns step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32, #acc>) {
        %p = dot.wgmma %t, %b[%c0], %a : tensor<64x64xf16, #acc>, !slot, tensor<64x64xf32, #acc>
        %w = dot.wgmma_wait %p pending 0 tied : tensor<64x64xf32, #acc>
        scf.yield %w : tensor<64x64xf32, #acc>
      }
      %h = arith.truncf %s : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      tile.store %h, %Q[%row, %c0] : tensor<64x64xf16, #acc>, !view
    }
  }
  tile.return
}
