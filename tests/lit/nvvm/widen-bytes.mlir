// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// Four bytes become floats by their bits: put behind a power of two, which is taken off again. Else each is a conversion, of which a
// multiprocessor does a quarter as many.

#a = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
!i8 = !tile.view<128xi8, strides = [1], align = 16>
module attributes {tile.chip = "sm_80"} {
// CHECK-LABEL: llvm.func @to_halves
// CHECK: llvm.load
// CHECK-DAG: %[[SIGNS:.*]] = llvm.mlir.constant(-2139062144 : i32)
// CHECK: %[[MOVED:.*]] = llvm.xor %{{.*}}, %[[SIGNS]]
// CHECK: llvm.shufflevector %{{.*}}, %{{.*}} [0, 4, 1, 4]
// CHECK: llvm.mlir.constant(dense<1.152000e+03> : vector<2xf16>)
// CHECK: llvm.fsub {{.*}} : vector<2xf16>
// CHECK: llvm.shufflevector %{{.*}}, %{{.*}} [2, 4, 3, 4]
// CHECK: llvm.fsub {{.*}} : vector<2xf16>
// CHECK-NOT: llvm.sitofp
tile.kernel @to_halves(%A: !i8, %B: !tile.view<128xf16, strides = [1], align = 16>) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %x = tile.load %A[%c0] whole [true] : !i8 -> tensor<128xi8, #a>
  %y = arith.sitofp %x : tensor<128xi8, #a> to tensor<128xf16, #a>
  tile.store %y, %B[%c0] whole [true] : tensor<128xf16, #a>, !tile.view<128xf16, strides = [1], align = 16>
  tile.return
}

// CHECK-LABEL: llvm.func @to_brains
// CHECK: llvm.shufflevector %{{.*}}, %{{.*}} [0, 4, 4, 7]
// CHECK: llvm.fsub {{.*}} : f32
// CHECK: llvm.shufflevector %{{.*}}, %{{.*}} [1, 3] : vector<2xi16>
// CHECK-NOT: llvm.uitofp
tile.kernel @to_brains(%A: !i8, %B: !tile.view<128xbf16, strides = [1], align = 16>) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %x = tile.load %A[%c0] whole [true] : !i8 -> tensor<128xi8, #a>
  %y = arith.uitofp %x : tensor<128xi8, #a> to tensor<128xbf16, #a>
  tile.store %y, %B[%c0] whole [true] : tensor<128xbf16, #a>, !tile.view<128xbf16, strides = [1], align = 16>
  tile.return
}
}
