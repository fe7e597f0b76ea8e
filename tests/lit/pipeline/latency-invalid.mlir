// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(dot-assign-latency))' -verify-diagnostics -split-input-file
// A depth that was asked for and cannot be had is an error that says why; on its own account the compiler only remarks.

#acc = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
// expected-error @below {{nothing here can be pipelined at 3 stages: no loop contains a ph.dot}}
// expected-note @below {{hint: drop @ph.pipeline}}
tile.kernel @none(%n: index) attributes {tile.threads = 32 : i32, dot.stages = 3 : i32, dot.pipeline_asserted} {
  tile.return
}

// -----

#acc = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #tile.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
tile.kernel @given(%n: index) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = arith.constant dense<1.0> : tensor<16x16xf16, #a>
  %b = arith.constant dense<1.0> : tensor<16x8xf16, #b>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #acc>
  // expected-remark @below {{not pipelined: the operands of its contractions are not loaded in it}}
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x8xf32, #acc>) {
    %d = dot.mma %a, %b, %sum shape [16, 8, 16] : tensor<16x16xf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #acc>
    scf.yield %d : tensor<16x8xf32, #acc>
  }
  tile.return
}

// -----

// Along an extent that was 0 at launch there is no loop left: nothing to complain of.
tile.kernel @empty(%A: !tile.view<?x0xf16>) attributes {tile.threads = 32 : i32, dot.stages = 3 : i32, dot.pipeline_asserted} {
  tile.return
}
