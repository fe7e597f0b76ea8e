// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts))' | FileCheck %s
// Loads move 16 bytes a thread where pitch and base allow it, and single elements where nothing is known: too narrow halves the
// bandwidth, too wide faults.

// CHECK: #[[$WIDE:.*]] = #tile.layout<register = {{\[}}[1], [2]{{.*}}, lane = {{\[}}[4], [8]
// CHECK: #[[$NARROW:.*]] = #tile.layout<register = {{.*}}lane = {{\[}}[1], [2]
// CHECK-LABEL: tile.kernel @wide
tile.kernel @wide(%A: !tile.view<?xf32, strides = [1], align = 16> {tile.dims = ["N"]}) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  // CHECK: tile.load {{.*}} -> tensor<256xf32, #[[$WIDE]]>
  %a = tile.load %A[%c0] whole [true] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<256xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @narrow
tile.kernel @narrow(%A: !tile.view<?xf32, strides = [1], align = 4> {tile.dims = ["N"]}) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  // CHECK: tile.load {{.*}} -> tensor<256xf32, #[[$NARROW]]>
  %a = tile.load %A[%c0] whole [true] : !tile.view<?xf32, strides = [1], align = 4> -> tensor<256xf32>
  tile.return
}
