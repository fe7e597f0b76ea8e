// RUN: phobos-opt --ptx=sm_90a %s | FileCheck %s
// In kernels with wgmma, what threads compute of shared memory's address for themselves begins with a base of its own, so that ptxas keeps the other in uniform
// registers; in a nest of loops the base is made in the outermost turn.

llvm.mlir.global external @buffer() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// CHECK-LABEL: .entry product(
// CHECK: // begin inline asm
// CHECK-NEXT: mov.b32 {{.*}}%[[OWN:r[0-9]+]], buffer;
// CHECK-NEXT: // end inline asm
// CHECK: add.s32 {{.*}}%[[TO:r[0-9]+]], %[[OWN]], %r{{[0-9]+}};
// CHECK: st.shared.b32 {{.*}}[%[[TO]]+64]
// CHECK: wgmma.mma_async
llvm.func @product(%n: i32, %d: i64) attributes {nvvm.kernel} {
  %base = llvm.mlir.addressof @buffer : !llvm.ptr<3>
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %to = llvm.getelementptr %base[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %more = llvm.getelementptr %to[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  llvm.store %t, %more : i32, !llvm.ptr<3>
  llvm.inline_asm has_side_effects "wgmma.mma_async $0;", "l" %d : (i64) -> ()
  llvm.return
}

// What is the same in a warp is left alone outside of nests.
// CHECK-LABEL: .entry uniform(
// CHECK-NOT: mov.b32 {{.*}}, buffer;{{$}}
// CHECK: wgmma.mma_async
llvm.func @uniform(%n: i32, %d: i64) attributes {nvvm.kernel} {
  %base = llvm.mlir.addressof @buffer : !llvm.ptr<3>
  %to = llvm.getelementptr %base[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  llvm.store %n, %to : i32, !llvm.ptr<3>
  llvm.inline_asm has_side_effects "wgmma.mma_async $0;", "l" %d : (i64) -> ()
  llvm.return
}

// CHECK-LABEL: .entry nest(
// CHECK-NOT: , buffer;
// CHECK: $L__BB{{[0-9_]+}}:
// CHECK: mov.b32 {{.*}}%[[BASE:r[0-9]+]], buffer;
// CHECK-NOT: , buffer;
// CHECK: add.s32 {{.*}}%[[AT:r[0-9]+]], %[[BASE]],
// CHECK: wgmma.mma_async %[[AT]];
// CHECK: bra
llvm.func @nest(%n: i32) attributes {nvvm.kernel} {
  %base = llvm.mlir.addressof @buffer : !llvm.ptr<3>
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^outer(%zero : i32)
^outer(%i: i32):
  llvm.br ^inner(%zero : i32)
^inner(%j: i32):
  %at = llvm.getelementptr %base[%j] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  llvm.inline_asm has_side_effects "wgmma.mma_async $0;", "r" %at : (!llvm.ptr<3>) -> ()
  %j1 = llvm.add %j, %one : i32
  %more = llvm.icmp "slt" %j1, %n : i32
  llvm.cond_br %more, ^inner(%j1 : i32), ^next
^next:
  %i1 = llvm.add %i, %one : i32
  %again = llvm.icmp "slt" %i1, %n : i32
  llvm.cond_br %again, ^outer(%i1 : i32), ^end
^end:
  llvm.return
}
