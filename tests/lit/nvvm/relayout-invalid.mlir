// RUN: phobos-opt %s --tile-to-llvm --verify-diagnostics
// Without an offset for its scratch a trip through shared memory must not be lowered to byte 0.

#a = #tile.layout<register = [[2]], lane = [[4], [8], [16], [32], [64]], warp = [[1]]>
#b = #tile.layout<register = [[1]], lane = [[4], [8], [16], [32], [64]], warp = [[2]]>
module attributes {tile.chip = "sm_80"} {
  tile.kernel @k(%x: f32) attributes {tile.threads = 64 : i32} {
    %t = tile.splat %x : f32 -> tensor<128xf32, #a>
    // expected-error@+1 {{internal: expected 'shared.offset', assigned by dot-allocate-shared}}
    %r = tile.relayout %t : tensor<128xf32, #a> -> tensor<128xf32, #b>
    tile.return
  }
}
