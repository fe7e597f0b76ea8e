// RUN: phobos-opt %s --tile-to-llvm | mlir-translate --mlir-to-llvmir | llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_80 -mattr=+ptx74 | FileCheck %s
// If this fails, NVPTX no longer turns what we write into the chip's own instructions.

#a = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>
!view = !tile.view<64xf32, strides = [1], align = 16>
!bf16 = !tile.view<64xbf16, strides = [1], align = 16>
module {
  // CHECK: ex2.approx.f32
  // CHECK: rsqrt.approx.f32
  // CHECK: max.NaN.f32
  // CHECK: fma.rn.f32
  // CHECK: tanh.approx.f32
  // CHECK: cvt.rn.bf16x2.f32
  tile.kernel @functions(%A: !view, %B: !bf16) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0] whole [true] : !view -> tensor<64xf32, #a>
    %e = math.exp2 %x : tensor<64xf32, #a>
    %r = math.rsqrt %e : tensor<64xf32, #a>
    %m = arith.maximumf %r, %x : tensor<64xf32, #a>
    %p = arith.mulf %m, %x : tensor<64xf32, #a>
    %s = arith.addf %p, %e : tensor<64xf32, #a>
    %n = arith.truncf %s : tensor<64xf32, #a> to tensor<64xbf16, #a>
    %t = math.tanh %n : tensor<64xbf16, #a>
    tile.store %t, %B[%c0] whole [true] : tensor<64xbf16, #a>, !bf16
    tile.return
  }
}
