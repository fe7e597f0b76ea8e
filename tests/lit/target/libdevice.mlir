// REQUIRES: libdevice
// RUN: phobos-opt --ptx=sm_80 %s | FileCheck %s
// A call into libdevice is linked and inlined; nothing of the library is left behind, and its switches are set as nvcc sets them.

// CHECK-NOT: .func
// CHECK-NOT: __nv
// CHECK-LABEL: .entry root(
// CHECK: sqrt.rn.f32
// CHECK-NOT: sqrt
llvm.func @__nv_sqrtf(f32) -> f32
llvm.func @root(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %y = llvm.call @__nv_sqrtf(%x) : (f32) -> f32
  llvm.store %y, %p : f32, !llvm.ptr<1>
  llvm.return
}
