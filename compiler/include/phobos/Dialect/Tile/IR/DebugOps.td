// What a kernel says while it runs: lines of text, and that it gives up.
#ifndef PHOBOS_TILE_DEBUG_OPS_TD
#define PHOBOS_TILE_DEBUG_OPS_TD

include "phobos/Dialect/Tile/IR/KernelOps.td"

/// Where lines go. Writing there is an effect of its own: such ops are neither removed nor repeated and keep their order,
/// and no load is in their way.
def Tile_Console : Resource<"::phobos::tile::Console">;

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite<Tile_Console>]>]> {
  let summary = "Lines of text with values (`ph.print`)";
  let description = [{
    A line for the CTA; or, where some values are tiles, which have one shape and then one layout, a line for each element, with its index.
    A line tells the op's place in the source, the block as the kernel numbers it (x, y, z), the text, the index, and the values in
    order. Padding is not printed, and an element that several threads hold is printed once. Integers are signed unless
    `unsigned` says otherwise; an `i1` is True or False.

    Once lowered, an element's line is one call of `vprintf`.

    ```mlir
    tile.print "a" at %bx, %by, %bz
    tile.print "a" at %bx, %by, %bz with %k, %t unsigned [false, true] : index, tensor<64x32xi8>
    ```
  }];
  let arguments = (ins StrAttr:$text, Index:$block_x, Index:$block_y, Index:$block_z, Variadic<AnyType>:$values,
                       OptionalAttr<DenseBoolArrayAttr>:$is_unsigned);
  let assemblyFormat = [{
    $text `at` $block_x `,` $block_y `,` $block_z (`with` $values^ (`unsigned` $is_unsigned^)? `:` type($values))? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isUnsigned(unsigned value) { return getIsUnsigned() && (*getIsUnsigned())[value]; }
    /// The first tile among the values; null if all are scalars.
    ::mlir::Value firstTile();
  }];
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite<Tile_Console>]>]> {
  let summary = "The kernel ends unless a bool, or every element of a tile of bools, is true (`ph.assert_`)";
  let description = [{
    A thread that finds an element false says which, and in which block, and ends the kernel (`vprintf`, then `__assertfail`). Padding
    counts as true.

    ```mlir
    tile.assert %c, "x > 0" at %bx, %by, %bz : tensor<64x32xi1>
    ```
  }];
  let arguments = (ins AnyType:$condition, StrAttr:$message, Index:$block_x, Index:$block_y, Index:$block_z);
  let assemblyFormat = "$condition `,` $message `at` $block_x `,` $block_y `,` $block_z attr-dict `:` type($condition)";
  let hasVerifier = 1;
}

#endif
