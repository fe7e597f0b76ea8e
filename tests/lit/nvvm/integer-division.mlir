// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// If this fails, `//` rounds a negative quotient towards zero, or divides by a power of two the long way.

module attributes {tile.chip = "sm_80"} {
  // CHECK-LABEL: llvm.func @divide
  // CHECK-SAME: (%{{.*}}: !llvm.ptr<1>, %[[X:.*]]: i32, %[[Y:.*]]: i32)
  // CHECK: %[[Q:.*]] = llvm.sdiv %[[X]], %[[Y]] : i32
  // CHECK: %[[BACK:.*]] = llvm.mul %[[Q]], %[[Y]]
  // CHECK: %[[REST:.*]] = llvm.sub %[[X]], %[[BACK]]
  // CHECK: %[[SIGNS:.*]] = llvm.xor %[[X]], %[[Y]]
  // CHECK-DAG: %[[NEGATIVE:.*]] = llvm.icmp "slt" %[[SIGNS]]
  // CHECK-DAG: %[[INEXACT:.*]] = llvm.icmp "ne" %[[REST]]
  // CHECK: %[[ADJUSTS:.*]] = llvm.and %[[INEXACT]], %[[NEGATIVE]] : i1
  // CHECK: %[[LESS:.*]] = llvm.add %[[Q]], %{{.*}}
  // CHECK: %[[FLOOR:.*]] = llvm.select %[[ADJUSTS]], %[[LESS]], %[[Q]]
  // CHECK: llvm.ashr %[[FLOOR]], %{{.*}} : i32
  // CHECK-NOT: llvm.sdiv
  tile.kernel @divide(%x: i32, %y: i32, %A: !tile.view<1xi32, strides = [1]>) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : i32
    %q = arith.floordivsi %x, %y : i32
    %r = arith.floordivsi %q, %c8 : i32
    %t = tile.splat %r : i32 -> tensor<1xi32, #tile.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = []>>
    tile.store %t, %A[%c0] whole [true] : tensor<1xi32, #tile.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = []>>, !tile.view<1xi32, strides = [1]>
    tile.return
  }
}
