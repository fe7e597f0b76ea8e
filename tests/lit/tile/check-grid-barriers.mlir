// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-check-grid-barriers))' --verify-diagnostics -split-input-file
// If this fails, blocks may wait for ever for blocks that never come; or a loop that all run alike is refused.

tile.kernel @alike(%n: index, %A: !tile.view<?xf32, strides = [1], align = 16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %wide = tile.grid_dim x
  %more = arith.cmpi sgt, %wide, %n : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %more {
      tile.grid_barrier
    }
  }
  tile.return
}

// -----

tile.kernel @some(%n: index) {
  %x = tile.block_id x
  %few = arith.cmpi slt, %x, %n : index
  // expected-note @below {{this depends on the number of the block}}
  scf.if %few {
    // expected-error @below {{a barrier of the grid where not every block comes}}
    // expected-note @below {{hint: move ph.grid_barrier() out}}
    tile.grid_barrier
  }
  tile.return
}

// -----

// The number goes round the loop before it decides.
tile.kernel @carried(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = tile.block_id y
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %c0) -> index {
    %sum = arith.addi %so_far, %y : index
    scf.yield %sum : index
  }
  // expected-note @below {{this depends on the number of the block}}
  scf.for %i = %c0 to %last step %c1 {
    // expected-error @below {{a barrier of the grid where not every block comes}}
    // expected-note @below {{hint: move ph.grid_barrier() out}}
    tile.grid_barrier
  }
  tile.return
}
