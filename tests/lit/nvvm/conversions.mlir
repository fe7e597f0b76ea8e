// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// If this fails, floats narrow one at a time, or a float that does not fit an integer wraps instead of saturating.

#a = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>
!f32 = !tile.view<64xf32, strides = [1], align = 16>
!bf16 = !tile.view<64xbf16, strides = [1], align = 16>
!i8 = !tile.view<64xi8, strides = [1], align = 16>
module attributes {tile.chip = "sm_80"} {
  // CHECK-LABEL: llvm.func @narrow
  // One instruction narrows two.
  // CHECK: llvm.fptrunc %{{.*}} : vector<2xf32> to vector<2xbf16>
  // CHECK-NOT: llvm.fptrunc
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.fptosi.sat"(%{{.*}}) : (f32) -> i8
  tile.kernel @narrow(%A: !f32, %B: !bf16, %I: !i8) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0] whole [true] : !f32 -> tensor<64xf32, #a>
    %y = arith.truncf %x : tensor<64xf32, #a> to tensor<64xbf16, #a>
    tile.store %y, %B[%c0] whole [true] : tensor<64xbf16, #a>, !bf16
    %i = arith.fptosi %x : tensor<64xf32, #a> to tensor<64xi8, #a>
    tile.store %i, %I[%c0] whole [true] : tensor<64xi8, #a>, !i8
    tile.return
  }
}
