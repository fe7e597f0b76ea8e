// RUN: phobos-opt %s --tile-to-llvm | mlir-translate --mlir-to-llvmir | llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_80 -mattr=+ptx74 | FileCheck %s
// If this fails, the high half of a product (random numbers need it) costs a 64-bit multiplication.

#a = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
!view = !tile.view<32xi32, strides = [1], align = 16>
module {
  // CHECK: mul.wide.u32 %{{rd[0-9]+}}, %{{r[0-9]+}}, %{{r[0-9]+}}
  // CHECK-NOT: mul.lo.s64
  tile.kernel @product(%A: !view, %B: !view) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0] whole [true] : !view -> tensor<32xi32, #a>
    %y = tile.load %B[%c0] whole [true] : !view -> tensor<32xi32, #a>
    %low, %high = arith.mului_extended %x, %y : tensor<32xi32, #a>
    tile.store %low, %A[%c0] whole [true] : tensor<32xi32, #a>, !view
    tile.store %high, %B[%c0] whole [true] : tensor<32xi32, #a>, !view
    tile.return
  }
}
