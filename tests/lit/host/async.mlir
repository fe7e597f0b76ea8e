// RUN: phobos-opt %s --nvvm-to-host | FileCheck %s
// If this fails, an asynchronous copy or the object that it completes on is lost on the way.

llvm.mlir.global external @s() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<4096 x i8>
// CHECK-LABEL: llvm.func @copies
llvm.func @copies(%in: !llvm.ptr<1>, %bytes: i32, %count: i32, %p: i1) attributes {nvvm.kernel} {
  %s = llvm.mlir.addressof @s : !llvm.ptr<3>
  // CHECK: %[[SIZE:.*]] = llvm.mlir.constant(16 : i32)
  // CHECK: llvm.call @host.copyAsync(%arg0, %{{.*}}, %{{.*}}, %[[SIZE]], %[[BYTES:.*]], %{{.*}})
  nvvm.cp.async.shared.global %s, %in, 16, cache = cg, %bytes : !llvm.ptr<3>, !llvm.ptr<1>, i32
  // CHECK: llvm.call @host.copyCommit
  nvvm.cp.async.commit.group
  // CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @host.copyWait(%arg0, %[[ONE]],
  nvvm.cp.async.wait.group 1
  // CHECK: llvm.cond_br
  // CHECK: llvm.call @host.mbarInit(%arg0, %{{.*}}, %[[COUNT:.*]], %{{.*}})
  nvvm.mbarrier.init %s, %count, predicate = %p : !llvm.ptr<3>, i32, i1
  // CHECK: %[[EXPECT:.*]] = llvm.mlir.constant(4 : i32)
  // CHECK: llvm.call @host.mbarArrive(%arg0, %{{.*}}, %{{.*}}, %[[BYTES]], %[[EXPECT]], %{{.*}})
  nvvm.mbarrier.arrive.expect_tx %s, %bytes : !llvm.ptr<3>, i32
  // CHECK: llvm.call @host.mbarArrive
  %state = nvvm.mbarrier.arrive %s : !llvm.ptr<3> -> i64
  // CHECK: llvm.call @host.mbarWaitParity
  nvvm.mbarrier.try_wait.parity %s, %count, %count : !llvm.ptr<3>, i32, i32
  // CHECK: llvm.call @host.mbarTestState
  %done = nvvm.mbarrier.test.wait %s, %state : !llvm.ptr<3>, i64 -> i1
  llvm.return
}

// CHECK-LABEL: llvm.func @bulk
llvm.func @bulk(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>}, %x: i32, %y: i32, %mask: i16) attributes {nvvm.kernel} {
  %s = llvm.mlir.addressof @s : !llvm.ptr<3>
  // CHECK: %[[MASK:.*]] = llvm.zext %{{.*}} : i16 to i32
  // CHECK: llvm.call @host.tmaLoad(%arg0, %{{.*}}, %{{.*}}, %{{.*}}, %[[X:.*]], %[[Y:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %[[MASK]], %{{.*}})
  %c = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<7>
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %map, %s, box[%x, %y] multicast_mask = %mask : !llvm.ptr<7>, !llvm.ptr
  // CHECK: llvm.call @host.tmaStore(%arg0, %{{.*}}, %{{.*}}, %[[X]], %[[Y]],
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %s, box[%x, %y] : !llvm.ptr, !llvm.ptr<3>
  // CHECK: llvm.call @host.bulkCommit
  nvvm.cp.async.bulk.commit.group
  // CHECK: %[[READ:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @host.bulkWait(%arg0, %{{.*}}, %[[READ]],
  nvvm.cp.async.bulk.wait_group 0 {read}
  llvm.return
}
