// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// A vote of the warp; where the branch would meet other warps, or rows lie elsewhere in what leaves it, all take it.

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#other = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[32, 0], [16, 0]]>

// CHECK-LABEL: llvm.func @votes
tile.kernel @votes(%x: f32, %y: f32) attributes {tile.threads = 128 : i32} {
  %p = tile.splat %x : f32 -> tensor<64x32xf32, #acc>
  %q = tile.splat %y : f32 -> tensor<64x32xf32, #acc>
  %late = arith.cmpf olt, %p, %q : tensor<64x32xf32, #acc>
  // CHECK: %[[ANY:.*]] = nvvm.vote.sync any
  %any = tile.any_in_warp %late beside %p : tensor<64x32xi1, #acc>, tensor<64x32xf32, #acc>
  // CHECK: llvm.cond_br %[[ANY]]
  %r = scf.if %any -> (tensor<64x32xf32, #acc>) {
    %e = math.exp2 %p : tensor<64x32xf32, #acc>
    %s = arith.select %late, %e, %p : tensor<64x32xi1, #acc>, tensor<64x32xf32, #acc>
    scf.yield %s : tensor<64x32xf32, #acc>
  } else {
    scf.yield %p : tensor<64x32xf32, #acc>
  }
  tile.return
}

// CHECK-LABEL: llvm.func @elsewhere
// CHECK-NOT: nvvm.vote.sync any
tile.kernel @elsewhere(%x: f32, %y: f32) attributes {tile.threads = 128 : i32, tile.shared_bytes = 16384 : i64} {
  %p = tile.splat %x : f32 -> tensor<64x32xf32, #acc>
  %o = tile.splat %x : f32 -> tensor<64x32xf32, #other>
  %q = tile.splat %y : f32 -> tensor<64x32xf32, #acc>
  %late = arith.cmpf olt, %p, %q : tensor<64x32xf32, #acc>
  %any = tile.any_in_warp %late beside %p : tensor<64x32xi1, #acc>, tensor<64x32xf32, #acc>
  %r = scf.if %any -> (tensor<64x32xf32, #other>) {
    %e = math.exp2 %o : tensor<64x32xf32, #other>
    scf.yield %e : tensor<64x32xf32, #other>
  } else {
    scf.yield %o : tensor<64x32xf32, #other>
  }
  tile.return
}
