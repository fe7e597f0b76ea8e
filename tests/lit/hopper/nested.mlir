// RUN: phobos-opt %s -allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(dot-expand-pipeline,canonicalize,cse))' | FileCheck %s
// The barriers outlive the loop. Where it runs again, its slot and the parity of its phase go on where the run before ended: begun anew, a
// wait would be for a phase that is long complete, and read what is not there.

!sa = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x64xf16, swizzle = 128>
#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
// CHECK-LABEL: tile.kernel @again
tile.kernel @again(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %n: index, %m: !map {dot.map_of = 0 : i32})
    attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %ones = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  %s = dot.alloc : !sa
  %bars = dot.alloc_barriers count 1 : !dot.barriers<1>
  // CHECK: scf.for %[[J:.*]] = {{.*}} iter_args(%[[SLOT:.*]] = %c0, %[[PHASE:.*]] = %c0)
  scf.for %j = %c0 to %n step %c64 {
    // The first copies go into the slot that is read next, and the one after it.
    // CHECK: dot.tma_load {{.*}}[%[[SLOT]]] signals
    // CHECK: dot.tma_load {{.*}}[%[[NEXT:.*]]] signals
    // CHECK: %[[LOOP:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[SLOT]], %{{.*}} = %{{.*}}, %{{.*}} = %[[PHASE]])
    %acc = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %ones) -> (tensor<64x64xf32, #acc>) {
      dot.tma_load %m[%j, %k] into %s[%c0] signals %bars {dot.latency = 2 : i32} : !map, !sa, !dot.barriers<1>
      dot.await %bars[%c0] parity %c0 : !dot.barriers<1>
      %d = dot.wgmma %s[%c0], %s[%c0], %sum : !sa, !sa, tensor<64x64xf32, #acc>
      %r = dot.wgmma_wait %d pending 0 : tensor<64x64xf32, #acc>
      scf.yield %r : tensor<64x64xf32, #acc>
    }
    "test.use"(%acc) : (tensor<64x64xf32, #acc>) -> ()
    // CHECK: scf.yield %[[LOOP]]#1, %[[LOOP]]#3 : index, index
  }
  tile.return
}
