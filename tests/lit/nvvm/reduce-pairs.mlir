// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// If this fails, values and places of an argmax part company, or narrow values take a shuffle each.

#a = #tile.layout<register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#s = #tile.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = []>
!view = !tile.view<4x32xf16, strides = [?, 1], align = 16>
!out = !tile.view<4xi32, strides = [1], align = 16>
module attributes {tile.chip = "sm_80"} {
  // Each of five steps: four f16 in two shuffles, four i32 in four.
  // CHECK-LABEL: llvm.func @argmax
  // CHECK-COUNT-30: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl
  tile.kernel @argmax(%A: !view, %B: !out) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0, %c0] whole [true, true] : !view -> tensor<4x32xf16, #a>
    %i = tile.iota : tensor<32xi32, #tile.layout<register = [[0], [0]], lane = [[1], [2], [4], [8], [16]], warp = []>>
    %r = tile.expand_dims %i, 0 : tensor<32xi32, #tile.layout<register = [[0], [0]], lane = [[1], [2], [4], [8], [16]], warp = []>> -> tensor<1x32xi32, #tile.layout<register = [[0, 0], [0, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>>
    %p = tile.broadcast %r : tensor<1x32xi32, #tile.layout<register = [[0, 0], [0, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>> -> tensor<4x32xi32, #a>
    %m, %n = tile.reduce %x, %p axis 1 identity [0xFC00 : f16, 2147483647 : i32] : tensor<4x32xf16, #a>, tensor<4x32xi32, #a> -> tensor<4xf16, #s>, tensor<4xi32, #s> {
    ^bb0(%u: f16, %iu: i32, %v: f16, %iv: i32):
      %greater = arith.cmpf ogt, %u, %v : f16
      %w = arith.select %greater, %u, %v : f16
      %j = arith.select %greater, %iu, %iv : i32
      tile.yield %w, %j : f16, i32
    }
    tile.store %n, %B[%c0] whole [true] : tensor<4xi32, #s>, !out
    tile.return
  }
}
