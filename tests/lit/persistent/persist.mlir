// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-persist))' | FileCheck %s
// Each CTA of a persistent kernel runs every resident_count-th block, the first axis fastest.

// CHECK-LABEL: tile.kernel @walks
tile.kernel @walks(%A: !tile.view<?xf32>, %x: f32) attributes {tile.persistent} {
  // CHECK: %[[W:.*]] = tile.grid_dim x
  // CHECK: %[[H:.*]] = tile.grid_dim y
  // CHECK: %[[PLANE:.*]] = arith.muli %[[W]], %[[H]]
  // CHECK: %[[D:.*]] = tile.grid_dim z
  // CHECK: %[[N:.*]] = arith.muli %[[PLANE]], %[[D]]
  // CHECK: %[[FIRST:.*]] = tile.resident_id
  // CHECK: %[[STEP:.*]] = tile.resident_count
  // CHECK: scf.for %[[B:.*]] = %[[FIRST]] to %[[N]] step %[[STEP]]
  // CHECK: %[[X:.*]] = arith.remui %[[B]], %[[W]]
  // CHECK: %[[ROWS:.*]] = arith.divui %[[B]], %[[W]]
  // CHECK: %[[Y:.*]] = arith.remui %[[ROWS]], %[[H]]
  // CHECK: %[[Z:.*]] = arith.divui %[[B]], %[[PLANE]]
  // CHECK-NOT: tile.block_id
  // CHECK: arith.addi %[[X]], %[[Y]]
  // CHECK: arith.addi %{{.*}}, %[[Z]]
  // CHECK: tile.store
  // CHECK: tile.return
  %bx = tile.block_id x
  %by = tile.block_id y
  %bz = tile.block_id z
  %p = arith.addi %bx, %by : index
  %i = arith.addi %p, %bz : index
  %t = tile.splat %x : f32 -> tensor<4xf32>
  tile.store %t, %A[%i] : tensor<4xf32>, !tile.view<?xf32>
  tile.return
}

// -----

// With a queue it begins in the same way, and goes on with what it draws.
// CHECK-LABEL: tile.kernel @draws
tile.kernel @draws(%A: !tile.view<?xf32>, %x: f32) attributes {tile.persistent, tile.queue} {
  // CHECK: %[[FIRST:.*]] = tile.resident_id
  // CHECK: %[[NEXT:.*]] = tile.queue
  // CHECK-NOT: tile.resident_count
  // CHECK: scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %[[NEXT]]
  %bx = tile.block_id x
  %t = tile.splat %x : f32 -> tensor<4xf32>
  tile.store %t, %A[%bx] : tensor<4xf32>, !tile.view<?xf32>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @plain
tile.kernel @plain(%A: !tile.view<?xf32>) {
  // CHECK-NOT: scf.for
  // CHECK: tile.block_id x
  %bx = tile.block_id x
  tile.return
}
