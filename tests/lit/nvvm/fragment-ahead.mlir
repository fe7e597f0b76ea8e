// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// RUN: phobos-opt %s --tile-to-llvm --nvvm-to-host | FileCheck %s --check-prefix HOST
// A fragment read for the next turn stays where it stands: LLVM moves no access across an empty instruction that touches memory. If this
// fails, the reads sink to their use at the head of the loop, or the kernel executes something for it.

#a = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
!s = !dot.stage<2 x 16x8xf32, order = [1, 0]>
module attributes {tile.chip = "sm_80"} {
  // CHECK-LABEL: llvm.func @ahead
  // CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xf32>
  // CHECK: llvm.inline_asm has_side_effects "", "~{memory}" : () -> ()
  // CHECK-NOT: nvvm.bar
  // CHECK: llvm.return
  // HOST-NOT: llvm.inline_asm
  tile.kernel @ahead() attributes {tile.threads = 32 : i32, tile.shared_bytes = 1024 : i64} {
    %c0 = arith.constant 0 : index
    %s = dot.alloc at 0 : !s
    %f = dot.fragment %s[%c0] origin [0, 0] ahead : !s -> tensor<16x8xf32, #a>
    tile.return
  }
}
