// RUN: phobos-opt %s --nvvm-to-host | FileCheck %s
// RUN: phobos-opt %s '--nvvm-to-host=thread-loop=false' | FileCheck %s --check-prefix=FIBER
// If this fails, kernels in which no thread waits for another pay for fibers, or threads are numbered wrong.

// The extents that the kernel promises to be one are not looped over.
// CHECK-LABEL: llvm.func @k.loop
// CHECK: %[[N:.*]] = llvm.load %{{.*}} invariant : !llvm.ptr -> i32
// CHECK: llvm.br ^[[HEAD:.*]](%{{.*}} : i32)
// CHECK: ^[[HEAD]](%[[TID:.*]]: i32):
// CHECK: %[[WIDE:.*]] = llvm.zext %[[TID]]
// CHECK: llvm.getelementptr %{{.*}}[%[[WIDE]]]
// CHECK: %[[NEXT:.*]] = llvm.add %[[TID]], %{{.*}}
// CHECK: %[[DONE:.*]] = llvm.icmp "uge" %[[NEXT]], %[[N]]
// CHECK: llvm.cond_br %[[DONE]], ^{{.*}}, ^[[HEAD]](%[[NEXT]] : i32)

// FIBER-LABEL: llvm.func @k.fiber
// FIBER: %[[AT:.*]] = llvm.getelementptr %arg0[32]
// FIBER: llvm.load %[[AT]] invariant : !llvm.ptr -> i32
// FIBER-NOT: llvm.cond_br
llvm.func @k(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>} {
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %wide = llvm.zext %tid : i32 to i64
  %p = llvm.getelementptr %out[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %tid, %p : i32, !llvm.ptr<1>
  llvm.return
}
