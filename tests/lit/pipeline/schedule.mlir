// RUN: phobos-opt %s -allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(dot-schedule-loop))' | FileCheck %s
// What a marked operation needs runs ahead with it (cluster 0), the rest in its own turn (cluster 1). No product needed to test this.

// CHECK-LABEL: tile.kernel @ahead
tile.kernel @ahead(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %n: index) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %s = dot.alloc : !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
  scf.for %k = %c0 to %n step %c16 {
    // CHECK: arith.addi {{.*}}dot.cluster = 0
    %row = arith.addi %k, %c16 : index
    // CHECK: arith.muli {{.*}}dot.cluster = 1
    %other = arith.muli %k, %c16 : index
    // CHECK: dot.copy_async {{.*}}dot.cluster = 0
    dot.copy_async %A[%row, %c0] into %s[%c0] bytes 16 {dot.latency = 1 : i32} : !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
    // CHECK: "test.use"{{.*}}dot.cluster = 1
    "test.use"(%other) : (index) -> ()
  }
  tile.return
}
