// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// If this fails, a kernel, its attributes or its launch indices are lost on the way through text.

// CHECK: tile.kernel @empty() {
// CHECK-NEXT: tile.return
tile.kernel @empty() {
  tile.return
}

// CHECK: tile.kernel @indices
// CHECK-SAME: %[[A:.*]]: !tile.view<?x128xf32> {tile.dims = ["M", ""], tile.name = "A"}
// CHECK-SAME: %[[S:.*]]: f32 {tile.name = "s"}
// CHECK-SAME: attributes {dot.stages = 3 : i32, dot.tensorcore = "tf32x3", tile.dims = {M = 64 : i64}, tile.index_bits = 32 : i32, tile.threads = 256 : i32}
tile.kernel @indices(%A: !tile.view<?x128xf32> {tile.name = "A", tile.dims = ["M", ""]}, %s: f32 {tile.name = "s"})
    attributes {tile.threads = 256 : i32, tile.index_bits = 32 : i32, tile.dims = {M = 64 : i64}, dot.tensorcore = "tf32x3", dot.stages = 3 : i32} {
  // CHECK: tile.block_id x
  %x = tile.block_id x
  // CHECK: tile.block_id z
  %z = tile.block_id z
  // CHECK: tile.grid_dim y
  %n = tile.grid_dim y
  tile.return
}
