// RUN: phobos-opt %s '--nvvm-to-host=check-shared' | FileCheck %s
// If this fails, a result that is used before the wait that covers it, or a register written after the fence, goes unseen; or code that is
// right is reported.

!acc = !llvm.struct<(f32, f32, f32, f32)>

// The second group is still running after a wait that leaves one.
// CHECK-LABEL: llvm.func @waits.fiber
llvm.func @waits(%a: i64, %b: i64, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.undef : !acc
  nvvm.wgmma.fence.aligned
  // CHECK: llvm.call @host.wgmma(
  %c = nvvm.wgmma.mma_async %a, %b, %zero, #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, #nvvm.wgmma_scale_out<zero>], A[<f16>, #nvvm.wgmma_scale_in<one>, <row>], B[<f16>, #nvvm.wgmma_scale_in<one>, <col>] : !acc -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  // CHECK: llvm.call @host.wgmma(
  %d = nvvm.wgmma.mma_async %a, %b, %zero, #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, #nvvm.wgmma_scale_out<zero>], A[<f16>, #nvvm.wgmma_scale_in<one>, <row>], B[<f16>, #nvvm.wgmma_scale_in<one>, <col>] : !acc -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  // CHECK: llvm.call @host.wgmmaWait
  nvvm.wgmma.wait.group.sync.aligned 1
  // CHECK-NOT: wgmmaFault
  // CHECK: llvm.store
  %c0 = llvm.extractvalue %c[0] : !acc
  llvm.store %c0, %out : f32, !llvm.ptr<1>
  // CHECK: %[[UNFINISHED:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @host.wgmmaFault(%arg0, %[[UNFINISHED]], %{{.*}}, %{{.*}})
  // CHECK: llvm.store
  %d0 = llvm.extractvalue %d[0] : !acc
  llvm.store %d0, %out : f32, !llvm.ptr<1>
  // CHECK: llvm.call @host.wgmmaWait
  nvvm.wgmma.wait.group.sync.aligned 0
  // CHECK-NOT: wgmmaFault
  // CHECK: llvm.return
  llvm.store %d0, %out : f32, !llvm.ptr<1>
  llvm.return
}

// Sums of a loop stay in their registers, which needs no fence; after it they are waited for.
// CHECK-LABEL: llvm.func @loop.fiber
// CHECK-NOT: wgmmaFault
llvm.func @loop(%a: i64, %b: i64, %n: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %one = llvm.mlir.constant(1 : i32) : i32
  %none = llvm.mlir.undef : !acc
  nvvm.wgmma.fence.aligned
  llvm.br ^head(%n, %none : i32, !acc)
^head(%i: i32, %sum: !acc):
  %next = nvvm.wgmma.mma_async %a, %b, %sum, #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, #nvvm.wgmma_scale_out<one>], A[<f16>, #nvvm.wgmma_scale_in<one>, <row>], B[<f16>, #nvvm.wgmma_scale_in<one>, <col>] : !acc -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 1
  %rest = llvm.sub %i, %one : i32
  %more = llvm.icmp "ne" %rest, %one : i32
  llvm.cond_br %more, ^head(%rest, %next : i32, !acc), ^done
^done:
  nvvm.wgmma.wait.group.sync.aligned 0
  %c0 = llvm.extractvalue %next[0] : !acc
  llvm.store %c0, %out : f32, !llvm.ptr<1>
  llvm.return
}

// A sum that was scaled between two products needs a fence before the second.
// CHECK-LABEL: llvm.func @scaled.fiber
llvm.func @scaled(%a: i64, %b: i64, %x: f32) attributes {nvvm.kernel} {
  %none = llvm.mlir.undef : !acc
  nvvm.wgmma.fence.aligned
  %c = nvvm.wgmma.mma_async %a, %b, %none, #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, #nvvm.wgmma_scale_out<zero>], A[<f16>, #nvvm.wgmma_scale_in<one>, <row>], B[<f16>, #nvvm.wgmma_scale_in<one>, <col>] : !acc -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  // CHECK-NOT: wgmmaFault
  // CHECK: llvm.fmul
  %c0 = llvm.extractvalue %c[0] : !acc
  %d0 = llvm.fmul %c0, %x : f32
  %d = llvm.insertvalue %d0, %c[0] : !acc
  // CHECK: %[[UNFENCED:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @host.wgmmaFault(%arg0, %[[UNFENCED]], %{{.*}}, %{{.*}})
  // CHECK: llvm.call @host.wgmma(
  %e = nvvm.wgmma.mma_async %a, %b, %d, #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, #nvvm.wgmma_scale_out<one>], A[<f16>, #nvvm.wgmma_scale_in<one>, <row>], B[<f16>, #nvvm.wgmma_scale_in<one>, <col>] : !acc -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  // CHECK: llvm.fmul
  %e0 = llvm.extractvalue %e[0] : !acc
  %f0 = llvm.fmul %e0, %x : f32
  %f = llvm.insertvalue %f0, %e[0] : !acc
  nvvm.wgmma.fence.aligned
  // CHECK-NOT: wgmmaFault
  // CHECK: llvm.return
  %g = nvvm.wgmma.mma_async %a, %b, %f, #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, #nvvm.wgmma_scale_out<one>], A[<f16>, #nvvm.wgmma_scale_in<one>, <row>], B[<f16>, #nvvm.wgmma_scale_in<one>, <col>] : !acc -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  llvm.return
}
