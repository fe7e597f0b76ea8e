// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// Parts that every thread has alike are registers; any other goes through shared memory, with a barrier, and is masked where it may be outside.

#rows = #tile.layout<register = [[0, 1], [0, 32]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warp = [[2, 0]]>
#left = #tile.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warp = [[2, 0]]>
#vector = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0]]>
#half = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0]]>

// CHECK-LABEL: llvm.func @registers
// CHECK-NOT: addr_space = 3
// CHECK-NOT: barrier
// CHECK: llvm.return
tile.kernel @registers(%A: !tile.view<4x64xf32, strides = [4*?, 1], align = 16>) attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %back = arith.constant -32 : index
  %t = tile.load %A[%c0, %c0] whole [true, true] : !tile.view<4x64xf32, strides = [4*?, 1], align = 16> -> tensor<4x64xf32, #rows>
  %right = tile.part %t[%c0, %c32] : tensor<4x64xf32, #rows> -> tensor<4x32xf32, #left>
  %new = tile.part %right[%c0, %c0] else %t : tensor<4x64xf32, #rows> : tensor<4x32xf32, #left> -> tensor<4x64xf32, #rows>
  tile.store %new, %A[%c0, %c0] whole [true, true] : tensor<4x64xf32, #rows>, !tile.view<4x64xf32, strides = [4*?, 1], align = 16>
  tile.return
}

// CHECK-LABEL: llvm.func @shared
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: llvm.icmp "ult"
// CHECK: %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: llvm.select %{{.*}}, %[[X]], %{{.*}} : i1, f32
tile.kernel @shared(%A: !tile.view<64xf32, strides = [1], align = 16>, %i: index) attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %t = tile.load %A[%c0] whole [true] : !tile.view<64xf32, strides = [1], align = 16> -> tensor<64xf32, #vector>
  %p = tile.part %t[%i] : tensor<64xf32, #vector> -> tensor<32xf32, #half>
  tile.store %p, %A[%c0] whole [true] : tensor<32xf32, #half>, !tile.view<64xf32, strides = [1], align = 16>
  tile.return
}

// Where all of a part is known to be inside nothing is masked.
// CHECK-LABEL: llvm.func @inside
// CHECK: nvvm.barrier
// CHECK-NOT: llvm.icmp "ult"
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
tile.kernel @inside(%A: !tile.view<64xf32, strides = [1], align = 16>) attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %t = tile.load %A[%c0] whole [true] : !tile.view<64xf32, strides = [1], align = 16> -> tensor<64xf32, #vector>
  %p = tile.part %t[%c5] : tensor<64xf32, #vector> -> tensor<32xf32, #half>
  tile.store %p, %A[%c0] whole [true] : tensor<32xf32, #half>, !tile.view<64xf32, strides = [1], align = 16>
  tile.return
}
