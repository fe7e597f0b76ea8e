// RUN: phobos-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-guard-rows))' | FileCheck %s
// What is selected for some rows alone goes into a branch that a warp takes if it has such a row; elsewhere the other side is taken.

// CHECK-LABEL: tile.kernel @late
tile.kernel @late(%n: index, %x: f32, %limit: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.splat %x : f32 -> tensor<64x32xf32>
  %top = tile.splat %limit : f32 -> tensor<64x1xf32>
  // CHECK: scf.for
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %s, %t = %top) -> (tensor<64x32xf32>, tensor<64x1xf32>) {
    // CHECK: %[[PART:.*]] = tile.reduce %[[P:.*]] axis 1
    %sum = tile.reduce %p axis 1 identity [0.0 : f32] : tensor<64x32xf32> -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %y = arith.addf %a, %b : f32
      tile.yield %y : f32
    }
    %part = tile.expand_dims %sum, 1 : tensor<64xf32> -> tensor<64x1xf32>
    // CHECK: %[[CALM:.*]] = arith.cmpf olt
    %calm = arith.cmpf olt, %part, %t : tensor<64x1xf32>
    // CHECK: %[[LATE:.*]] = arith.xori %[[CALM]]
    // CHECK: %[[WIDE:.*]] = tile.broadcast %[[LATE]] : tensor<64x1xi1> -> tensor<64x32xi1>
    // CHECK: %[[ANY:.*]] = tile.any_in_warp %[[WIDE]] beside %[[P]]
    // CHECK: %[[R:.*]]:2 = scf.if %[[ANY]] -> (tensor<64x1xf32>, tensor<64x32xf32>) {
    // CHECK: tile.reduce
    // CHECK: arith.select %[[CALM]]
    // CHECK: math.exp2
    // CHECK: arith.select
    // CHECK: } else {
    // CHECK-NEXT: scf.yield %[[T:.*]], %[[P]]
    %most = tile.reduce %p axis 1 identity [0xFF800000 : f32] : tensor<64x32xf32> -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %y = arith.maximumf %a, %b : f32
      tile.yield %y : f32
    }
    %new = tile.expand_dims %most, 1 : tensor<64xf32> -> tensor<64x1xf32>
    %raised = arith.select %calm, %t, %new : tensor<64x1xi1>, tensor<64x1xf32>
    // What others make of a result comes behind the branch.
    // CHECK: arith.negf %[[R]]#0
    %other = arith.negf %raised : tensor<64x1xf32>
    %e = math.exp2 %p : tensor<64x32xf32>
    %calms = tile.broadcast %calm : tensor<64x1xi1> -> tensor<64x32xi1>
    %q = arith.select %calms, %p, %e : tensor<64x32xi1>, tensor<64x32xf32>
    // CHECK: scf.yield %[[R]]#1
    scf.yield %q, %other : tensor<64x32xf32>, tensor<64x1xf32>
  }
  tile.return
}

// -----

// Nothing worth a branch: a number for each row, from what is there.
// CHECK-LABEL: tile.kernel @cheap
// CHECK-NOT: tile.any_in_warp
tile.kernel @cheap(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.splat %x : f32 -> tensor<64x1xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %s) -> (tensor<64x1xf32>) {
    %calm = arith.cmpf olt, %t, %s : tensor<64x1xf32>
    %d = arith.addf %t, %t : tensor<64x1xf32>
    %u = arith.select %calm, %t, %d : tensor<64x1xi1>, tensor<64x1xf32>
    scf.yield %u : tensor<64x1xf32>
  }
  tile.return
}
