// RUN: phobos-opt %s --nvvm-to-host | FileCheck %s
// If this fails, functions of the device are not those of the host, or a helper of the compiler's own is lost.

// CHECK-DAG: llvm.func @expf(f32) -> f32
// CHECK-DAG: llvm.func @pow(f64, f64) -> f64
// CHECK-DAG: llvm.func @host.exp2Approx(f32, i32) -> f32
// CHECK-NOT: @__nv_
llvm.func @__nv_expf(f32) -> f32
llvm.func @__nv_pow(f64, f64) -> f64
llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
// Functions that a kernel calls are the host's as well.
// CHECK-LABEL: llvm.func internal @own
llvm.func internal @own(%x: f32) -> f32 {
  // CHECK: %[[E:.*]] = llvm.call @expf(%{{.*}})
  // CHECK: llvm.return %[[E]]
  %e = llvm.call @__nv_expf(%x) : (f32) -> f32
  llvm.return %e : f32
}
// CHECK-LABEL: llvm.func @k
llvm.func @k(%out: !llvm.ptr<1>, %x: f32, %y: f64, %format: !llvm.ptr) attributes {nvvm.kernel} {
  // CHECK: %[[EK:.*]] = llvm.call @expf(%{{.*}})
  %e = llvm.call @__nv_expf(%x) : (f32) -> f32
  // CHECK: llvm.call @pow
  %p = llvm.call @__nv_pow(%y, %y) : (f64, f64) -> f64
  // CHECK: %[[FLUSH:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: %[[A:.*]] = llvm.call @host.exp2Approx(%[[EK]], %[[FLUSH]])
  %a = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%e) : (f32) -> f32
  // CHECK: llvm.call @own(%[[A]])
  %o = llvm.call @own(%a) : (f32) -> f32
  // CHECK: llvm.call @host.print(%arg0,
  %n = llvm.call @vprintf(%format, %format) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.store %o, %out : f32, !llvm.ptr<1>
  llvm.return
}
