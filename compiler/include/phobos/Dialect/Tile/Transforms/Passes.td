// Passes of the tile dialect, in order of running.
#ifndef PHOBOS_TILE_PASSES_TD
#define PHOBOS_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckGridBarriers : Pass<"tile-check-grid-barriers", "::phobos::tile::KernelOp"> {
  let summary = "No barrier of the grid stands where only some blocks come";
  let description = [{
    A branch or a loop around a `tile.grid_barrier` must not be decided by a block's number: blocks that come would wait for ever for those that do not.
    What is read from memory may decide, as the end of an iteration whose error is small: every block then reads the same, which
    cannot be seen here.

    Requires: IR as generated. Guarantees: an error where a condition or a bound around the barrier depends on `tile.block_id`.

    ```mlir
    scf.if %is_first {     // of tile.block_id x: an error
      tile.grid_barrier
    }
    ```
  }];
}

def Persist : Pass<"tile-persist", "::phobos::tile::KernelOp"> {
  let summary = "The body of a persistent kernel runs once for each of its blocks";
  let description = [{
    Where the kernel has `tile.persistent`, everything in it goes into a loop over the blocks of the grid, each CTA taking every
    `tile.resident_count`-th from `tile.resident_id` on, the first axis fastest; `tile.block_id` becomes arithmetic on the loop's
    variable. With `tile.queue` the step is a `tile.queue`: each CTA takes the next block that is left. `tile.grid_dim` stays the grid that was asked for, which the launch passes as three parameters.

    Requires: IR as generated. Guarantees: no `tile.block_id` in a persistent kernel.

    ```mlir
    scf.for %block = %first to %blocks step %residents {
      %x = arith.remui %block, %width : index
      …
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def GuardMasks : Pass<"tile-guard-masks", "::phobos::tile::KernelOp"> {
  let summary = "A mask over a product's sums is applied only where it takes something";
  let description = [{
    In a loop, a selection between what a product of the turn made and something else, by comparisons of indices that are sums and differences of scalars and of `tile.iota`:
    the least and the greatest index of each side say, as scalars, whether the mask holds everywhere. In such turns the sums are left as they are; in the others the mask
    is computed and applied. So the blocks of a causal or ragged matrix that a mask does not touch cost a comparison and a branch, whatever the mask: a diagonal, a
    window, an end.

    Requires: IR as generated. Guarantees: the values are the same.

    ```mlir
    %whole = arith.cmpi sle, %last_column, %first_row : index
    %masked = scf.if %whole -> tensor<128x128xf32> {
      scf.yield %s : tensor<128x128xf32>
    } else {
      …
      %m = arith.select %below, %s, %least : tensor<128x128xi1>, tensor<128x128xf32>
      scf.yield %m : tensor<128x128xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def GuardRows : Pass<"tile-guard-rows", "::phobos::tile::KernelOp"> {
  let summary = "What is selected for some rows alone is computed only by warps that have such a row";
  let description = [{
    In a loop, selections by one condition of rows ([M, 1], or that widened), of which one side has a reduction or exponentials that nothing else needs: that side, and the selections, go into a branch
    that a warp takes if the condition holds, or does not, for one of its rows (`tile.any_in_warp`). Others go on with the other side. So what is rarely needed costs a vote and a branch; where it is needed,
    the selections say for which rows.

    Requires: IR as generated. Guarantees: the values are the same.

    ```mlir
    %any = tile.any_in_warp %late beside %p : tensor<128x64xi1>, tensor<128x64xf32>
    %q = scf.if %any -> (tensor<128x64xf32>) {
      %e = math.exp2 …
      %r = arith.select %late, %e, %p
      scf.yield %r
    } else {
      scf.yield %p
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def UnsignedIndices : Pass<"tile-unsigned-indices", "::phobos::tile::KernelOp"> {
  let summary = "Remainders of indices that cannot be negative become unsigned";
  let description = [{
    `%` has the sign of its divisor, which takes comparisons of signs behind `remsi`. Block numbers, extents, loop variables from 0 up and what is added, multiplied
    and divided of them have none: the comparisons go, and with them what kept later passes from seeing that the result is not negative
    either. (`floordivsi` of such numbers is lowered as an unsigned division; it stays what it is so long, since `divui` may not be moved.)

    Requires: IR as generated. Guarantees: nothing but that.

    ```mlir
    %r = arith.remsi %block, %rows : index   // before, with the select behind it
    %s = arith.select %signs, %sum, %r : index
    %r = arith.remui %block, %rows : index   // after, in place of both
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SimplifyMasks : Pass<"tile-simplify-masks", "::phobos::tile::KernelOp"> {
  let summary = "Slices known to lie inside their view lose their bounds";
  let description = [{
    Along a dimension whose extent is a multiple of the slice's (`tile.dims`: promised or found at launch), a slice that starts
    at a multiple of its own extent lies inside wholly or not at all. It is inside for certain if it starts at zero, or at the
    variable of a loop that ends at the extent: then the dimension is marked `whole`.

    A load that starts elsewhere, at a block's share of the grid, is clamped into the view, once, and marked whole, if every store of
    what comes of it starts at the same place in an equal extent, and none is into the view itself: a grid that is too large then reads something valid and stores
    nothing. Stores keep their bound, which is one comparison for the whole tile; so do loads whose zeros are seen.

    Requires: IR as generated. Guarantees: no access outside the view. Here, before layouts, because the width of accesses depends on it.

    ```mlir
    %a = tile.load %A[%row, %kt] : …     // before
    %r = arith.minsi %row, %last : index  // after
    %a = tile.load %A[%r, %kt] whole [true, true] : …
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AssignLayouts : Pass<"tile-assign-layouts", "::phobos::tile::KernelOp"> {
  let summary = "Every tile gets a layout; a relayout stands wherever producer and user differ";
  let description = [{
    Anchors first: contractions want the layouts of their instruction (Dot/Transforms/ContractionPlan.h), loads and stores the widest
    coalesced access. From there layouts follow the data: elementwise operations keep their operands', shape operations and reductions
    derive theirs. Values that are cheap to compute (constants, iota, what is broadcast from them) are computed again in the layout wanted
    instead of converted, and a broadcast is converted before it is widened. A loop's carried tile takes the layout that its
    last definition in the loop has.

    Requires: masks simplified. Guarantees: every tile has an encoding, and every op finds its operands in the layout it needs.
  }];
  let dependentDialects = ["::phobos::dot::DotDialect"];
}

def SimplifyRelayouts : Pass<"tile-simplify-relayouts", "::phobos::tile::KernelOp"> {
  let summary = "Relayouts that undo, repeat or feed one another disappear";
  let description = [{
    A relayout of a relayout is one relayout; one that changes nothing goes; equal ones in a block are computed once; a narrowing
    conversion after a relayout goes before it, so that fewer bytes move.
    Requires and guarantees: every tile has a layout.
  }];
}

def RelayoutLoads : Pass<"tile-relayout-loads", "::phobos::tile::KernelOp"> {
  let summary = "What would go through shared memory is loaded in the layout wanted";
  let description = [{
    A relayout through shared memory goes where all that it moves are tiles loaded for it alone, through elementwise operations and changes of
    shape, and each warp reads 16 bytes or more side by side in the new layout: a bias or a residual beside a product's sums is then
    loaded as the sums lie, without a barrier. Of 16-bit elements that is a pair a thread and half a sector a quad; the other half
    comes from L1. A relayout that stays moves what it moves before a widening conversion.

    Requires: operands staged (a relayout to an operand's layout is the sign that it is to be staged). Guarantees: every tile has a layout.
  }];
}

def AdvanceLoads : Pass<"tile-advance-loads", "::phobos::tile::KernelOp"> {
  let summary = "Loads are issued before the arithmetic that stands in front of them";
  let description = [{
    A load, with the scalars that say where it reads, goes up over arithmetic on tiles that a thread does on its own, so that memory works
    while the thread does: over no store, reduction, scan, relayout or product, no other load, and no more than 256 bytes a thread in one run
    of arithmetic.

    Requires: every tile has a layout. Guarantees: loads and stores keep their order.

    ```mlir
    %keep = arith.cmpf oge, %random, %p : …   // before: the generator runs, then the load is waited for
    %x = tile.load %X[%start] : …
    ```
  }];
}

#endif
