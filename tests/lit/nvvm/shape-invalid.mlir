// RUN: phobos-opt %s --tile-to-llvm --verify-diagnostics
// A result whose elements another thread has is a fault of layout assignment, told and not miscompiled.

#a = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
#b = #tile.layout<register = [], lane = [[0, 2], [0, 1], [0, 4], [0, 8], [0, 16]], warp = []>
module attributes {tile.chip = "sm_80"} {
  tile.kernel @k() attributes {tile.threads = 32 : i32} {
    %i = tile.iota : tensor<32xi32, #a>
    // expected-error@+1 {{internal: expected a result layout whose elements every thread has}}
    %r = tile.expand_dims %i, 0 : tensor<32xi32, #a> -> tensor<1x32xi32, #b>
    tile.return
  }
}
