// RUN: env CUDA_HOME=%t.nowhere not phobos-opt --ptx=sm_80 %s 2>&1 | FileCheck %s
// A function that libdevice does not have, or no libdevice at all, is said and is not a crash.

// CHECK: error: {{libdevice has no function '__nv_frobnicate'|this kernel uses a libdevice function, and libdevice.10.bc was not found}}
llvm.func @__nv_frobnicate(f32) -> f32
llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %y = llvm.call @__nv_frobnicate(%x) : (f32) -> f32
  llvm.store %y, %p : f32, !llvm.ptr<1>
  llvm.return
}
