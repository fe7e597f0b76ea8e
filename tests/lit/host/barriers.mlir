// RUN: phobos-opt %s --nvvm-to-host | FileCheck %s
// If this fails, a barrier or a fence becomes another.

// CHECK-LABEL: llvm.func @k.fiber
llvm.func @k(%out: !llvm.ptr<1>, %id: i32, %n: i32, %p: i32) attributes {nvvm.kernel} {
  // CHECK: llvm.call @host.ctaBarrier(%arg0, %{{.*}}, %{{.*}}, %{{.*}})
  nvvm.barrier0
  // CHECK: llvm.call @host.ctaBarrier(%arg0, %[[ID:.*]], %[[N:.*]], %{{.*}})
  nvvm.barrier id = %id number_of_threads = %n
  // CHECK: llvm.call @host.ctaBarrierArrive(%arg0, %[[ID]], %[[N]], %{{.*}})
  nvvm.barrier.arrive id = %id number_of_threads = %n
  // CHECK: %[[ANY:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.call @host.ctaBarrierReduce(%arg0, %{{.*}}, %{{.*}}, %[[ANY]], %{{.*}}, %{{.*}})
  %r = nvvm.barrier #nvvm.reduction<or> %p -> i32
  llvm.store %r, %out : i32, !llvm.ptr<1>
  // CHECK: llvm.call @host.clusterArrive
  nvvm.cluster.arrive
  // CHECK: llvm.call @host.clusterWait
  nvvm.cluster.wait
  // CHECK: %[[GPU:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.call @host.fence(%arg0, %[[GPU]],
  nvvm.memory.barrier <gpu>
  // CHECK: %[[ASYNC:.*]] = llvm.mlir.constant(7 : i32)
  // CHECK: llvm.call @host.fence(%arg0, %[[ASYNC]],
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // What only makes a chip faster is gone.
  // CHECK-NOT: setmaxregister
  nvvm.setmaxregister decrease 40
  llvm.return
}
