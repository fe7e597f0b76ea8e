// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// If this fails, rounding to 8-bit floats does not survive printing and parsing.

// CHECK-LABEL: tile.kernel @rounds
tile.kernel @rounds(%x: f64, %t: tensor<64xf32>, %h: tensor<8x8xbf16>) attributes {tile.threads = 32 : i32} {
  // CHECK: tile.to_float8 %{{.*}} : f64 to f8E4M3FN
  %a = tile.to_float8 %x : f64 to f8E4M3FN
  // CHECK: tile.to_float8 %{{.*}} : tensor<64xf32> to tensor<64xf8E5M2>
  %b = tile.to_float8 %t : tensor<64xf32> to tensor<64xf8E5M2>
  // CHECK: tile.to_float8 %{{.*}} : tensor<8x8xbf16> to tensor<8x8xf8E4M3FN>
  %c = tile.to_float8 %h : tensor<8x8xbf16> to tensor<8x8xf8E4M3FN>
  tile.return
}
