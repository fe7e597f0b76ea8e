// RUN: phobos-opt %s -allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(dot-expand-pipeline,canonicalize,cse))' | FileCheck %s
// Sums that begin as zeros are not made: the first turn stands in front of the loop, where its product takes the constant, and nothing of it
// has to be waited for. Without a turn they are the zeros.

!sa = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x64xf16, swizzle = 128>
#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
// CHECK-LABEL: tile.kernel @zeros
tile.kernel @zeros(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %n: index, %m: !map {dot.map_of = 0 : i32})
    attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %s = dot.alloc : !sa
  %bars = dot.alloc_barriers count 1 : !dot.barriers<1>
  // CHECK: %[[R:.*]] = scf.if
  // CHECK: dot.await
  // CHECK-NEXT: %[[D:.*]] = dot.wgmma {{.*}}, %[[ZERO]] :
  // CHECK-NOT: dot.wgmma_wait
  // CHECK-NOT: dot.barrier
  // CHECK: dot.tma_load
  // CHECK: %[[L:.*]]:4 = scf.for %{{.*}} = %c64 to {{.*}} iter_args(%{{.*}} = %[[D]],
  // CHECK: dot.wgmma_wait {{.*}} pending 1
  // CHECK: dot.barrier
  // CHECK: %[[ALL:.*]] = dot.wgmma_wait %[[L]]#0 pending 0
  // CHECK: scf.yield %[[ALL]]
  // CHECK: } else {
  // CHECK: scf.yield %[[ZERO]]
  // CHECK: "test.use"(%[[R]])
  %acc = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32, #acc>) {
    dot.tma_load %m[%c0, %k] into %s[%c0] signals %bars {dot.latency = 2 : i32} : !map, !sa, !dot.barriers<1>
    dot.await %bars[%c0] parity %c0 : !dot.barriers<1>
    %d = dot.wgmma %s[%c0], %s[%c0], %sum : !sa, !sa, tensor<64x64xf32, #acc>
    %r = dot.wgmma_wait %d pending 0 : tensor<64x64xf32, #acc>
    scf.yield %r : tensor<64x64xf32, #acc>
  }
  "test.use"(%acc) : (tensor<64x64xf32, #acc>) -> ()
  tile.return
}
