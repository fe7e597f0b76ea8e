// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// Where an assertion fails one thread says so; every thread that sees it leaves the kernel. Padding holds.

// CHECK-DAG: llvm.mlir.global internal constant @[[$MESSAGE:phobos_text_[0-9]+]]("n is 100%\00")
// CHECK-DAG: llvm.mlir.global internal constant @phobos_text_{{[0-9]+}}("assert.mlir:{{[0-9]+}}: block (%d, %d, %d): assertion failed: n is 100%%\0A\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[$LINE:phobos_text_[0-9]+]]("assert.mlir:{{[0-9]+}}: block (%d, %d, %d): assertion failed at [%d]: t\0A\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[$NAME:phobos_text_[0-9]+]]("scalar\00")
// CHECK-DAG: llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)

// CHECK-LABEL: llvm.func @scalar
tile.kernel @scalar(%c: i1) {
  %x = tile.block_id x
  // CHECK: %[[FAILS:.*]] = llvm.xor
  // CHECK: llvm.cond_br %[[FAILS]], ^[[FAILED:.*]], ^[[GOES_ON:.*]]
  // CHECK: ^[[FAILED]]:
  // CHECK: llvm.icmp "eq"
  // CHECK: llvm.call @vprintf({{.*}}) {tile.explains = "this is block (%d, %d, %d)"}
  // CHECK: %[[TEXT:.*]] = llvm.mlir.addressof @[[$MESSAGE]]
  // CHECK: %[[FUNCTION:.*]] = llvm.mlir.addressof @[[$NAME]]
  // CHECK: llvm.call @__assertfail(%[[TEXT]], %{{.*}}, %{{.*}}, %[[FUNCTION]], %{{.*}})
  // CHECK: llvm.return
  // CHECK: ^[[GOES_ON]]:
  tile.assert %c, "n is 100%" at %x, %x, %x : i1
  tile.return
}

// 3 of 4 elements in registers, the same in every lane.
#tile = #tile.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = []>
// CHECK-LABEL: llvm.func @tile
tile.kernel @tile(%x: f32, %y: f32) attributes {tile.threads = 32 : i32} {
  %z = arith.constant 0 : index
  %a = tile.splat %x : f32 -> tensor<3xf32, #tile>
  %b = tile.splat %y : f32 -> tensor<3xf32, #tile>
  %t = arith.cmpf olt, %a, %b : tensor<3xf32, #tile>
  // CHECK: llvm.fcmp "olt"
  // CHECK-COUNT-4: llvm.icmp "ult"
  // CHECK: llvm.cond_br %{{.*}}, ^[[FAILED:.*]], ^[[GOES_ON:.*]]
  // CHECK: ^[[FAILED]]:
  // CHECK: llvm.mlir.constant(31 : i32)
  // CHECK: llvm.cond_br
  // CHECK: llvm.load %{{.*}} -> i8
  // CHECK: llvm.mlir.addressof @[[$LINE]]
  // CHECK: llvm.call @vprintf({{.*}}) {tile.explains = "this is block (%d, %d, %d), at index [%d]"}
  // CHECK: llvm.call @__assertfail
  // CHECK-NOT: @__assertfail
  // CHECK: ^[[GOES_ON]]:
  tile.assert %t, "t" at %z, %z, %z : tensor<3xi1, #tile>
  tile.return
}
