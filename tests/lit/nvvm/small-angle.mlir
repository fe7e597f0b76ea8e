// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// If this fails, the cosine of a 32-bit integer times a small constant has the way of large arguments, a branch for each element; or one that may
// be large has lost it.

#a = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
!numbers = !tile.view<32xi32, strides = [1], align = 16>
!view = !tile.view<32xf32, strides = [1], align = 16>
module {
  // CHECK-LABEL: @small
  // CHECK-NOT: llvm.call @phobos_reduce_trig
  // CHECK-LABEL: @large
  // CHECK: llvm.call @phobos_reduce_trig
  tile.kernel @small(%A: !numbers, %B: !view) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %factor = arith.constant dense<1.0e-9> : tensor<32xf32, #a>
    %x = tile.load %A[%c0] whole [true] : !numbers -> tensor<32xi32, #a>
    %number = arith.sitofp %x : tensor<32xi32, #a> to tensor<32xf32, #a>
    %angle = arith.mulf %number, %factor : tensor<32xf32, #a>
    %cosine = math.cos %angle : tensor<32xf32, #a>
    tile.store %cosine, %B[%c0] whole [true] : tensor<32xf32, #a>, !view
    tile.return
  }
  tile.kernel @large(%A: !numbers, %B: !view) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %factor = arith.constant dense<1.0> : tensor<32xf32, #a>
    %x = tile.load %A[%c0] whole [true] : !numbers -> tensor<32xi32, #a>
    %number = arith.sitofp %x : tensor<32xi32, #a> to tensor<32xf32, #a>
    %angle = arith.mulf %number, %factor : tensor<32xf32, #a>
    %cosine = math.cos %angle : tensor<32xf32, #a>
    tile.store %cosine, %B[%c0] whole [true] : tensor<32xf32, #a>, !view
    tile.return
  }
}
