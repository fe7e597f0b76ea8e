// RUN: phobos-opt %s -canonicalize | FileCheck %s
// If this fails, extents and strides that the type knows are read at run time all the same.

// CHECK-LABEL: tile.kernel @known
tile.kernel @known(%A: !tile.view<?x64xf32, strides = [4*?, 1]>, %C: !tile.view<?x?x?xindex>) {
  // CHECK-DAG: %[[EXTENT:.*]] = arith.constant 64 : index
  %extent = tile.extent %A, 1 : !tile.view<?x64xf32, strides = [4*?, 1]>
  // CHECK-DAG: %[[STRIDE:.*]] = arith.constant 1 : index
  %stride = tile.stride %A, 1 : !tile.view<?x64xf32, strides = [4*?, 1]>
  // CHECK-DAG: %[[PITCH:.*]] = tile.stride %{{.*}}, 0
  %pitch = tile.stride %A, 0 : !tile.view<?x64xf32, strides = [4*?, 1]>
  // CHECK: tile.load %{{.*}}[%[[EXTENT]], %[[STRIDE]], %[[PITCH]]]
  %t = tile.load %C[%extent, %stride, %pitch] : !tile.view<?x?x?xindex> -> tensor<1x1x1xindex>
  tile.store %t, %C[%pitch, %pitch, %pitch] : tensor<1x1x1xindex>, !tile.view<?x?x?xindex>
  tile.return
}
