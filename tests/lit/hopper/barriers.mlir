// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(dot-insert-barriers))' | FileCheck %s
// Warpgroup products read their slots until they are waited for: a barrier before the wait says nothing of what other warps' products
// still read.

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#rows = #tile.layout<register = [[16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]], warp = [[2, 0], [4, 0]]>
!sa = !dot.stage<1 x 64x16xf16, order = [1, 0], panels = 32>
!sb = !dot.stage<1 x 16x16xf16, order = [1, 0], panels = 32>
!s = !dot.stage<1 x 64x16xf16, order = [1, 0]>
// CHECK-LABEL: tile.kernel @after
tile.kernel @after(%sum: tensor<64x16xf32, #acc>, %x: tensor<64x16xf16, #rows>) attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %a = dot.alloc at 0 : !sa
  %b = dot.alloc at 2048 : !sb
  %other = dot.alloc at 0 : !s
  // CHECK: dot.wgmma %
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.wgmma_wait {{.*}} pending 0
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.put
  %d = dot.wgmma %a[%c0], %b[%c0], %sum : !sa, !sb, tensor<64x16xf32, #acc>
  dot.barrier
  %r = dot.wgmma_wait %d pending 0 : tensor<64x16xf32, #acc>
  dot.put %x, %other[%c0] : tensor<64x16xf16, #rows>, !s
  tile.return
}

!view = !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
!sc = !dot.stage<2 x 16x16xf16, order = [1, 0]>
// The consumers' own loop is not ordered by the roles' barriers: what it leaves in flight is waited for before its slots are filled again.
// CHECK-LABEL: tile.kernel @consumers
tile.kernel @consumers(%A: !view, %n: index, %no: i1) attributes {tile.threads = 128 : i32, dot.specialized} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = dot.alloc at 0 {dot.pipelined} : !sc
  dot.specialize producer {
  } consumer {
    scf.for %i = %c0 to %n step %c1 {
      // CHECK: scf.for
      // CHECK: dot.wait pending 0
      // CHECK-NEXT: dot.barrier
      // CHECK-NEXT: dot.copy_async
      dot.copy_async %A[%c0, %i] into %c[%c0] bytes 16 : !view, !sc
      dot.commit
      dot.wait pending 0
      dot.barrier
      scf.for %k = %c0 to %n step %c1 {
        // CHECK: scf.for
        // CHECK-NEXT: dot.copy_async
        dot.copy_async %A[%c0, %k] into %c[%c1] bytes 16 if %no : !view, !sc
        dot.commit
        // CHECK: dot.fragment
        %f = dot.fragment %c[%c0] origin [0, 0] : !sc -> tensor<16x16xf16, #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]]>>
        // CHECK-NEXT: dot.wait pending 1
        // CHECK-NEXT: dot.barrier
        dot.wait pending 1
        dot.barrier
      } {dot.pipelined = 2 : i32}
    }
  } {dot.pipelined}
  tile.return
}
