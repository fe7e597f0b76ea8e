// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// If this fails, 16-bit elements are computed one by one although they travel in pairs.

#a = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
!view = !tile.view<128xf16, strides = [1], align = 16>
module attributes {tile.chip = "sm_80"} {
  // CHECK-LABEL: llvm.func @pairs
  // CHECK-COUNT-2: llvm.fmul %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<contract>} : vector<2xf16>
  // CHECK-COUNT-2: llvm.intr.maximum({{.*}}) {fastmathFlags = #llvm.fastmath<nsz>} : (vector<2xf16>, vector<2xf16>) -> vector<2xf16>
  // A condition is one bit an element: compared and selected one by one.
  // CHECK-COUNT-4: llvm.fcmp "olt" %{{.*}}, %{{.*}} : f16
  // CHECK-COUNT-4: llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, f16
  // CHECK-NOT: llvm.fmul
  tile.kernel @pairs(%A: !view) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %two = arith.constant dense<2.0> : tensor<128xf16, #a>
    %x = tile.load %A[%c0] whole [true] : !view -> tensor<128xf16, #a>
    %y = arith.mulf %x, %two : tensor<128xf16, #a>
    %z = arith.maximumf %x, %y : tensor<128xf16, #a>
    %p = arith.cmpf olt, %x, %z : tensor<128xf16, #a>
    %r = arith.select %p, %x, %z : tensor<128xi1, #a>, tensor<128xf16, #a>
    tile.store %r, %A[%c0] whole [true] : tensor<128xf16, #a>, !view
    tile.return
  }
}
