// RUN: phobos-opt %s --nvvm-to-host | FileCheck %s
// RUN: phobos-opt %s '--nvvm-to-host=pull=false' | FileCheck %s --check-prefix=APART
// If this fails, a reduction meets once a step instead of once, or the program computes something else than the lanes would.

// CHECK-LABEL: llvm.func @reduce
// CHECK: program = ["ShflBfly 0 #2 #31 -> 1", "FAdd 0 1 -> 2", "ShflBfly 2 #1 #31 -> 3"]
// The last addition is each lane's own, on what the program left.
// CHECK-DAG: %[[S:.*]] = llvm.bitcast %{{.*}} : i32 to f32
// CHECK: llvm.fadd
// CHECK-NOT: llvm.fadd
// APART-LABEL: llvm.func @reduce
// APART: program = ["ShflBfly 0 #2 #31 -> 1"]
// APART: llvm.fadd
// APART: program = ["ShflBfly 0 #1 #31 -> 1"]
llvm.func @reduce(%out: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
  %all = llvm.mlir.constant(-1 : i32) : i32
  %c31 = llvm.mlir.constant(31 : i32) : i32
  %c2 = llvm.mlir.constant(2 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %s = nvvm.shfl.sync bfly %all, %x, %c2, %c31 : f32 -> f32
  %y = llvm.fadd %x, %s : f32
  %t = nvvm.shfl.sync bfly %all, %y, %c1, %c31 : f32 -> f32
  %z = llvm.fadd %y, %t : f32
  llvm.store %z, %out : f32, !llvm.ptr<1>
  llvm.return
}

// Comparisons of floats name their outcomes: equal 1, greater 2, less 4, unordered 8.
// CHECK-LABEL: llvm.func @select
// CHECK: program = ["ShflDown 0 #1 #31 -> 1", "FCmp flags 10 0 1 -> 2", "Select 2 0 1 -> 3", "ShflUp 3 #2 #0 -> 4"]
llvm.func @select(%out: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
  %all = llvm.mlir.constant(-1 : i32) : i32
  %c31 = llvm.mlir.constant(31 : i32) : i32
  %c2 = llvm.mlir.constant(2 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %s = nvvm.shfl.sync down %all, %x, %c1, %c31 : f32 -> f32
  %greater = llvm.fcmp "ugt" %x, %s : f32
  %y = llvm.select %greater, %x, %s : i1, f32
  %t = nvvm.shfl.sync up %all, %y, %c2, %c0 : f32 -> f32
  llvm.store %t, %out : f32, !llvm.ptr<1>
  llvm.return
}
