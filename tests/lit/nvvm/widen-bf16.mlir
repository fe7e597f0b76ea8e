// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// RUN: phobos-opt %s --tile-to-llvm | phobos-opt --ptx=sm_90a - | FileCheck %s --check-prefix=PTX
// In a kernel that narrows to f16 a bf16 is widened by its bits: of an extension before a product LLVM makes a product in f16, where what bf16
// holds overflows.

#row = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
// CHECK-LABEL: llvm.func @product
// PTX-LABEL: .entry product
tile.kernel @product(%A: !tile.view<32xbf16, strides = [1], align = 16>, %B: !tile.view<32xf16, strides = [1], align = 16>) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %half = arith.constant dense<0.5> : tensor<32xf32, #row>
  %a = tile.load %A[%c0] whole [true] : !tile.view<32xbf16, strides = [1], align = 16> -> tensor<32xbf16, #row>
  // CHECK-NOT: llvm.fpext
  // CHECK: llvm.zext %{{.*}} : i16 to i32
  // CHECK: llvm.shl
  %w = arith.extf %a : tensor<32xbf16, #row> to tensor<32xf32, #row>
  // CHECK: llvm.fmul {{.*}} : f32
  // PTX: mul{{.*}}.f32
  // PTX: cvt.rn.f16.f32
  %p = arith.mulf %w, %half : tensor<32xf32, #row>
  %n = arith.truncf %p : tensor<32xf32, #row> to tensor<32xf16, #row>
  tile.store %n, %B[%c0] whole [true] : tensor<32xf16, #row>, !tile.view<32xf16, strides = [1], align = 16>
  tile.return
}

// CHECK-LABEL: llvm.func @alone
tile.kernel @alone(%A: !tile.view<32xbf16, strides = [1], align = 16>, %B: !tile.view<32xf32, strides = [1], align = 16>) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %a = tile.load %A[%c0] whole [true] : !tile.view<32xbf16, strides = [1], align = 16> -> tensor<32xbf16, #row>
  // CHECK: llvm.fpext %{{.*}} : bf16 to f32
  %w = arith.extf %a : tensor<32xbf16, #row> to tensor<32xf32, #row>
  tile.store %w, %B[%c0] whole [true] : tensor<32xf32, #row>, !tile.view<32xf32, strides = [1], align = 16>
  tile.return
}
