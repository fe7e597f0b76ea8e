// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts))' | FileCheck %s
// Tiles that are printed side by side get one layout, that of the first that is not computed again at no cost; one alone keeps its own.

// CHECK-LABEL: tile.kernel @print
tile.kernel @print(%A: !tile.view<64x64xf16, strides = [8*?, 1], align = 16>, %B: !tile.view<64x64xf32, strides = [8*?, 1], align = 16>) {
  %i = arith.constant 0 : index
  // CHECK: %[[ONE:.*]] = arith.constant dense<1> : tensor<64x64xi32
  %one = arith.constant dense<1> : tensor<64x64xi32>
  // CHECK: %[[A:.*]] = tile.load {{.*}} -> tensor<64x64xf16, #[[LA:.*]]>
  %a = tile.load %A[%i, %i] : !tile.view<64x64xf16, strides = [8*?, 1], align = 16> -> tensor<64x64xf16>
  // CHECK: %[[B:.*]] = tile.load {{.*}} -> tensor<64x64xf32, #[[LB:.*]]>
  %b = tile.load %B[%i, %i] : !tile.view<64x64xf32, strides = [8*?, 1], align = 16> -> tensor<64x64xf32>
  // CHECK: tile.print "b" at %{{.*}} with %[[B]] : tensor<64x64xf32, #[[LB]]>
  tile.print "b" at %i, %i, %i with %b : tensor<64x64xf32>
  // CHECK: %[[ONES:.*]] = arith.constant dense<1> : tensor<64x64xi32, #[[LA]]>
  // CHECK: %[[MOVED:.*]] = tile.relayout %[[B]] : tensor<64x64xf32, #[[LB]]> -> tensor<64x64xf32, #[[LA]]>
  // CHECK: tile.print "both" at %{{.*}} with %{{.*}}, %[[ONES]], %[[A]], %[[MOVED]] : index, tensor<64x64xi32, #[[LA]]>, tensor<64x64xf16, #[[LA]]>, tensor<64x64xf32, #[[LA]]>
  tile.print "both" at %i, %i, %i with %i, %one, %a, %b : index, tensor<64x64xi32>, tensor<64x64xf16>, tensor<64x64xf32>
  // CHECK: tile.print "scalar" at %{{.*}} with %{{.*}} : index
  tile.print "scalar" at %i, %i, %i with %i : index
  tile.return
}
