// RUN: phobos-opt %s -verify-diagnostics -split-input-file -allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(dot-expand-pipeline))'
// What the producer cannot compute for itself keeps the roles away, with the reason.

!sa = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x64xf16, swizzle = 128>
#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
tile.kernel @looked_up(%n: index, %m: !map {dot.map_of = 0 : i32}) attributes {tile.threads = 128 : i32, tile.persistent} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %ones = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  %s = dot.alloc : !sa
  %bars = dot.alloc_barriers count 1 : !dot.barriers<1>
  dot.barrier
  %row = "test.from_memory"() : () -> index
  // expected-remark @below {{not specialised: where a copy begins is not arithmetic on arguments and block numbers}}
  // expected-remark @below {{pipelined: 3 stages}}
  %acc = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %ones) -> (tensor<64x64xf32, #acc>) {
    dot.tma_load %m[%row, %k] into %s[%c0] signals %bars {dot.latency = 2 : i32} : !map, !sa, !dot.barriers<1>
    dot.await %bars[%c0] parity %c0 : !dot.barriers<1>
    %d = dot.wgmma %s[%c0], %s[%c0], %sum : !sa, !sa, tensor<64x64xf32, #acc>
    %r = dot.wgmma_wait %d pending 0 : tensor<64x64xf32, #acc>
    scf.yield %r : tensor<64x64xf32, #acc>
  }
  "test.use"(%acc) : (tensor<64x64xf32, #acc>) -> ()
  tile.return
}

// -----

!sa = !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
!map = !dot.tensor_map<64x64xf16, swizzle = 128>
#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0], [0, 32]]>
tile.kernel @four_groups(%n: index, %m: !map {dot.map_of = 0 : i32}) attributes {tile.threads = 512 : i32, tile.persistent} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %ones = arith.constant dense<1.0> : tensor<128x64xf32, #acc>
  %s = dot.alloc : !dot.stage<1 x 128x64xf16, order = [1, 0], panels = 128>
  %t = dot.alloc : !sa
  %bars = dot.alloc_barriers count 1 : !dot.barriers<1>
  dot.barrier
  // expected-remark @below {{not specialised: a producer beside four warpgroups would leave them too few registers}}
  // expected-remark @below {{pipelined: 3 stages}}
  %acc = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %ones) -> (tensor<128x64xf32, #acc>) {
    dot.tma_load %m[%c0, %k] into %t[%c0] signals %bars {dot.latency = 2 : i32} : !map, !sa, !dot.barriers<1>
    dot.await %bars[%c0] parity %c0 : !dot.barriers<1>
    %d = dot.wgmma %s[%c0], %t[%c0], %sum : !dot.stage<1 x 128x64xf16, order = [1, 0], panels = 128>, !sa, tensor<128x64xf32, #acc>
    %r = dot.wgmma_wait %d pending 0 : tensor<128x64xf32, #acc>
    scf.yield %r : tensor<128x64xf32, #acc>
  }
  "test.use"(%acc) : (tensor<128x64xf32, #acc>) -> ()
  tile.return
}
