// RUN: phobos-opt %s --nvvm-to-host | FileCheck %s
// If this fails, warp ops change places with what they must not pass.

!four = !llvm.struct<(i32, i32, i32, i32)>
llvm.mlir.global external @s() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<4096 x i8>

// A store is not passed by a load of matrices, which may read what it wrote; a shuffle touches no memory.
// CHECK-LABEL: llvm.func @store
// CHECK: program = ["ShflBfly 0 #1 #31 -> 1", "ShflBfly 0 #2 #31 -> 2"]
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64}
// CHECK: program = ["LdMatrix 0 -> 1"]
llvm.func @store(%out: !llvm.ptr<1>, %x: i32) attributes {nvvm.kernel} {
  %all = llvm.mlir.constant(-1 : i32) : i32
  %c31 = llvm.mlir.constant(31 : i32) : i32
  %c2 = llvm.mlir.constant(2 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %s = llvm.mlir.addressof @s : !llvm.ptr<3>
  %a = nvvm.shfl.sync bfly %all, %x, %c1, %c31 : i32 -> i32
  llvm.store %a, %s {alignment = 4 : i64} : i32, !llvm.ptr<3>
  %b = nvvm.shfl.sync bfly %all, %x, %c2, %c31 : i32 -> i32
  %m = nvvm.ldmatrix %s {num = 1 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
  %sum = llvm.add %b, %m : i32
  llvm.store %sum, %out : i32, !llvm.ptr<1>
  llvm.return
}

// A load does not pass an order of memory, nor does a barrier of the warp pass a store.
// CHECK-LABEL: llvm.func @order
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64}
// CHECK: program = ["SyncWarp ->"]
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64}
llvm.func @order(%out: !llvm.ptr<1>, %x: i32) attributes {nvvm.kernel} {
  %all = llvm.mlir.constant(-1 : i32) : i32
  %s = llvm.mlir.addressof @s : !llvm.ptr<3>
  llvm.store %x, %s {alignment = 4 : i64} : i32, !llvm.ptr<3>
  nvvm.bar.warp.sync %all : i32
  %y = llvm.load %s {alignment = 4 : i64} : !llvm.ptr<3> -> i32
  llvm.store %y, %out : i32, !llvm.ptr<1>
  llvm.return
}

// Other lanes, another meeting.
// CHECK-LABEL: llvm.func @masks
// CHECK: program = ["VoteAny 0 -> 1"]
// CHECK: program = ["VoteAny 0 -> 1"]
llvm.func @masks(%out: !llvm.ptr<1>, %p: i1) attributes {nvvm.kernel} {
  %all = llvm.mlir.constant(-1 : i32) : i32
  %low = llvm.mlir.constant(65535 : i32) : i32
  %a = nvvm.vote.sync any %all, %p -> i1
  %b = nvvm.vote.sync any %low, %p -> i1
  %both = llvm.and %a, %b : i1
  llvm.store %both, %out : i1, !llvm.ptr<1>
  llvm.return
}
