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
