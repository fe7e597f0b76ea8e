// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// A from registers is an instruction that the nvvm dialect lacks: one lane's four words a step, its sums tied. A tied wait keeps what
// follows behind it.

!sb = !dot.stage<1 x 32x64xf16, order = [1, 0], panels = 128>
!sbt = !dot.stage<1 x 64x32xf16, order = [1, 0], panels = 64>
#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

// CHECK-LABEL: llvm.func @adds
tile.kernel @adds(%i: index, %x: f16, %y: f32) attributes {tile.threads = 128 : i32, tile.shared_bytes = 8192 : i64} {
  %b = dot.alloc at 0 : !sb
  %a = tile.splat %x : f16 -> tensor<64x32xf16, #a>
  %acc = tile.splat %y : f32 -> tensor<64x64xf32, #acc>
  // The words are in their registers before the fence.
  // CHECK-COUNT-8: llvm.bitcast {{.*}} : vector<2xf16> to i32
  // CHECK: nvvm.wgmma.fence.aligned
  // CHECK-NOT: llvm.bitcast
  // CHECK: llvm.inline_asm has_side_effects {{.*}}setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, $1,{{.*}}$31}, {$64, $65, $66, $67}, $68, p, 1, 1, 1; }", "=f,{{.*}}=f,0,1,{{.*}},31,r,r,r,r,l"
  // CHECK: llvm.inline_asm {{.*}}p, 1, 0; wgmma.mma_async
  // CHECK-NOT: wgmma.mma_async
  // CHECK: nvvm.wgmma.commit.group
  %d = dot.wgmma %a, %b[%i], %acc : tensor<64x32xf16, #a>, !sb, tensor<64x64xf32, #acc>
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.wait_group.sync.aligned 0;", "=f,{{.*}}=f,0,1,
  %r = dot.wgmma_wait %d pending 0 tied : tensor<64x64xf32, #acc>
  tile.return
}

// From zeros the sums are not read; B with neighbours along k is not transposed.
// CHECK-LABEL: llvm.func @begins
tile.kernel @begins(%i: index, %x: bf16) attributes {tile.threads = 128 : i32, tile.shared_bytes = 8192 : i64} {
  %b = dot.alloc at 0 : !dot.stage<1 x 64x32xbf16, order = [1, 0], panels = 64>
  %a = tile.splat %x : bf16 -> tensor<64x32xbf16, #a>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  // CHECK: llvm.inline_asm {{.*}}p, 0, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}p, 1, 1, 0; }"
  // CHECK: llvm.inline_asm {{.*}}p, 1, 0; wgmma.mma_async
  %d = dot.wgmma %a, %b[%i], %zero trans_b : tensor<64x32xbf16, #a>, !dot.stage<1 x 64x32xbf16, order = [1, 0], panels = 64>, tensor<64x64xf32, #acc>
  tile.return
}
