// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(dot-keep-operands))' | FileCheck %s
// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(dot-keep-operands),tile-to-llvm)' | FileCheck %s --check-prefix=NVVM
// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(dot-keep-operands),tile-to-llvm,nvvm-to-host)' | FileCheck %s --check-prefix=HOST
// ptxas takes registers that a product reads in every turn for free behind the product: they are used once more at the end of the turn.

!sb = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

// CHECK-LABEL: tile.kernel @turns
// HOST-LABEL: llvm.func @turns
// HOST-NOT: st.shared
tile.kernel @turns(%n: index, %x: f16) attributes {tile.threads = 128 : i32, tile.shared_bytes = 8192 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = dot.alloc at 0 : !sb
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  // CHECK: %[[A:.*]] = tile.splat
  %a = tile.splat %x : f16 -> tensor<64x64xf16, #acc>
  // CHECK: scf.for
  %r = scf.for %outer = %c0 to %n step %c1 iter_args(%so = %zero) -> (tensor<64x64xf32, #acc>) {
    // CHECK: scf.for
    %i = scf.for %inner = %c0 to %n step %c1 iter_args(%s = %so) -> (tensor<64x64xf32, #acc>) {
      // CHECK: dot.wgmma %[[A]]
      %p = dot.wgmma %a, %b[%c0], %s : tensor<64x64xf16, #acc>, !sb, tensor<64x64xf32, #acc>
      %w = dot.wgmma_wait %p pending 0 tied : tensor<64x64xf32, #acc>
      // What a turn makes is not kept.
      %h = arith.truncf %w : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      // CHECK: dot.wgmma
      %q = dot.wgmma %h, %b[%c0], %w : tensor<64x64xf16, #acc>, !sb, tensor<64x64xf32, #acc>
      // CHECK: %[[SUMS:.*]] = dot.wgmma_wait
      // CHECK-NEXT: dot.keep %[[A]] : tensor<64x64xf16
      // CHECK-NEXT: scf.yield %[[SUMS]]
      // NVVM: llvm.inline_asm has_side_effects {{.*}}"{ .reg .pred p; .reg .b32 t; mov.u32 t, %nctaid.z; setp.eq.u32 p, t, 0xffffffff;
      // NVVM-SAME: @p st.shared.v4.b32 [t], {$0, $1, $2, $3}; @p st.shared.v4.b32 [t], {$4, {{.*}} {$12, $13, $14, $15}; }", "r,{{(r,)*}}r"
      %v = dot.wgmma_wait %q pending 0 tied : tensor<64x64xf32, #acc>
      scf.yield %v : tensor<64x64xf32, #acc>
    }
    // The outer loop's next turn needs it as well.
    // CHECK: dot.keep %[[A]]
    // CHECK-NEXT: scf.yield
    scf.yield %i : tensor<64x64xf32, #acc>
  }
  tile.return
}

// -----

!sb = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

// An operand that comes round is made anew in each turn, and one in shared memory is in no register.
// CHECK-LABEL: tile.kernel @carried
// CHECK-NOT: dot.keep
tile.kernel @carried(%n: index, %x: f16) attributes {tile.threads = 128 : i32, tile.shared_bytes = 8192 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = dot.alloc at 0 : !sb
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %first = tile.splat %x : f16 -> tensor<64x64xf16, #acc>
  %r:2 = scf.for %inner = %c0 to %n step %c1 iter_args(%s = %zero, %a = %first) -> (tensor<64x64xf32, #acc>, tensor<64x64xf16, #acc>) {
    %p = dot.wgmma %a, %b[%c0], %s : tensor<64x64xf16, #acc>, !sb, tensor<64x64xf32, #acc>
    %q = dot.wgmma %b[%c0], %b[%c0], %p : !sb, !sb, tensor<64x64xf32, #acc>
    %v = dot.wgmma_wait %q pending 0 tied : tensor<64x64xf32, #acc>
    %h = arith.truncf %v : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
    scf.yield %v, %h : tensor<64x64xf32, #acc>, tensor<64x64xf16, #acc>
  }
  tile.return
}
