// RUN: phobos-opt --ptx=sm_80 %s | FileCheck %s
// The accumulator of a loop stays in its registers: between two mma of one, no instruction moves it.

// CHECK-LABEL: .entry accumulate(
// CHECK: [[LOOP:\$L__BB0_[0-9]+]]:
// CHECK-NOT: mov.b32
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NEXT: {{.*}}[[C0:%r[0-9]+]], [[C1:%r[0-9]+]], [[C2:%r[0-9]+]], [[C3:%r[0-9]+]]
// CHECK-NOT: mov.b32
// CHECK: bra [[LOOP]];
llvm.func @accumulate(%p: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %a = llvm.load %p : !llvm.ptr<1> -> vector<2xf16>
  llvm.br ^loop(%i0, %zero, %zero, %zero, %zero : i32, f32, f32, f32, f32)
^loop(%i: i32, %c0: f32, %c1: f32, %c2: f32, %c3: f32):
  %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%a, %a] C[%c0, %c1, %c2, %c3]
    {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
    : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
  %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
  %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
  %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
  %next = llvm.add %i, %one : i32
  %more = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %more, ^loop(%next, %d0, %d1, %d2, %d3 : i32, f32, f32, f32, f32), ^done
^done:
  %s = llvm.fadd %d0, %d1 : f32
  %t = llvm.fadd %d2, %d3 : f32
  %u = llvm.fadd %s, %t : f32
  llvm.store %u, %p : f32, !llvm.ptr<1>
  llvm.return
}
