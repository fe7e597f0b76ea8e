// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// RUN: phobos-opt %s --tile-to-llvm | phobos-opt --ptx=sm_80 - | FileCheck %s --check-prefix=PTX
// LLVM makes ill-typed code of a float of 16 bits that was cast from the other format and is compared with zero: it does not see the cast.

#row = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
// CHECK-LABEL: llvm.func @cast
// PTX: .entry cast
tile.kernel @cast(%x: f64, %B: !tile.view<?xi8, strides = [1], align = 16>, %i: index) attributes {tile.threads = 32 : i32} {
  %zero = arith.constant dense<0.0> : tensor<32xf16, #row>
  %t = tile.splat %x : f64 -> tensor<32xf64, #row>
  %b = arith.truncf %t : tensor<32xf64, #row> to tensor<32xbf16, #row>
  %h = arith.bitcast %b : tensor<32xbf16, #row> to tensor<32xf16, #row>
  // CHECK: %[[FROM:.*]] = llvm.bitcast %{{.*}} : bf16 to i16
  // CHECK: %[[BITS:.*]] = llvm.inline_asm "", "=h,0" %[[FROM]] : (i16) -> i16
  // CHECK: llvm.bitcast %[[BITS]] : i16 to f16
  // CHECK: llvm.fcmp "une"
  %c = arith.cmpf une, %h, %zero : tensor<32xf16, #row>
  %e = arith.extui %c : tensor<32xi1, #row> to tensor<32xi8, #row>
  tile.store %e, %B[%i] whole [false] : tensor<32xi8, #row>, !tile.view<?xi8, strides = [1], align = 16>
  tile.return
}

// CHECK-LABEL: llvm.func @other
tile.kernel @other(%x: f16, %B: !tile.view<?xi8, strides = [1], align = 16>, %i: index) attributes {tile.threads = 32 : i32} {
  %zero = arith.constant dense<0.0> : tensor<32xf16, #row>
  %t = tile.splat %x : f16 -> tensor<32xf16, #row>
  // CHECK: llvm.fcmp "olt"
  %c = arith.cmpf olt, %t, %zero : tensor<32xf16, #row>
  %e = arith.extui %c : tensor<32xi1, #row> to tensor<32xi8, #row>
  tile.store %e, %B[%i] whole [false] : tensor<32xi8, #row>, !tile.view<?xi8, strides = [1], align = 16>
  tile.return
}
