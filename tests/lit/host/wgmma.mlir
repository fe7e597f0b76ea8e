// RUN: phobos-opt %s --nvvm-to-host | FileCheck %s
// If this fails, products on one accumulator meet one by one, or their words go to the wrong slots.

!acc = !llvm.struct<(f32, f32, f32, f32)>

// CHECK-LABEL: llvm.func @chain
// Four words of the sum, then two descriptors of two words each for both products.
// CHECK-COUNT-12: llvm.store
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: llvm.call @host.wgmma(%arg0, %{{.*}}, %[[TWO]], %{{.*}})
// CHECK-NOT: host.wgmma(
// CHECK: llvm.call @host.wgmmaCommit
// CHECK: llvm.call @host.wgmmaWait
llvm.func @chain(%out: !llvm.ptr<1>, %a: i64, %b: i64, %c: f32) attributes {nvvm.kernel} {
  %u = llvm.mlir.undef : !acc
  %s = llvm.insertvalue %c, %u[0] : !acc
  %one = llvm.mlir.constant(2 : i64) : i64
  nvvm.wgmma.fence.aligned
  %x = nvvm.wgmma.mma_async %a, %b, %s, #nvvm.shape<m = 64, n = 8, k = 16>, D [<f32>, #nvvm.wgmma_scale_out<one>], A [<f16>, #nvvm.wgmma_scale_in<one>, <row>], B [<f16>, #nvvm.wgmma_scale_in<one>, <col>] : !acc -> !acc
  %a2 = llvm.add %a, %one : i64
  %y = nvvm.wgmma.mma_async %a2, %b, %x, #nvvm.shape<m = 64, n = 8, k = 16>, D [<f32>, #nvvm.wgmma_scale_out<one>], A [<f16>, #nvvm.wgmma_scale_in<one>, <row>], B [<f16>, #nvvm.wgmma_scale_in<one>, <col>] : !acc -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  %r = llvm.extractvalue %y[0] : !acc
  llvm.store %r, %out : f32, !llvm.ptr<1>
  llvm.return
}

// Two sums side by side are one meeting too; a sum that begins at zero is not stored.
// CHECK-LABEL: llvm.func @two
// CHECK-COUNT-8: llvm.store
// CHECK: llvm.call @host.wgmma(%arg0, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NOT: host.wgmma(
// CHECK: llvm.return
llvm.func @two(%out: !llvm.ptr<1>, %a: i64, %b: i64) attributes {nvvm.kernel} {
  %u = llvm.mlir.undef : !acc
  %x = nvvm.wgmma.mma_async %a, %b, %u, #nvvm.shape<m = 64, n = 8, k = 16>, D [<f32>, #nvvm.wgmma_scale_out<zero>], A [<f16>, #nvvm.wgmma_scale_in<one>, <row>], B [<f16>, #nvvm.wgmma_scale_in<one>, <col>] : !acc -> !acc
  %x0 = llvm.extractvalue %x[0] : !acc
  %y = nvvm.wgmma.mma_async %b, %a, %u, #nvvm.shape<m = 64, n = 8, k = 16>, D [<f32>, #nvvm.wgmma_scale_out<zero>], A [<f16>, #nvvm.wgmma_scale_in<one>, <row>], B [<f16>, #nvvm.wgmma_scale_in<one>, <col>] : !acc -> !acc
  %y0 = llvm.extractvalue %y[0] : !acc
  %sum = llvm.fadd %x0, %y0 : f32
  llvm.store %sum, %out : f32, !llvm.ptr<1>
  llvm.return
}

// A from registers, which only inline PTX can say: known by its text.
// CHECK-LABEL: llvm.func @registers
// CHECK-COUNT-10: llvm.store
// CHECK: llvm.call @host.wgmma
// CHECK: llvm.call @host.wgmmaWait
// CHECK-NOT: inline_asm
llvm.func @registers(%out: !llvm.ptr<1>, %b: i64, %c: f32, %w: i32) attributes {nvvm.kernel} {
  %r = llvm.inline_asm has_side_effects asm_dialect = att "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, p, 1, 1, 1; }", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l" %c, %c, %c, %c, %w, %w, %w, %w, %b : (f32, f32, f32, f32, i32, i32, i32, i32, i64) -> !acc
  %r0 = llvm.extractvalue %r[0] : !acc
  %r1 = llvm.extractvalue %r[1] : !acc
  %q = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 1;", "=f,=f,0,1" %r0, %r1 : (f32, f32) -> !llvm.struct<(f32, f32)>
  %q0 = llvm.extractvalue %q[0] : !llvm.struct<(f32, f32)>
  llvm.store %q0, %out : f32, !llvm.ptr<1>
  llvm.return
}
