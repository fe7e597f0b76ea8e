// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-simplify-masks))' | FileCheck %s
// Without a promise nothing is whole, nor where the offset is no multiple of the slice: dropping these masks reads past the end.

// CHECK-LABEL: tile.kernel @unknown
tile.kernel @unknown(%A: !tile.view<?xf32> {tile.dims = ["N"]}) {
  %c128 = arith.constant 128 : index
  %p = tile.block_id x
  %o = arith.muli %p, %c128 : index
  // CHECK: tile.load {{.*}} whole [false]
  %a = tile.load %A[%o] : !tile.view<?xf32> -> tensor<128xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @shifted
tile.kernel @shifted(%A: !tile.view<?xf32> {tile.dims = ["N"]}) attributes {tile.dims = {N = 128 : i64}} {
  %c128 = arith.constant 128 : index
  %c1 = arith.constant 1 : index
  %p = tile.block_id x
  %o = arith.muli %p, %c128 : index
  %next = arith.addi %o, %c1 : index
  // CHECK: tile.load {{.*}} whole [false]
  %a = tile.load %A[%next] : !tile.view<?xf32> -> tensor<128xf32>
  tile.return
}

// A fill tells outside from inside, so the bound must stay.
// CHECK-LABEL: tile.kernel @filled
tile.kernel @filled(%A: !tile.view<?xf32> {tile.dims = ["N"]}) attributes {tile.dims = {N = 128 : i64}} {
  %c128 = arith.constant 128 : index
  %one = arith.constant 1.0 : f32
  %p = tile.block_id x
  %o = arith.muli %p, %c128 : index
  // CHECK: tile.load {{.*}} whole [false]
  %a = tile.load %A[%o] fill %one : !tile.view<?xf32>, f32 -> tensor<128xf32>
  tile.return
}
