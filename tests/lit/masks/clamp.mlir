// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-simplify-masks))' | FileCheck %s
// A block past the end of a promised dim must neither read nor write outside it: its load is clamped, its store keeps one bound.

// CHECK-LABEL: tile.kernel @grid
tile.kernel @grid(%A: !tile.view<?xf32> {tile.dims = ["N"]}) attributes {tile.dims = {N = 128 : i64}} {
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
  tile.store %a, %A[%o] : tensor<128xf32>, !tile.view<?xf32>
  tile.return
}
