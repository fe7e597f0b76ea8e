// RUN: phobos-opt %s -allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(dot-expand-pipeline,canonicalize,cse))' | FileCheck %s
// Of a persistent kernel the copies get a thread of their own: it walks the same loops, computes the offsets for itself and waits for the slot to be
// empty, on the opposite parity; the others wait for it to be full, and each of their warps says when the products that read it are done.

!sa = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x64xf16, swizzle = 128>
#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
// CHECK-LABEL: tile.kernel @walk
// CHECK-SAME: dot.specialized
tile.kernel @walk(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %n: index, %m: !map {dot.map_of = 0 : i32})
    attributes {tile.threads = 128 : i32, tile.persistent} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %ones = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  %s = dot.alloc : !sa
  // CHECK: %[[FULL:.*]] = dot.alloc_barriers count 1 : !dot.barriers<3>
  // CHECK: %[[EMPTY:.*]] = dot.alloc_barriers count 4 : !dot.barriers<3>
  // CHECK: dot.barrier
  %bars = dot.alloc_barriers count 1 : !dot.barriers<1>
  dot.barrier
  %first = tile.resident_id
  %step = tile.resident_count
  // CHECK: dot.specialize producer {
  // CHECK: scf.for %[[J:.*]] = {{.*}} iter_args(%[[S0:.*]] = %c0, %[[P0:.*]] = %c0)
  // CHECK: %[[ROW:.*]] = arith.muli %[[J]], %c64
  // CHECK: scf.for %[[K:.*]] = {{.*}} iter_args(%[[S:.*]] = %[[S0]], %[[P:.*]] = %[[P0]])
  // CHECK: %[[OTHER:.*]] = arith.subi %c1, %[[P]]
  // CHECK: dot.await %[[EMPTY]][%[[S]]] parity %[[OTHER]]
  // CHECK: dot.tma_load %{{.*}}[%[[ROW]], %[[K]]] into %{{.*}}[%[[S]]] signals %[[FULL]]
  // CHECK-NOT: test.use
  // CHECK: } consumer {
  // CHECK-NOT: dot.tma_load
  // CHECK: scf.for %{{.*}} iter_args(%[[S0:.*]] = %c0, %[[P0:.*]] = %c0)
  // CHECK: %[[L:.*]]:3 = scf.for {{.*}} iter_args({{.*}}, %[[S:.*]] = %[[S0]], %[[P:.*]] = %[[P0]])
  // CHECK: dot.await %[[FULL]][%[[S]]] parity %[[P]]
  // CHECK: dot.wgmma
  // CHECK: dot.wgmma_wait {{.*}} pending 1
  // CHECK: dot.release %[[EMPTY]]
  // CHECK: dot.wgmma_wait %[[L]]#0 pending 0
  // CHECK: dot.release %[[EMPTY]]
  // CHECK: test.use
  // CHECK: scf.yield %[[L]]#1, %[[L]]#2
  scf.for %j = %first to %n step %step {
    %row = arith.muli %j, %c64 : index
    %acc = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %ones) -> (tensor<64x64xf32, #acc>) {
      dot.tma_load %m[%row, %k] into %s[%c0] signals %bars {dot.latency = 2 : i32} : !map, !sa, !dot.barriers<1>
      dot.await %bars[%c0] parity %c0 : !dot.barriers<1>
      %d = dot.wgmma %s[%c0], %s[%c0], %sum : !sa, !sa, tensor<64x64xf32, #acc>
      %r = dot.wgmma_wait %d pending 0 : tensor<64x64xf32, #acc>
      scf.yield %r : tensor<64x64xf32, #acc>
    }
    "test.use"(%acc) : (tensor<64x64xf32, #acc>) -> ()
  }
  tile.return
}
