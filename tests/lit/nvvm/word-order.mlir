// RUN: phobos-opt %s -split-input-file --tile-to-llvm | FileCheck %s
// Operations on all of a product's many sums go word by word: what is read first, then all of one word, then all of the next. Else a tile of
// every intermediate value is alive at once.

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#sums = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!view = !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
!operand = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
module attributes {tile.chip = "sm_90a"} {
// CHECK-LABEL: llvm.func @behind
tile.kernel @behind(%R: !view, %C: !view, %i: index) attributes {tile.threads = 128 : i32, tile.shared_bytes = 8192 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
  %o = dot.alloc at 0 : !operand
  // CHECK: nvvm.wgmma.mma_async
  scf.for %k = %i to %i step %i {
    %d = dot.wgmma %o[%i], %o[%i], %zero : !operand, !operand, tensor<64x64xf32, #sums>
    %w = dot.wgmma_wait %d pending 0 : tensor<64x64xf32, #sums>
  }
  %r = tile.load %R[%i, %i] whole [true, true] : !view -> tensor<64x256xf32, #acc>
  // CHECK-COUNT-128: llvm.load
  // CHECK: %[[FIRST:.*]] = llvm.fmul
  // CHECK-NEXT: llvm.fadd %[[FIRST]]
  // CHECK-NEXT: %[[SECOND:.*]] = llvm.fmul
  // CHECK-NEXT: llvm.fadd %[[SECOND]]
  %p = arith.mulf %r, %r : tensor<64x256xf32, #acc>
  %q = arith.addf %p, %r : tensor<64x256xf32, #acc>
  tile.store %q, %C[%i, %i] whole [true, true] : tensor<64x256xf32, #acc>, !view
  tile.return
}

// Where there is no product in front, order stays.
// CHECK-LABEL: llvm.func @alone
tile.kernel @alone(%R: !view, %C: !view, %i: index) attributes {tile.threads = 128 : i32} {
  %r = tile.load %R[%i, %i] whole [true, true] : !view -> tensor<64x256xf32, #acc>
  // CHECK-COUNT-128: llvm.fmul
  // CHECK-NEXT: llvm.fadd
  %p = arith.mulf %r, %r : tensor<64x256xf32, #acc>
  %q = arith.addf %p, %r : tensor<64x256xf32, #acc>
  tile.store %q, %C[%i, %i] whole [true, true] : tensor<64x256xf32, #acc>, !view
  tile.return
}
}

// -----

// What leaves a panel at a time is computed a panel at a time.
#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#sums = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!wide = !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
!view = !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
!operand = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
!slots = !dot.stage<2 x 64x64xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x64xf16, swizzle = 128>
module attributes {tile.chip = "sm_90a"} {
// CHECK-LABEL: llvm.func @parts
tile.kernel @parts(%C: !view, %R: !wide, %i: index, %x: f32, %m: !map {dot.map_of = 0 : i32})
    attributes {tile.threads = 128 : i32, tile.shared_bytes = 24576 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
  %o = dot.alloc at 16384 : !operand
  scf.for %k = %i to %i step %i {
    %d = dot.wgmma %o[%i], %o[%i], %zero : !operand, !operand, tensor<64x64xf32, #sums>
    %w = dot.wgmma_wait %d pending 0 : tensor<64x64xf32, #sums>
  }
  %y = arith.mulf %x, %x : f32
  %s = tile.splat %y : f32 -> tensor<64x256xf32, #acc>
  // CHECK: llvm.load
  // CHECK: llvm.fmul
  // CHECK-COUNT-32: llvm.fadd
  // CHECK-NOT: llvm.fadd
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
  // CHECK-COUNT-32: llvm.fadd
  // CHECK-NOT: llvm.fadd
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
  // CHECK-COUNT-32: llvm.fadd
  // CHECK-NOT: llvm.fadd
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
  // CHECK-COUNT-32: llvm.fadd
  // CHECK-NOT: llvm.fadd
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
  %t = tile.load %R[%i, %i] whole [true, true] : !wide -> tensor<64x256xf32, #acc>
  %q = arith.addf %t, %s : tensor<64x256xf32, #acc>
  %h = arith.truncf %q : tensor<64x256xf32, #acc> to tensor<64x256xf16, #acc>
  %b = dot.alloc at 0 : !slots
  dot.store_async %h, %b, %m[%i, %i] : tensor<64x256xf16, #acc>, !slots, !map
  tile.return
}
}
