// RUN: phobos-opt %s -split-input-file --tile-to-llvm | FileCheck %s
// Neighbours in registers first, then lanes by a shuffle for each bit and one from the lanes before, then registers that are further on. Warps
// meet once, and every thread reads the last sums of all of them.

#row = #tile.layout<register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]], warp = []>
module attributes {tile.chip = "sm_80"} {
  // CHECK-LABEL: llvm.func @row
  // CHECK-NOT: nvvm.barrier
  // Registers: three sums in each of two blocks.
  // CHECK-COUNT-6: llvm.fadd
  // Lanes, of each block: five shuffles and sums of its last, and one from the lane before, to put before its four.
  // CHECK-COUNT-5: nvvm.shfl.sync idx
  // CHECK: nvvm.shfl.sync idx
  // CHECK-COUNT-5: nvvm.shfl.sync idx
  // CHECK: nvvm.shfl.sync idx
  // What the first block ends with, for all four of the second.
  // CHECK: nvvm.shfl.sync idx
  // CHECK-COUNT-4: llvm.fadd
  // CHECK-NOT: nvvm.shfl
  // CHECK: llvm.return
  tile.kernel @row(%A: !tile.view<256xf32, strides = [1], align = 16>) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0] whole [true] : !tile.view<256xf32, strides = [1], align = 16> -> tensor<256xf32, #row>
    %y = tile.scan %x axis 0 : tensor<256xf32, #row> -> tensor<256xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    tile.store %y, %A[%c0] whole [true] : tensor<256xf32, #row>, !tile.view<256xf32, strides = [1], align = 16>
    tile.return
  }
}

// -----

#warps = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
module attributes {tile.chip = "sm_80"} {
  // CHECK-LABEL: llvm.func @warps
  // CHECK-COUNT-6: nvvm.shfl.sync idx
  // CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<3> -> f32
  // CHECK-NOT: nvvm.barrier
  // CHECK: llvm.return
  tile.kernel @warps(%A: !tile.view<128xf32, strides = [1], align = 16>) attributes {tile.threads = 128 : i32, tile.shared_bytes = 128 : i64} {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0] whole [true] : !tile.view<128xf32, strides = [1], align = 16> -> tensor<128xf32, #warps>
    %y = tile.scan %x axis 0 {shared.offset = 0 : i64} : tensor<128xf32, #warps> -> tensor<128xf32, #warps> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    tile.store %y, %A[%c0] whole [true] : tensor<128xf32, #warps>, !tile.view<128xf32, strides = [1], align = 16>
    tile.return
  }
}
