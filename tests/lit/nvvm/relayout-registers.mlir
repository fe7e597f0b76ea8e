// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// If this fails, a change of layout that every thread can do alone costs shuffles, or pairs that stay pairs are taken apart.

#a = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #tile.layout<register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
!view = !tile.view<16x16xf16, strides = [?, 1], align = 16>
module attributes {tile.chip = "sm_80"} {
  // CHECK-LABEL: llvm.func @renamed
  // CHECK-NOT: nvvm.shfl
  // CHECK-NOT: nvvm.barrier
  // Stored from registers 0 and 2 of four, then 1 and 3: no element is moved between the pairs.
  // CHECK: llvm.fneg %{{.*}} : vector<2xf16>
  // CHECK-NOT: llvm.insertelement {{.*}} : vector<2xf16>
  // CHECK: llvm.fneg %{{.*}} : vector<2xf16>
  tile.kernel @renamed(%A: !view) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0, %c0] whole [true, true] : !view -> tensor<16x16xf16, #a>
    %y = arith.negf %x : tensor<16x16xf16, #a>
    %r = tile.relayout %y : tensor<16x16xf16, #a> -> tensor<16x16xf16, #b>
    %z = arith.negf %r : tensor<16x16xf16, #b>
    tile.store %z, %A[%c0, %c0] whole [true, true] : tensor<16x16xf16, #b>, !view
    tile.return
  }
}
