// RUN: phobos-opt %s --nvvm-to-host | FileCheck %s
// The simulator is told which arguments are an index, and which line is the note of an assertion; a call that says nothing stays in
// the order it comes in.

// CHECK-DAG: llvm.mlir.global internal constant @[[$NOTE:host.text.1]](
llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)

// CHECK-LABEL: llvm.func @k.fiber
// CHECK-SAME: (%[[THREAD:.*]]: !llvm.ptr {{.*}}, %{{.*}}: !llvm.ptr)
llvm.func @k(%out: !llvm.ptr<1>, %text: !llvm.ptr, %line: i32, %size: i64) attributes {nvvm.kernel} {
  // CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[PRINTED:.*]] = llvm.call @host.print(%[[THREAD]], %{{.*}}, %{{.*}}, %[[TWO]], %{{.*}})
  %0 = llvm.call @vprintf(%text, %text) {tile.coordinates = 2 : i32} : (!llvm.ptr, !llvm.ptr) -> i32
  // CHECK: llvm.store %[[PRINTED]]
  llvm.store %0, %out : i32, !llvm.ptr<1>
  // CHECK: %[[NONE:.*]] = llvm.mlir.constant(-1 : i32)
  // CHECK: llvm.call @host.print(%[[THREAD]], %{{.*}}, %{{.*}}, %[[NONE]], %{{.*}})
  %1 = llvm.call @vprintf(%text, %text) : (!llvm.ptr, !llvm.ptr) -> i32
  // CHECK: %[[FORMAT:.*]] = llvm.mlir.addressof @[[$NOTE]]
  // CHECK: llvm.call @host.explain(%[[THREAD]], %[[FORMAT]], %{{.*}}, %{{.*}})
  %2 = llvm.call @vprintf(%text, %text) {tile.explains = "at %d"} : (!llvm.ptr, !llvm.ptr) -> i32
  // CHECK: llvm.call @host.assertFail(%[[THREAD]],
  llvm.call @__assertfail(%text, %text, %line, %text, %size) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64) -> ()
  llvm.return
}
