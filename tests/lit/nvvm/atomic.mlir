// RUN: phobos-opt %s --tile-to-llvm -split-input-file | FileCheck %s
// If this fails, an element is changed twice by replicated threads, a mask is lost, or the block does not meet where it releases.

// Two lanes hold each element: one changes it. Nobody asks what was there, so nobody is told.
#half = #tile.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = []>
// CHECK-LABEL: llvm.func @writer
tile.kernel @writer(%x: f32, %C: !tile.view<?xf32, strides = [1], align = 16>) attributes {tile.threads = 32 : i32} {
  %i = tile.block_id x
  %t = tile.splat %x : f32 -> tensor<16xf32, #half>
  // CHECK: %[[SIXTEEN:.*]] = llvm.mlir.constant(16 : i32)
  // CHECK: %[[BIT:.*]] = llvm.and %{{.*}}, %[[SIXTEEN]] : i32
  // CHECK: %[[WRITES:.*]] = llvm.icmp "eq" %[[BIT]]
  // CHECK: %[[INSIDE:.*]] = llvm.icmp "ult"
  // CHECK: %[[BOTH:.*]] = llvm.and %[[WRITES]], %[[INSIDE]] : i1
  // CHECK: llvm.cond_br %[[BOTH]]
  // CHECK: llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("device") monotonic
  // CHECK-NOT: nvvm.barrier
  // CHECK-NOT: llvm.atomicrmw
  // CHECK: llvm.return
  %old = tile.atomic add device relaxed %t, %C[%i] : tensor<16xf32, #half>, !tile.view<?xf32, strides = [1], align = 16>
  tile.return
}

// -----

// Everybody wants to know: through shared memory. The barrier before is the release's.
#one = #tile.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[0]]>
// CHECK-LABEL: llvm.func @told
tile.kernel @told(%x: i32, %y: i32, %L: !tile.view<1xi32, strides = [1], align = 16>, %O: !tile.view<1xi32, strides = [1], align = 16>)
    attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %t = tile.splat %x : i32 -> tensor<1xi32, #one>
  %u = tile.splat %y : i32 -> tensor<1xi32, #one>
  // CHECK: nvvm.barrier
  // CHECK: llvm.fence syncscope("block") release
  // CHECK: llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} syncscope("block") monotonic monotonic
  // CHECK: llvm.fence syncscope("block") acquire
  // CHECK: llvm.store %{{.*}} !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK: llvm.load %{{.*}} !llvm.ptr<3>
  // CHECK: llvm.store %{{.*}} !llvm.ptr<1>
  %old = tile.atomic cas block acq_rel %t, %L[%c0] compare %u whole [true]
    : tensor<1xi32, #one>, !tile.view<1xi32, strides = [1], align = 16>, tensor<1xi32, #one>
  tile.store %old, %O[%c0] whole [true] : tensor<1xi32, #one>, !tile.view<1xi32, strides = [1], align = 16>
  tile.return
}
