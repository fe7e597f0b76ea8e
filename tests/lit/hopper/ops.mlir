// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// The Hopper ops survive their own text.

!sa = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x64xf16, swizzle = 128>
#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
// CHECK-LABEL: tile.kernel @ops
tile.kernel @ops(%i: index, %p: i1, %acc: tensor<64x64xf32, #acc>, %m: !map) attributes {tile.threads = 128 : i32} {
  // CHECK: dot.alloc : !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
  %s = dot.alloc : !sa
  // CHECK: dot.alloc_barriers at 128 count 2 : !dot.barriers<1>
  %b = dot.alloc_barriers at 128 count 2 : !dot.barriers<1>
  // CHECK: dot.tma_load %{{.*}}[%{{.*}}, %{{.*}}] into %{{.*}}[%{{.*}}] signals %{{.*}} if %{{.*}} : !dot.tensor_map<64x64xf16, swizzle = 128>
  dot.tma_load %m[%i, %i] into %s[%i] signals %b if %p : !map, !sa, !dot.barriers<1>
  // CHECK: dot.await %{{.*}}[%{{.*}}] parity %{{.*}} : !dot.barriers<1>
  dot.await %b[%i] parity %i : !dot.barriers<1>
  // CHECK: dot.wgmma %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}} trans_a trans_b
  %d = dot.wgmma %s[%i], %s[%i], %acc trans_a trans_b : !sa, !sa, tensor<64x64xf32, #acc>
  // CHECK: dot.wgmma_wait %{{.*}} pending 1
  %r = dot.wgmma_wait %d pending 1 : tensor<64x64xf32, #acc>
  %h = arith.truncf %r : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
  // CHECK: %[[SUM:.*]], %[[AFTER:.*]] = dot.wgmma_join %{{.*}} times %{{.*}} : tensor<64x64xf32, #{{.*}}> computed %{{.*}} read %{{.*}} : tensor<64x64xf16, #{{.*}}> : tensor<64x64xf32, #{{.*}}>, tensor<64x64xf32, #{{.*}}>
  %sum, %after = dot.wgmma_join %d times %acc : tensor<64x64xf32, #acc> computed %r read %h : tensor<64x64xf16, #acc> : tensor<64x64xf32, #acc>, tensor<64x64xf32, #acc>
  // CHECK: dot.wgmma_join %[[SUM]] computed %[[AFTER]] :
  %sum2, %after2 = dot.wgmma_join %sum computed %after : tensor<64x64xf32, #acc>, tensor<64x64xf32, #acc>
  // CHECK: dot.store_async %{{.*}}, %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<64x64xf16, #{{.*}}>, !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>, !dot.tensor_map<64x64xf16, swizzle = 128>
  dot.store_async %h, %s, %m[%i, %i] : tensor<64x64xf16, #acc>, !sa, !map
  // CHECK: dot.store_wait %{{.*}} : !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
  dot.store_wait %s : !sa
  // CHECK: dot.specialize producer {
  // CHECK-NEXT: dot.await
  // CHECK-NEXT: } consumer {
  // CHECK-NEXT: dot.release %{{.*}}[%{{.*}}] if %{{.*}} : !dot.barriers<1>
  // CHECK-NEXT: }
  dot.specialize producer {
    dot.await %b[%i] parity %i : !dot.barriers<1>
    dot.end
  } consumer {
    dot.release %b[%i] if %p : !dot.barriers<1>
  }
  tile.return
}
