// RUN: phobos-opt %s '--nvvm-to-host=check-global check-shared' | FileCheck %s
// RUN: phobos-opt %s '--nvvm-to-host=profile' | FileCheck %s --check-prefix=PROFILE
// If this fails, an access escapes the checkers, or memory that needs no check pays for one.

llvm.mlir.global external @s() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<64 x i32>
// CHECK-LABEL: llvm.func @k.fiber
// PROFILE-LABEL: llvm.func @k.fiber
llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  // PROFILE: llvm.call @host.profileBlock
  %s = llvm.mlir.addressof @s : !llvm.ptr<3>
  %one = llvm.mlir.constant(1 : i32) : i32
  %own = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(16 : i32)
  // CHECK: llvm.call @host.checkGlobalLoad(%arg0, %[[P:.*]], %[[BYTES]], %{{.*}})
  // CHECK: llvm.load %[[P]]
  // PROFILE: llvm.call @host.profileGlobal
  %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
  // CHECK: llvm.store %[[V:.*]], %[[COPY:.*]] :
  // CHECK: llvm.call @host.checkSharedStore(%arg0, %{{.*}}, %[[COPY]], %{{.*}}, %{{.*}})
  // CHECK: llvm.store %[[V]],
  // PROFILE: llvm.call @host.profileShared
  llvm.store %v, %s {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  // CHECK: llvm.call @host.atomicBegin(%arg0, %[[P]], %{{.*}}, %{{.*}}, %{{.*}})
  // CHECK-NEXT: %[[OLD:.*]] = llvm.atomicrmw add %[[P]], %{{.*}} monotonic
  // CHECK: llvm.call @host.atomicEnd(%arg0, %[[P]], %{{.*}}, %{{.*}})
  %old = llvm.atomicrmw add %p, %one monotonic : !llvm.ptr<1>, i32
  // CHECK-NOT: host.check
  // CHECK: llvm.return
  llvm.store %old, %own : i32, !llvm.ptr
  llvm.return
}
