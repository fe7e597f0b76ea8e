// RUN: phobos-opt %s '--nvvm-to-host=check-global check-shared' | FileCheck %s
// If this fails, a kernel whose threads are independent pays for fibers when it is checked, or one is checked as a loop that cannot be: where
// shared memory or what orders blocks is used, it must be known which thread does.

// A load: is it where the last one was? Then it is noted, with the thread above the address.
// CHECK-LABEL: llvm.func @loads.loop
// CHECK: %[[AT:.*]] = llvm.getelementptr %arg0[56]
// CHECK: %[[SLOTS:.*]] = llvm.load %[[AT]] invariant
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[P:.*]] : !llvm.ptr to i64
// CHECK: %[[BEGIN:.*]] = llvm.load %[[SLOTS]] : !llvm.ptr -> i64
// CHECK: %[[ROOM:.*]] = llvm.load
// CHECK: %[[AWAY:.*]] = llvm.sub %[[ADDRESS]], %[[BEGIN]]
// CHECK: %[[OUTSIDE:.*]] = llvm.icmp "ugt" %[[AWAY]], %[[ROOM]]
// CHECK: llvm.cond_br %[[OUTSIDE]] weights([1, 1000]), ^[[SLOW:bb[0-9]+]], ^[[ON:bb[0-9]+]]
// CHECK: ^[[SLOW]]:
// CHECK: llvm.call @host.checkPlace(%arg0, %[[P]], %{{.*}}, %[[TID:.*]])
// CHECK: ^[[ON]]:
// CHECK: %[[THREAD:.*]] = llvm.shl
// CHECK: %[[WORD:.*]] = llvm.or %[[ADDRESS]], %[[THREAD]]
// CHECK: llvm.store %[[WORD]], %[[NEXT:.*]] : i64
// CHECK: llvm.getelementptr %[[NEXT]]
// CHECK: llvm.call @host.accessesFull
// CHECK: llvm.load %[[P]] : !llvm.ptr -> f32
llvm.func @loads(%in: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>} {
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %wide = llvm.zext %tid : i32 to i64
  %p = llvm.getelementptr %in[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  llvm.return
}

// A store's bytes are noted too; a masked load is noted where its mask is set.
// CHECK-LABEL: llvm.func @masked.loop
// CHECK: %[[MASK:.*]] = llvm.icmp "ult"
// CHECK: %[[CHECKED:.*]] = llvm.and %[[MASK]], %{{.*}} : i1
// CHECK: llvm.cond_br %[[CHECKED]]
// CHECK: llvm.select %[[MASK]], %{{.*}}, %{{.*}} : i1, i64
// CHECK: %[[VALUE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: llvm.store %[[VALUE]], %{{.*}} {alignment = 1 : i64} : f32, !llvm.ptr
// CHECK: llvm.store %[[VALUE]], %{{.*}} : f32, !llvm.ptr
llvm.mlir.global internal constant @zeros(dense<0> : tensor<4xi32>) {addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<4 x i32>
llvm.func @masked(%in: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>} {
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %wide = llvm.zext %tid : i32 to i64
  %p = llvm.getelementptr %in[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %inside = llvm.icmp "ult" %tid, %n : i32
  %zeros = llvm.mlir.addressof @zeros : !llvm.ptr<1>
  %q = llvm.select %inside, %p, %zeros : i1, !llvm.ptr<1>
  %x = llvm.load %q : !llvm.ptr<1> -> f32
  llvm.store %x, %p : f32, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: llvm.func @shared.fiber
llvm.mlir.global external @s() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x i32>
llvm.func @shared(%v: i32) attributes {nvvm.kernel} {
  %s = llvm.mlir.addressof @s : !llvm.ptr<3>
  llvm.store %v, %s : i32, !llvm.ptr<3>
  llvm.return
}

// CHECK-LABEL: llvm.func @fenced.fiber
llvm.func @fenced(%p: !llvm.ptr<1>, %v: i32) attributes {nvvm.kernel} {
  llvm.store %v, %p : i32, !llvm.ptr<1>
  llvm.fence syncscope("device") acq_rel
  llvm.return
}

// CHECK-LABEL: llvm.func @released.fiber
llvm.func @released(%p: !llvm.ptr<1>, %v: i32) attributes {nvvm.kernel} {
  %old = llvm.atomicrmw add %p, %v release : !llvm.ptr<1>, i32
  llvm.return
}

// CHECK-LABEL: llvm.func @relaxed.loop
llvm.func @relaxed(%p: !llvm.ptr<1>, %v: i32) attributes {nvvm.kernel} {
  %old = llvm.atomicrmw add %p, %v monotonic : !llvm.ptr<1>, i32
  llvm.return
}
