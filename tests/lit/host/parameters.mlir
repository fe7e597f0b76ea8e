// RUN: phobos-opt %s --nvvm-to-host | FileCheck %s
// If this fails, parameters are read from the wrong places, or a tensor map is copied instead of used where it lies.

// CHECK-LABEL: llvm.func @k.fiber(%arg0: !llvm.ptr {llvm.dereferenceable = {{[0-9]+}} : i64, llvm.noalias, llvm.nonnull}, %arg1: !llvm.ptr)
// CHECK: %[[A0:.*]] = llvm.load %arg1 invariant : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.load %[[A0]] invariant : !llvm.ptr -> !llvm.ptr
// CHECK: %[[AT1:.*]] = llvm.getelementptr %arg1[8]
// CHECK: %[[MAP:.*]] = llvm.load %[[AT1]] invariant : !llvm.ptr -> !llvm.ptr
// CHECK: %[[AT2:.*]] = llvm.getelementptr %arg1[16]
// CHECK: %[[A2:.*]] = llvm.load %[[AT2]] invariant : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.load %[[A2]] invariant : !llvm.ptr -> i32
// CHECK: llvm.call @host.tmaLoad(%arg0, %{{.*}}, %[[MAP]],
llvm.mlir.global external @s() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<1024 x i8>
llvm.func @k(%p: !llvm.ptr<1>, %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %n: i32)
    attributes {nvvm.kernel} {
  %s = llvm.mlir.addressof @s : !llvm.ptr<3>
  nvvm.cp.async.bulk.tensor.shared.cluster.global %s, %map, %s, box[%n] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
  llvm.return
}
