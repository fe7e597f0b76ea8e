// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(dot-overlap-products))' | FileCheck %s
// The second product needs nothing of the first: it is issued with it, and waited for behind what is computed on the first one's sums.

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!slot = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>

// CHECK-LABEL: tile.kernel @gradients
tile.kernel @gradients(%n: index, %x: f16) attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %b = dot.alloc at 0 : !slot
  %k = tile.splat %x : f16 -> tensor<64x64xf16, #acc>
  %v = tile.splat %x : f16 -> tensor<64x64xf16, #acc>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%dv = %zero, %dk = %zero) -> (tensor<64x64xf32, #acc>, tensor<64x64xf32, #acc>) {
    // CHECK: scf.for
    // CHECK: %[[S:.*]] = dot.wgmma
    // CHECK-NEXT: %[[DP:.*]] = dot.wgmma
    // CHECK-NEXT: %[[SUMS:.*]] = dot.wgmma_wait %[[S]] pending 1 tied
    %s = dot.wgmma %k, %b[%c0], %zero : tensor<64x64xf16, #acc>, !slot, tensor<64x64xf32, #acc>
    %sums = dot.wgmma_wait %s pending 0 tied : tensor<64x64xf32, #acc>
    // CHECK: %[[P:.*]] = math.exp2 %[[SUMS]]
    %p = math.exp2 %sums : tensor<64x64xf32, #acc>
    %h = arith.truncf %p : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
    // CHECK: %[[D:.*]], %[[AFTER:.*]] = dot.wgmma_join %[[DP]] computed %[[P]] read
    // CHECK-NEXT: dot.wgmma %{{.*}}, %{{.*}}, %arg{{[0-9]+}} with_next
    %dv1 = dot.wgmma %h, %b[%c0], %dv with_next : tensor<64x64xf16, #acc>, !slot, tensor<64x64xf32, #acc>
    %d = dot.wgmma %v, %b[%c0], %zero : tensor<64x64xf16, #acc>, !slot, tensor<64x64xf32, #acc>
    %dp = dot.wgmma_wait %d pending 0 tied : tensor<64x64xf32, #acc>
    // CHECK: arith.mulf %[[AFTER]], %[[D]]
    %ds = arith.mulf %p, %dp : tensor<64x64xf32, #acc>
    %g = arith.truncf %ds : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
    %q = dot.wgmma %g, %b[%c0], %dk : tensor<64x64xf16, #acc>, !slot, tensor<64x64xf32, #acc>
    // CHECK: dot.wgmma_wait %{{.*}} pending 0 tied
    %dk1 = dot.wgmma_wait %q pending 0 tied : tensor<64x64xf32, #acc>
    scf.yield %dv1, %dk1 : tensor<64x64xf32, #acc>, tensor<64x64xf32, #acc>
  }
  tile.return
}

// -----

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!slot = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>

// One that multiplies the other's sums waits for them.
// CHECK-LABEL: tile.kernel @chain
// CHECK: pending 0 tied
// CHECK: pending 0 tied
// CHECK-NOT: dot.wgmma_join
tile.kernel @chain(%n: index, %x: f16) attributes {tile.threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %b = dot.alloc at 0 : !slot
  %k = tile.splat %x : f16 -> tensor<64x64xf16, #acc>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %zero) -> (tensor<64x64xf32, #acc>) {
    %s = dot.wgmma %k, %b[%c0], %zero : tensor<64x64xf16, #acc>, !slot, tensor<64x64xf32, #acc>
    %sums = dot.wgmma_wait %s pending 0 tied : tensor<64x64xf32, #acc>
    %h = arith.truncf %sums : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
    %d = dot.wgmma %h, %b[%c0], %zero : tensor<64x64xf16, #acc>, !slot, tensor<64x64xf32, #acc>
    %dp = dot.wgmma_wait %d pending 0 tied : tensor<64x64xf32, #acc>
    %t = arith.addf %sums, %dp : tensor<64x64xf32, #acc>
    scf.yield %t : tensor<64x64xf32, #acc>
  }
  tile.return
}
