// REQUIRES: ptxas
// RUN: phobos-opt --ptx=sm_80 --resources %s 2>&1 >/dev/null | FileCheck %s
// RUN: env PHOBOS_ASSEMBLER=ptxas phobos-opt --ptx=sm_90a --resources %s 2>&1 >/dev/null | FileCheck %s
// Resources are the cubin's own, whichever tool made it; what the system reserves on sm_90 is not counted.

// CHECK: keep: {{[1-9][0-9]*}} registers, 512 bytes of static shared memory, 0 bytes spilled, 0 bytes of stack
llvm.mlir.global internal @buffer() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<512 x i8>
llvm.func @keep(%p: !llvm.ptr<1>, %i: i32) attributes {nvvm.kernel} {
  %base = llvm.mlir.addressof @buffer : !llvm.ptr<3>
  %at = llvm.getelementptr %base[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  llvm.store volatile %i, %base : i32, !llvm.ptr<3>
  %x = llvm.load volatile %at : !llvm.ptr<3> -> i32
  llvm.store %x, %p : i32, !llvm.ptr<1>
  llvm.return
}
