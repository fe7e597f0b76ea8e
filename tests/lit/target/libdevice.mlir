// REQUIRES: libdevice
// RUN: phobos-opt --ptx=sm_80 %s | FileCheck %s
// A call into libdevice is linked and inlined; nothing of the library is left behind, and its switches are folded.

// CHECK-NOT: .func
// CHECK-NOT: __nv
// CHECK-LABEL: .entry arcsine(
// CHECK: sqrt.rn.f32
llvm.func @__nv_asinf(f32) -> f32
llvm.func @arcsine(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %y = llvm.call @__nv_asinf(%x) : (f32) -> f32
  llvm.store %y, %p : f32, !llvm.ptr<1>
  llvm.return
}
