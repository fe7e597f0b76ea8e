// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// If this fails, a staged buffer, a copy into it or a read of it does not survive its own text form.

// CHECK-LABEL: tile.kernel @stage
tile.kernel @stage(%A: !tile.view<?x?xf16>, %B: !tile.view<?x?x?xf16>, %i: index, %slot: index, %valid: i1, %t: tensor<64x32xf16>) {
  // CHECK: %[[S:.*]] = dot.alloc : !dot.stage<2 x 64x32xf16, order = [1, 0], swizzle>
  %s = dot.alloc : !dot.stage<2 x 64x32xf16, order = [1, 0], swizzle>
  // CHECK: dot.alloc at 8192 : !dot.stage<1 x 16x128xf32, order = [1, 0], pad = 16>
  %p = dot.alloc at 8192 : !dot.stage<1 x 16x128xf32, order = [1, 0], pad = 16>
  // CHECK: dot.copy_async %{{.*}}[%{{.*}}, %{{.*}}] into %[[S]][%{{.*}}] bytes 16 : !tile.view<?x?xf16>, !dot.stage<2 x 64x32xf16, order = [1, 0], swizzle>
  dot.copy_async %A[%i, %i] into %s[%slot] bytes 16 : !tile.view<?x?xf16>, !dot.stage<2 x 64x32xf16, order = [1, 0], swizzle>
  // CHECK: dot.copy_async %{{.*}} into %[[S]][%{{.*}}] bytes 4 if %{{.*}} whole [true, false]
  dot.copy_async %A[%i, %i] into %s[%slot] bytes 4 if %valid whole [true, false] : !tile.view<?x?xf16>, !dot.stage<2 x 64x32xf16, order = [1, 0], swizzle>
  // CHECK: dot.copy_async %{{.*}} into %[[S]][%{{.*}}] bytes 16 whole [true, true] extents [64, 16] :
  dot.copy_async %A[%i, %i] into %s[%slot] bytes 16 whole [true, true] extents [64, 16] : !tile.view<?x?xf16>, !dot.stage<2 x 64x32xf16, order = [1, 0], swizzle>
  // CHECK: dot.copy_async %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] dims [0, 2] into %[[S]][%{{.*}}] bytes 16 :
  dot.copy_async %B[%i, %i, %i] dims [0, 2] into %s[%slot] bytes 16 : !tile.view<?x?x?xf16>, !dot.stage<2 x 64x32xf16, order = [1, 0], swizzle>
  // CHECK: dot.commit
  dot.commit
  // CHECK: dot.wait pending 1
  dot.wait pending 1
  // CHECK: dot.barrier
  dot.barrier
  // CHECK: dot.put %{{.*}}, %[[S]][%{{.*}}] : tensor<64x32xf16>, !dot.stage<2 x 64x32xf16, order = [1, 0], swizzle>
  dot.put %t, %s[%slot] : tensor<64x32xf16>, !dot.stage<2 x 64x32xf16, order = [1, 0], swizzle>
  // CHECK: dot.fragment %[[S]][%{{.*}}] origin [0, 16] : !dot.stage<2 x 64x32xf16, order = [1, 0], swizzle> -> tensor<64x16xf16>
  %f = dot.fragment %s[%slot] origin [0, 16] : !dot.stage<2 x 64x32xf16, order = [1, 0], swizzle> -> tensor<64x16xf16>
  // CHECK: dot.fragment %[[S]][%{{.*}}] origin [0, 16] transposed : {{.*}} -> tensor<16x64xf16>
  %g = dot.fragment %s[%slot] origin [0, 16] transposed : !dot.stage<2 x 64x32xf16, order = [1, 0], swizzle> -> tensor<16x64xf16>
  tile.return
}
