// RUN: sed s/CHIP/sm_89/ %s | phobos-opt --tile-to-llvm | FileCheck %s --check-prefixes=CHECK,NATIVE
// RUN: sed s/CHIP/sm_80/ %s | phobos-opt --tile-to-llvm | FileCheck %s --check-prefixes=CHECK,INTEGER
// If this fails, a chip without 8-bit floats is given their instructions, or one with them computes by hand.

#a = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>
!f32 = !tile.view<64xf32, strides = [1], align = 16>
!f8 = !tile.view<64xf8E4M3FN, strides = [1], align = 16>
module attributes {tile.chip = "CHIP"} {
  // CHECK-LABEL: llvm.func @eighths
  // The first operand becomes the upper half.
  // NATIVE: %[[V:.*]] = llvm.load
  // NATIVE: %[[LOW:.*]] = llvm.extractelement %[[V]][%{{.*}} : i32]
  // NATIVE: %[[HIGH:.*]] = llvm.extractelement %[[V]][%{{.*}} : i32]
  // NATIVE: nvvm.convert.f32x2.to.f8x2 %[[HIGH]], %[[LOW]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8>(f8E4M3FN)
  // NATIVE: nvvm.convert.f8x2.to.f16x2
  // INTEGER-NOT: nvvm.convert
  // The largest value, 448, is code 0x7e.
  // INTEGER: %[[LARGEST:.*]] = llvm.mlir.constant(126 : i32)
  // INTEGER: llvm.intr.umin(%{{.*}}, %[[LARGEST]])
  // CHECK: llvm.return
  tile.kernel @eighths(%A: !f32, %B: !f8) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0] whole [true] : !f32 -> tensor<64xf32, #a>
    %y = tile.to_float8 %x : tensor<64xf32, #a> to tensor<64xf8E4M3FN, #a>
    tile.store %y, %B[%c0] whole [true] : tensor<64xf8E4M3FN, #a>, !f8
    %z = arith.extf %y : tensor<64xf8E4M3FN, #a> to tensor<64xf32, #a>
    tile.store %z, %A[%c0] whole [true] : tensor<64xf32, #a>, !f32
    tile.return
  }
}
