// RUN: phobos-opt --ptx=sm_80 %s | FileCheck %s
// Shared memory is addressed in 32 bits: no 64-bit register is spent on it.

llvm.mlir.global external @buffer() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>

// CHECK-LABEL: .entry exchange(
// CHECK-NOT: %rd{{[2-9]}}
// CHECK: st.shared.b32 {{\[}}%r{{[0-9]+}}],
// CHECK: bar.sync 0;
// CHECK: ld.shared.b32 %r{{[0-9]+}}, {{\[}}%r{{[0-9]+}}+4];
llvm.func @exchange(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %base = llvm.mlir.addressof @buffer : !llvm.ptr<3>
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %to = llvm.getelementptr %base[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  llvm.store %t, %to : i32, !llvm.ptr<3>
  nvvm.barrier0
  %from = llvm.getelementptr %to[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %x = llvm.load %from : !llvm.ptr<3> -> i32
  llvm.store %x, %p : i32, !llvm.ptr<1>
  llvm.return
}
