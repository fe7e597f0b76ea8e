// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// If this fails, libdevice's functions are called by other names than those of their types, or not for each element.

#a = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>
!view = !tile.view<64xf32, strides = [1], align = 16>
module attributes {tile.chip = "sm_80"} {
  // CHECK-LABEL: llvm.func @floats
  // CHECK-COUNT-2: llvm.call @__nv_asinf(%{{.*}}) : (f32) -> f32
  // CHECK-NOT: __nv_asin
  // CHECK-COUNT-2: llvm.call @__nv_ldexpf(%{{.*}}, %{{.*}}) : (f32, i32) -> f32
  // CHECK: llvm.call @__nv_jn(%{{.*}}, %{{.*}}) : (i32, f64) -> f64
  tile.kernel @floats(%A: !view, %n: i32, %d: f64) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0] whole [true] : !view -> tensor<64xf32, #a>
    %y = tile.libdevice "asin" %x : (tensor<64xf32, #a>) -> tensor<64xf32, #a>
    %m = tile.splat %n : i32 -> tensor<64xi32, #a>
    %z = tile.libdevice "ldexp" %y, %m : (tensor<64xf32, #a>, tensor<64xi32, #a>) -> tensor<64xf32, #a>
    tile.store %z, %A[%c0] whole [true] : tensor<64xf32, #a>, !view
    %e = tile.libdevice "jn" %n, %d : (i32, f64) -> f64
    tile.print "e" at %c0, %c0, %c0 with %e : f64
    tile.return
  }
}
