// RUN: sed s/CHIP/sm_90a/ %s | phobos-opt --pass-pipeline='builtin.module(tile.kernel(dot-allocate-shared),tile-to-llvm)' | FileCheck %s --check-prefixes=CHECK,HOPPER
// RUN: sed s/CHIP/sm_80/ %s | phobos-opt --pass-pipeline='builtin.module(tile.kernel(dot-allocate-shared),tile-to-llvm)' | FileCheck %s --check-prefixes=CHECK,AMPERE
// An accumulator on its way to 16-byte stores is put down by stmatrix where the chip has it: four registers an instruction instead of one.

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#rows = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = []>

module attributes {tile.chip = "CHIP"} {
// CHECK-LABEL: llvm.func @turn
tile.kernel @turn(%x: f16, %C: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %t = tile.splat %x : f16 -> tensor<16x64xf16, #acc>
  // HOPPER-COUNT-4: nvvm.stmatrix
  // HOPPER-NOT: nvvm.stmatrix
  // AMPERE-NOT: nvvm.stmatrix
  // CHECK: nvvm.bar.warp.sync
  %r = tile.relayout %t : tensor<16x64xf16, #acc> -> tensor<16x64xf16, #rows>
  tile.store %r, %C[%c0, %c0] : tensor<16x64xf16, #rows>, !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
  tile.return
}
}
