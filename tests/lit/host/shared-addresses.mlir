// RUN: phobos-opt %s --nvvm-to-host | FileCheck %s
// If this fails, addresses of shared memory are not those of the device's window.

// CHECK-NOT: addr_space
// CHECK-LABEL: llvm.func @k
// CHECK: %[[SHARED:.*]] = llvm.load %arg0 invariant : !llvm.ptr -> !llvm.ptr
llvm.mlir.global external @a() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<20 x i8>
llvm.mlir.global external @b() {addr_space = 3 : i32, alignment = 64 : i64} : !llvm.array<8 x i32>
llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @k(%out: !llvm.ptr<1>, %i: i32) attributes {nvvm.kernel} {
  %a = llvm.mlir.addressof @a : !llvm.ptr<3>
  // CHECK: %[[B:.*]] = llvm.getelementptr %[[SHARED]][64]
  %b = llvm.mlir.addressof @b : !llvm.ptr<3>
  // Dynamic memory begins behind all arrays, at its own alignment.
  // CHECK: %[[D:.*]] = llvm.getelementptr %[[SHARED]][1024]
  %d = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
  // CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[B]] : !llvm.ptr to i32
  %address = llvm.ptrtoint %b : !llvm.ptr<3> to i32
  %other = llvm.add %address, %i : i32
  // CHECK: %[[BASE:.*]] = llvm.ptrtoint %[[SHARED]] : !llvm.ptr to i64
  // CHECK: %[[WINDOW:.*]] = llvm.and %[[BASE]], %{{.*}}
  // CHECK: %[[LOW:.*]] = llvm.zext %{{.*}} : i32 to i64
  // CHECK: %[[ALL:.*]] = llvm.or %[[WINDOW]], %[[LOW]]
  // CHECK: %[[P:.*]] = llvm.inttoptr %[[ALL]] : i64 to !llvm.ptr
  %p = llvm.inttoptr %other : i32 to !llvm.ptr<3>
  // CHECK: llvm.store %{{.*}}, %[[P]]
  llvm.store %i, %p : i32, !llvm.ptr<3>
  // Generic pointers are the same pointers.
  // CHECK-NOT: addrspacecast
  // CHECK: llvm.load %[[D]]
  %generic = llvm.addrspacecast %d : !llvm.ptr<3> to !llvm.ptr
  %x = llvm.load %generic : !llvm.ptr -> i32
  %long = llvm.ptrtoint %a : !llvm.ptr<3> to i64
  %short = llvm.trunc %long : i64 to i32
  %sum = llvm.add %x, %short : i32
  llvm.store %sum, %out : i32, !llvm.ptr<1>
  llvm.return
}
