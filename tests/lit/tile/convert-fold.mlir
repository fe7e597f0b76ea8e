// RUN: phobos-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s
// If this fails, constants round to other 8-bit floats than the chip makes of the same values at run time.

// CHECK-LABEL: tile.kernel @scalars
// CHECK-DAG: %[[LARGEST5:.*]] = arith.constant 5.734400e+04 : f8E5M2
// CHECK-DAG: %[[LEAST5:.*]] = arith.constant -5.734400e+04 : f8E5M2
// CHECK-DAG: %[[LARGEST4:.*]] = arith.constant 4.480000e+02 : f8E4M3FN
// CHECK-DAG: %[[NAN:.*]] = arith.constant 0x7F : f8E4M3FN
// CHECK-DAG: %[[EVEN:.*]] = arith.constant 1.600000e+01 : f8E4M3FN
// CHECK: "keep"(%[[LARGEST5]], %[[LEAST5]], %[[LARGEST4]], %[[LARGEST4]], %[[NAN]], %[[EVEN]])
tile.kernel @scalars() attributes {tile.threads = 32 : i32} {
  %inf = arith.constant 0x7F800000 : f32
  %negative = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0xFFC00000 : f32
  %large = arith.constant 1.0e6 : f32
  %tie = arith.constant 17.0 : f32
  %a = tile.to_float8 %inf : f32 to f8E5M2
  %b = tile.to_float8 %negative : f32 to f8E5M2
  %c = tile.to_float8 %inf : f32 to f8E4M3FN
  %d = tile.to_float8 %large : f32 to f8E4M3FN
  %e = tile.to_float8 %nan : f32 to f8E4M3FN
  %f = tile.to_float8 %tie : f32 to f8E4M3FN
  "keep"(%a, %b, %c, %d, %e, %f) : (f8E5M2, f8E5M2, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN) -> ()
  tile.return
}

// CHECK-LABEL: tile.kernel @tiles
// CHECK: %[[TILE:.*]] = arith.constant dense<5.734400e+04> : tensor<64xf8E5M2>
// CHECK: "keep"(%[[TILE]])
tile.kernel @tiles() attributes {tile.threads = 32 : i32} {
  %inf = arith.constant dense<0x7F800000> : tensor<64xf32>
  %a = tile.to_float8 %inf : tensor<64xf32> to tensor<64xf8E5M2>
  "keep"(%a) : (tensor<64xf8E5M2>) -> ()
  tile.return
}
