// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// If this fails, a layout is not read back as it was written, and every later phase's text is unreliable.

#acc = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#row = #tile.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[0, 0]]>

// CHECK-LABEL: tile.kernel @relayout
tile.kernel @relayout(%t: tensor<16x8xf32, #acc>) {
  // CHECK: tile.relayout
  // CHECK-SAME: #tile.layout<register = {{\[}}[0, 1], [8, 0]], lane = {{\[}}[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
  // CHECK-SAME: -> tensor<16x8xf32,
  // CHECK-SAME: #tile.layout<register = {{\[}}[0, 1], [0, 2]], lane = {{\[}}[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warp = {{\[}}[0, 0]]>
  %r = tile.relayout %t : tensor<16x8xf32, #acc> -> tensor<16x8xf32, #row>
  tile.return
}
