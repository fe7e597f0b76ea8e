// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// PTX text becomes inline assembly of one register each, 16-bit floats as integers; a prefetch is one for each line of 128 bytes inside the view.

#pair = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// CHECK-LABEL: llvm.func @ptx
// CHECK: llvm.inline_asm "fma.rn.f16 $0, $1, $2, $1;", "=h,h,h" %{{.*}}, %{{.*}} : (i16, i16) -> i16
// CHECK: llvm.inline_asm "fma.rn.f16 $0, $1, $2, $1;"
// CHECK: llvm.inline_asm "add.s64 $0, $1, $2;", "=l,l,r" %{{.*}}, %{{.*}} : (i64, i32) -> i64
tile.kernel @ptx(%A: !tile.view<64xf16, strides = [1], align = 16>, %x: i64, %n: i32, %O: !tile.view<1xi64, strides = [1], align = 16>)
    attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %h = tile.load %A[%c0] whole [true] : !tile.view<64xf16, strides = [1], align = 16> -> tensor<64xf16, #pair>
  %y = tile.ptx "fma.rn.f16 $0, $1, $2, $1;" %h, %h : (tensor<64xf16, #pair>, tensor<64xf16, #pair>) -> tensor<64xf16, #pair>
  tile.store %y, %A[%c0] whole [true] : tensor<64xf16, #pair>, !tile.view<64xf16, strides = [1], align = 16>
  %s = tile.ptx "add.s64 $0, $1, $2;" %x, %n : (i64, i32) -> i64
  %one = tile.splat %s : i64 -> tensor<1xi64, #tile.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = []>>
  tile.store %one, %O[%c0] whole [true] : tensor<1xi64, #tile.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = []>>, !tile.view<1xi64, strides = [1], align = 16>
  tile.return
}

// CHECK-LABEL: llvm.func @prefetch
// CHECK: llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: llvm.cond_br
// CHECK: nvvm.prefetch level = L2, %{{.*}} : !llvm.ptr<1>
// CHECK-NOT: nvvm.prefetch
tile.kernel @prefetch(%A: !tile.view<?xf32, strides = [1], align = 16>, %i: index) attributes {tile.threads = 32 : i32} {
  tile.prefetch %A[%i] [128] : !tile.view<?xf32, strides = [1], align = 16>
  tile.return
}
