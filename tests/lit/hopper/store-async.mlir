// RUN: phobos-opt %s -split-input-file --tile-to-llvm | FileCheck %s
// Each warpgroup puts a panel of its columns (four 8x8 matrices at a time), fences, meets its own four warps, and one thread copies. A slot is used
// again only once it has been read: in a loop that is asked for from the first panel on.

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
!slots = !dot.stage<2 x 128x64xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x64xf16, swizzle = 128>
module attributes {tile.chip = "sm_90a"} {
// CHECK-LABEL: llvm.func @once
tile.kernel @once(%C: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %i: index, %m: !map {dot.map_of = 0 : i32})
    attributes {tile.threads = 256 : i32, tile.shared_bytes = 32768 : i64} {
  %t = arith.constant dense<1.0> : tensor<128x128xf16, #acc>
  %s = dot.alloc at 0 : !slots
  // CHECK: nvvm.prefetch tensormap
  // CHECK-NOT: wait_group
  // CHECK-COUNT-4: nvvm.stmatrix
  // CHECK-NOT: nvvm.stmatrix
  // CHECK: nvvm.fence.proxy
  // CHECK: nvvm.barrier id = %[[GROUP:.*]] number_of_threads = %{{.*}}
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
  // CHECK: nvvm.cp.async.bulk.commit.group
  // CHECK-NOT: wait_group
  // CHECK-COUNT-4: nvvm.stmatrix
  // CHECK: nvvm.fence.proxy
  // CHECK: nvvm.barrier id = %[[GROUP]] number_of_threads
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
  dot.store_async %t, %s, %m[%i, %i] : tensor<128x128xf16, #acc>, !slots, !map
  // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
  dot.store_wait %s : !slots
  tile.return
}
}

// -----

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
!slots = !dot.stage<2 x 128x32xf32, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x32xf32, swizzle = 128>
module attributes {tile.chip = "sm_90a"} {
// CHECK-LABEL: llvm.func @again
tile.kernel @again(%C: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %i: index, %m: !map {dot.map_of = 0 : i32})
    attributes {tile.threads = 256 : i32, tile.shared_bytes = 32768 : i64} {
  %t = arith.constant dense<1.0> : tensor<128x128xf32, #acc>
  %s = dot.alloc at 0 : !slots
  scf.for %j = %i to %i step %i {
    // Four panels of 32 columns, in pairs of f32.
    // CHECK-COUNT-4: nvvm.cp.async.bulk.wait_group 1 {read}
    // CHECK: llvm.store {{.*}} : vector<2xi32>, !llvm.ptr<3>
    dot.store_async %t, %s, %m[%i, %j] : tensor<128x128xf32, #acc>, !slots, !map
  }
  tile.return
}
}

// -----

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!slots = !dot.stage<1 x 64x32xi8, order = [1, 0], panels = 32>
!map = !dot.tensor_map<64x32xi8, swizzle = 32>
module attributes {tile.chip = "sm_90a"} {
// CHECK-LABEL: llvm.func @bytes
tile.kernel @bytes(%C: !tile.view<?x?xi8, strides = [16*?, 1], align = 16>, %D: !tile.view<?x?xi8, strides = [16*?, 1], align = 16>, %i: index,
                   %m: !map {dot.map_of = 0 : i32}, %n: !map {dot.map_of = 1 : i32})
    attributes {tile.threads = 128 : i32, tile.shared_bytes = 2048 : i64} {
  %t = arith.constant dense<1> : tensor<64x32xi8, #acc>
  %s = dot.alloc at 0 : !slots
  // Pairs of bytes; the second tile's slot is the first's, which must have been copied from. The first finds it free.
  // CHECK-NOT: nvvm.cp.async.bulk.wait_group
  // CHECK-COUNT-8: llvm.store {{.*}} : vector<2xi8>, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
  // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
  // CHECK-COUNT-8: llvm.store {{.*}} : vector<2xi8>, !llvm.ptr<3>
  dot.store_async %t, %s, %m[%i, %i] : tensor<64x32xi8, #acc>, !slots, !map
  dot.store_async %t, %s, %n[%i, %i] : tensor<64x32xi8, #acc>, !slots, !map
  tile.return
}
}

// -----

// A panel of the tile's rows, of all its columns: matrices are put transposed.
#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!slots = !dot.stage<1 x 32x64xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<32x64xf16, swizzle = 128>
module attributes {tile.chip = "sm_90a"} {
// CHECK-LABEL: llvm.func @turned
tile.kernel @turned(%C: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %i: index, %m: !map {dot.map_of = 0 : i32})
    attributes {tile.threads = 128 : i32, tile.shared_bytes = 4096 : i64} {
  %t = arith.constant dense<1.0> : tensor<64x32xf16, #acc>
  %s = dot.alloc at 0 : !slots
  // CHECK-COUNT-2: nvvm.stmatrix {{.*}}layout = #nvvm.mma_layout<col>
  // CHECK-NOT: nvvm.stmatrix
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
  // CHECK-NOT: nvvm.cp.async.bulk.tensor.global.shared.cta
  dot.store_async %t, %s, %m[%i, %i] transposed : tensor<64x32xf16, #acc>, !slots, !map
  tile.return
}
}
