// RUN: phobos-opt %s '--nvvm-to-host=check-global check-shared' | FileCheck %s
// If this fails, the checkers take an atomic access for one of another kind, order or scope. Flags: 1 reads, 2 writes, 4 acquires, 8 releases,
// 16 of the block's scope only.

// CHECK-LABEL: llvm.func @k.fiber
llvm.func @k(%p: !llvm.ptr<1>, %q: !llvm.ptr, %v: i32) attributes {nvvm.kernel} {
  // CHECK: llvm.mlir.constant(5 : i32)
  // CHECK: llvm.call @host.atomicBegin
  // CHECK-NEXT: llvm.load %{{.*}} atomic syncscope("device") acquire
  %a = llvm.load %p atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  // CHECK: llvm.mlir.constant(26 : i32)
  // CHECK: llvm.call @host.atomicBegin
  // CHECK-NEXT: llvm.store %{{.*}} atomic syncscope("block") release
  llvm.store %a, %p atomic syncscope("block") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
  // CHECK: llvm.mlir.constant(15 : i32)
  // CHECK: llvm.call @host.atomicBegin
  // CHECK-NEXT: llvm.atomicrmw
  %b = llvm.atomicrmw umax %q, %v acq_rel : !llvm.ptr, i32
  // A compare and exchange that fails releases nothing.
  // CHECK: llvm.mlir.constant(15 : i32)
  // CHECK: llvm.call @host.atomicBegin
  // CHECK-NEXT: %[[RESULT:.*]] = llvm.cmpxchg
  // CHECK-NEXT: %[[DID:.*]] = llvm.extractvalue %[[RESULT]][1]
  // CHECK-NEXT: %[[WROTE:.*]] = llvm.zext %[[DID]]
  // CHECK: llvm.call @host.atomicEnd(%arg0, %{{.*}}, %{{.*}}, %[[WROTE]])
  %c = llvm.cmpxchg %p, %a, %b seq_cst seq_cst : !llvm.ptr<1>, i32
  // Volatile: as relaxed.
  // CHECK: llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @host.atomicBegin
  // CHECK-NEXT: llvm.load volatile
  %d = llvm.load volatile %p : !llvm.ptr<1> -> i32
  // CHECK: llvm.call @host.atomicEnd
  // CHECK: llvm.return
  llvm.return
}
