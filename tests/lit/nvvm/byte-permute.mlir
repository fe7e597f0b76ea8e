// RUN: phobos-opt %s | phobos-opt --tile-to-llvm | FileCheck %s
// If this fails, bytes are picked by more than one instruction a word, or of the operands the other way round.

#a = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>
!view = !tile.view<64xi32, strides = [1], align = 16>
module attributes {tile.chip = "sm_80"} {
  // CHECK-LABEL: llvm.func @words
  // CHECK: %[[S:.*]] = llvm.mlir.constant(291 : i32)
  // CHECK: llvm.load
  // CHECK: %[[X:.*]] = llvm.extractelement
  // CHECK: %[[Y:.*]] = llvm.extractelement
  // CHECK: nvvm.prmt <default> %[[X]], %[[X]], %[[S]]
  // CHECK: nvvm.prmt <default> %[[Y]], %[[Y]], %[[S]]
  // CHECK-NOT: nvvm.prmt
  tile.kernel @words(%A: !view) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %s = arith.constant dense<291> : tensor<64xi32, #a>
    %x = tile.load %A[%c0] whole [true] : !view -> tensor<64xi32, #a>
    %y = tile.byte_permute %x, %s, %x : tensor<64xi32, #a>
    tile.store %y, %A[%c0] whole [true] : tensor<64xi32, #a>, !view
    tile.return
  }
}
