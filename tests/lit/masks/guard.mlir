// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-guard-masks))' | FileCheck %s
// If this fails, a mask is applied in no turn or in all, or the bounds of a difference are those of a sum.

// CHECK-LABEL: tile.kernel @difference
// CHECK-SAME: (%[[A:.*]]: tensor<16x16xf16>, %[[FROM:.*]]: index, %[[N:.*]]: index)
tile.kernel @difference(%a: tensor<16x16xf16>, %from: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = tile.iota : tensor<16xi32>
  %j = arith.index_cast %i : tensor<16xi32> to tensor<16xindex>
  %f = tile.splat %from : index -> tensor<16xindex>
  // from - iota lies between from - 15 and from.
  %d = arith.subi %f, %j : tensor<16xindex>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    %s = dot.contract %a, %a, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %e = tile.splat %k : index -> tensor<16xindex>
    %m = arith.cmpi sgt, %d, %e : tensor<16xindex>
    %w = tile.expand_dims %m, 0 : tensor<16xi1> -> tensor<1x16xi1>
    %b = tile.broadcast %w : tensor<1x16xi1> -> tensor<16x16xi1>
    // CHECK: %[[S:.*]] = dot.contract
    // CHECK: %[[LAST:.*]] = arith.constant 15 : index
    // CHECK: %[[LEAST:.*]] = arith.subi %[[FROM]], %[[LAST]] : index
    // CHECK: %[[WHOLE:.*]] = arith.cmpi sgt, %[[LEAST]], %{{.*}} : index
    // CHECK: %[[MASKED:.*]] = scf.if %[[WHOLE]]
    // CHECK-NEXT: scf.yield %[[S]]
    // CHECK-NEXT: } else {
    // CHECK: arith.select
    // CHECK: arith.addf %{{.*}}, %[[MASKED]]
    %t = arith.select %b, %s, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    %x = arith.addf %sum, %t : tensor<16x16xf32>
    scf.yield %x : tensor<16x16xf32>
  }
  tile.return
}
