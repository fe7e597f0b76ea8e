// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// RUN: phobos-opt %s --tile-to-llvm | phobos-opt --ptx=sm_90a - | FileCheck %s --check-prefix=PTX
// A pair that was just rounded to bf16 is widened by its bits: LLVM would otherwise round each of its numbers once more, alone.

#pairs = #tile.layout<register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = []>
// CHECK-LABEL: llvm.func @rest
// PTX-LABEL: .entry rest
tile.kernel @rest(%A: !tile.view<?xf32, strides = [1], align = 16>, %i: index) attributes {tile.threads = 32 : i32} {
  %x = tile.load %A[%i] whole [true] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<128xf32, #pairs>
  // CHECK-COUNT-2: llvm.fptrunc %{{.*}} : vector<2xf32> to vector<2xbf16>
  // CHECK-NOT: llvm.fpext
  // CHECK: llvm.bitcast %{{.*}} : vector<2xbf16> to i32
  // CHECK: llvm.shl
  // CHECK: llvm.and
  // PTX-COUNT-2: cvt.rn.bf16x2.f32
  // PTX-NOT: cvt.rn.bf16.f32
  %b = arith.truncf %x : tensor<128xf32, #pairs> to tensor<128xbf16, #pairs>
  %w = arith.extf %b : tensor<128xbf16, #pairs> to tensor<128xf32, #pairs>
  %r = arith.subf %x, %w : tensor<128xf32, #pairs>
  tile.store %r, %A[%i] whole [true] : tensor<128xf32, #pairs>, !tile.view<?xf32, strides = [1], align = 16>
  tile.return
}
