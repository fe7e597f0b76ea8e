// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// If this fails, what is known of a tensor's extents, strides or alignment is lost on the way through text.

// CHECK: tile.kernel @views
// CHECK-SAME: !tile.view<f32>
// CHECK-SAME: !tile.view<?x64xbf16>
// CHECK-SAME: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
// CHECK-SAME: !tile.view<?x4xi8, strides = [?, 0]>
// CHECK-SAME: !tile.view<?xf8E4M3FN, align = 16>
tile.kernel @views(%a: !tile.view<f32>, %b: !tile.view<?x64xbf16>, %c: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>,
                   %d: !tile.view<?x4xi8, strides = [?, 0]>, %e: !tile.view<?xf8E4M3FN, align = 16>) {
  // CHECK: tile.extent %{{.*}}, 1 : !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
  %n = tile.extent %c, 1 : !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
  // CHECK: tile.stride %{{.*}}, 0 : !tile.view<?x64xbf16>
  %s = tile.stride %b, 0 : !tile.view<?x64xbf16>
  tile.return
}
