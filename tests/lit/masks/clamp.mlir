// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-simplify-masks))' | FileCheck %s
// A block past the end of a promised dim must neither read nor write outside it: its load is clamped, its store keeps one bound.

// CHECK-LABEL: tile.kernel @grid
tile.kernel @grid(%A: !tile.view<?xf32> {tile.dims = ["N"]}, %B: !tile.view<?xf32> {tile.dims = ["N"]})
    attributes {tile.dims = {N = 128 : i64}} {
  %c128 = arith.constant 128 : index
  %p = tile.block_id x
  // CHECK: %[[OFFSET:.*]] = arith.muli
  %o = arith.muli %p, %c128 : index
  // CHECK: %[[EXTENT:.*]] = tile.extent
  // CHECK: %[[LAST:.*]] = arith.subi %[[EXTENT]]
  // CHECK: %[[LOW:.*]] = arith.minsi %[[OFFSET]], %[[LAST]]
  // CHECK: %[[INSIDE:.*]] = arith.maxsi %[[LOW]]
  // CHECK: tile.load %{{.*}}[%[[INSIDE]]] whole [true]
  %a = tile.load %A[%o] : !tile.view<?xf32> -> tensor<128xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%[[OFFSET]]] whole [false]
  tile.store %a, %B[%o] : tensor<128xf32>, !tile.view<?xf32>
  tile.return
}

// Through a loop's sum too.
// CHECK-LABEL: tile.kernel @carried
tile.kernel @carried(%A: !tile.view<?x?xf32> {tile.dims = ["M", "K"]}, %B: !tile.view<?xf32> {tile.dims = ["M"]}, %n: index)
    attributes {tile.dims = {M = 16 : i64}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tile.block_id x
  %row = arith.muli %p, %c16 : index
  %sum = scf.for %k = %c0 to %n step %c16 iter_args(%s = %zero) -> (tensor<16x16xf32>) {
    // CHECK: tile.load {{.*}} whole [true, false]
    %a = tile.load %A[%row, %k] : !tile.view<?x?xf32> -> tensor<16x16xf32>
    %t = arith.addf %s, %a : tensor<16x16xf32>
    scf.yield %t : tensor<16x16xf32>
  }
  %r = tile.reduce %sum axis 1 identity [0.0 : f32] : tensor<16x16xf32> -> tensor<16xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  tile.store %r, %B[%row] : tensor<16xf32>, !tile.view<?xf32>
  tile.return
}

// The tile before is stored here: before the first there are zeros, not the first.
// CHECK-LABEL: tile.kernel @neighbour
tile.kernel @neighbour(%A: !tile.view<?xf32> {tile.dims = ["N"]}, %B: !tile.view<?xf32> {tile.dims = ["N"]})
    attributes {tile.dims = {N = 128 : i64}} {
  %c128 = arith.constant 128 : index
  %p = tile.block_id x
  %o = arith.muli %p, %c128 : index
  %before = arith.subi %o, %c128 : index
  // CHECK: tile.load {{.*}} whole [false]
  %a = tile.load %A[%before] : !tile.view<?xf32> -> tensor<128xf32>
  tile.store %a, %B[%o] : tensor<128xf32>, !tile.view<?xf32>
  tile.return
}

// What is read decides a branch, and whose it is nobody can tell.
// CHECK-LABEL: tile.kernel @decides
tile.kernel @decides(%A: !tile.view<?xi1> {tile.dims = ["N"]}, %B: !tile.view<?xf32> {tile.dims = ["N"]}, %v: tensor<1xf32>)
    attributes {tile.dims = {N = 1 : i64}} {
  %c1 = arith.constant 1 : index
  %p = tile.block_id x
  %o = arith.muli %p, %c1 : index
  // CHECK: tile.load {{.*}} whole [false]
  %a = tile.load %A[%o] : !tile.view<?xi1> -> tensor<1xi1>
  %c = tile.to_scalar %a : tensor<1xi1> -> i1
  scf.if %c {
    tile.store %v, %B[%o] : tensor<1xf32>, !tile.view<?xf32>
  }
  tile.return
}

// Another block may be writing what a clamped load would read.
// CHECK-LABEL: tile.kernel @inPlace
tile.kernel @inPlace(%A: !tile.view<?xf32> {tile.dims = ["N"]}) attributes {tile.dims = {N = 128 : i64}} {
  %c128 = arith.constant 128 : index
  %p = tile.block_id x
  %o = arith.muli %p, %c128 : index
  // CHECK: tile.load {{.*}} whole [false]
  %a = tile.load %A[%o] : !tile.view<?xf32> -> tensor<128xf32>
  tile.store %a, %A[%o] : tensor<128xf32>, !tile.view<?xf32>
  tile.return
}
