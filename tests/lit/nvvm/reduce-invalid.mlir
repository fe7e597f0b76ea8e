// RUN: phobos-opt %s --tile-to-llvm --verify-diagnostics
// A lane bit that moves along the axis and another dimension at once cannot be reduced in place.

#a = #tile.layout<register = [], lane = [[1, 1], [0, 1], [0, 2], [2, 0], [4, 0]], warp = []>
#s = #tile.layout<register = [], lane = [[1], [0], [0], [2], [4]], warp = []>
module attributes {tile.chip = "sm_80"} {
  tile.kernel @k(%x: f32) attributes {tile.threads = 32 : i32} {
    %t = tile.splat %x : f32 -> tensor<8x4xf32, #a>
    // expected-error@+1 {{internal: cannot reduce along axis 1 a layout that moves along it and another dimension at once}}
    %r = tile.reduce %t axis 1 identity [0.0 : f32] : tensor<8x4xf32, #a> -> tensor<8xf32, #s> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      tile.yield %z : f32
    }
    tile.return
  }
}
