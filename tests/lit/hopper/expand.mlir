// RUN: phobos-opt %s -allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(dot-expand-pipeline,canonicalize,cse))' | FileCheck %s
// Each turn waits for its slot's phase, starts its products, waits for those of the turn before, meets, and only then refills the slot of
// the turn before. One step out of this order is a race that no GPU reports.

!sa = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x64xf16, swizzle = 128>
#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
// CHECK-LABEL: tile.kernel @four
tile.kernel @four(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %n: index, %m: !map {dot.map_of = 0 : i32})
    attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %ones = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  // CHECK: %[[S:.*]] = dot.alloc {dot.pipelined} : !dot.stage<4 x
  // CHECK: %[[BARS:.*]] = dot.alloc_barriers count 1 : !dot.barriers<4>
  %s = dot.alloc : !sa
  %bars = dot.alloc_barriers count 1 : !dot.barriers<1>
  // CHECK: dot.tma_load {{.*}} into %[[S]][%c0] signals %[[BARS]] if
  // CHECK: dot.tma_load {{.*}} into %[[S]][%c1] signals %[[BARS]] if
  // CHECK: dot.tma_load {{.*}} into %[[S]][%c2] signals %[[BARS]] if
  // CHECK-NOT: dot.tma_load
  // CHECK: scf.for {{.*}} iter_args(%[[SUM:arg[0-9]+]] = %{{.*}}, %[[READ:arg[0-9]+]] = %c0, %[[WRITE:arg[0-9]+]] = %c3, %[[PARITY:arg[0-9]+]] = %c0)
  // CHECK: dot.await %[[BARS]][%[[READ]]] parity %[[PARITY]]
  // CHECK-NEXT: %[[D:[0-9]+]] = dot.wgmma %[[S]][%[[READ]]], %[[S]][%[[READ]]], %[[SUM]]
  // CHECK-NEXT: dot.wgmma_wait %[[D]] pending 1
  // CHECK-NEXT: dot.barrier
  // CHECK: dot.tma_load {{.*}} into %[[S]][%[[WRITE]]] signals %[[BARS]] if
  // CHECK-NEXT: scf.yield
  // CHECK: dot.wgmma_wait %{{.*}} pending 0
  %acc = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %ones) -> (tensor<64x64xf32, #acc>) {
    dot.tma_load %m[%c0, %k] into %s[%c0] signals %bars {dot.latency = 3 : i32} : !map, !sa, !dot.barriers<1>
    dot.await %bars[%c0] parity %c0 : !dot.barriers<1>
    %d = dot.wgmma %s[%c0], %s[%c0], %sum : !sa, !sa, tensor<64x64xf32, #acc>
    %r = dot.wgmma_wait %d pending 0 : tensor<64x64xf32, #acc>
    scf.yield %r : tensor<64x64xf32, #acc>
  }
  "test.use"(%acc) : (tensor<64x64xf32, #acc>) -> ()
  tile.return
}
