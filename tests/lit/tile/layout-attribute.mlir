// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// If this fails, a layout is not read back as it was written, and every later phase's text is unreliable.

// CHECK-DAG: #[[ACC:.*]] = #tile.layout<register = {{\[}}[0, 1], [8, 0]], lane = {{\[}}[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#acc = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
// CHECK-DAG: #[[ROW:.*]] = #tile.layout<register = {{\[}}[0, 1], [0, 2]], lane = {{\[}}[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warp = {{\[}}[0, 0]]>
#row = #tile.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[0, 0]]>

// CHECK: tile.kernel @relayout
tile.kernel @relayout(%t: tensor<16x8xf32, #acc>) {
  // CHECK: tile.relayout %{{.*}} : tensor<16x8xf32, #[[ACC]]> -> tensor<16x8xf32, #[[ROW]]>
  %r = tile.relayout %t : tensor<16x8xf32, #acc> -> tensor<16x8xf32, #row>
  tile.return
}
