// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// A masked load reads zeros of the module: of an empty tensor there is no first element, and another block may be writing it.

#row = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
// CHECK: llvm.mlir.global internal constant @phobos_zeros(dense<0> : tensor<4xi32>) {addr_space = 1 : i32, alignment = 16 : i64}
// CHECK-LABEL: llvm.func @load
tile.kernel @load(%A: !tile.view<?xf32, strides = [1], align = 16>, %B: !tile.view<?xf32, strides = [1], align = 16>, %i: index, %fill: f32)
    attributes {tile.threads = 32 : i32} {
  // CHECK: %[[ZEROS:.*]] = llvm.mlir.addressof @phobos_zeros
  // CHECK: %[[P:.*]] = llvm.select %{{.*}}, %{{.*}}, %[[ZEROS]]
  // CHECK-NEXT: %[[X:.*]] = llvm.load %[[P]]
  // CHECK-NOT: llvm.select %{{.*}}, %[[X]]
  %a = tile.load %A[%i] whole [false] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<32xf32, #row>
  // CHECK: %[[Y:.*]] = llvm.load
  // CHECK: llvm.select %{{.*}}, %[[Y]], %{{.*}} : i1, f32
  %b = tile.load %A[%i] fill %fill whole [false] : !tile.view<?xf32, strides = [1], align = 16>, f32 -> tensor<32xf32, #row>
  %c = arith.addf %a, %b : tensor<32xf32, #row>
  tile.store %c, %B[%i] whole [false] : tensor<32xf32, #row>, !tile.view<?xf32, strides = [1], align = 16>
  tile.return
}
