// Reductions and scans.
#ifndef PHOBOS_TILE_REDUCE_OPS_TD
#define PHOBOS_TILE_REDUCE_OPS_TD

include "phobos/Dialect/Tile/IR/KernelOps.td"

def Tile_ReduceOp : Tile_Op<"reduce", [Pure, SameVariadicOperandSize, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "Tiles of equal shape reduced along one axis by an associative, commutative region";
  let description = [{
    The region takes two elements of each operand (first all of the left, then all of the right) and yields one of each. The
    axis disappears from the results. `identity` is one neutral value an operand: what padding of a tile counts as.
    The order of combination is unspecified but fixed: equal inputs give equal bits.

    ```mlir
    %s = tile.reduce %t axis 1 identity [0.0 : f32] : tensor<64x32xf32> -> tensor<64xf32> {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tile.yield %z : f32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$sources, I32Attr:$axis, ArrayAttr:$identity);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $sources `axis` $axis `identity` $identity attr-dict `:` type($sources) `->` type($results) $combine
  }];
  let hasVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [Pure, SameVariadicOperandSize, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "Running combinations of tiles of equal shape along one axis by an associative region";
  let description = [{
    Element i of a result combines elements 0 to i of the axis, in their order; the region is that of `tile.reduce` and need
    not be commutative. How they are bracketed is unspecified but fixed: equal inputs give equal bits.

    ```mlir
    %s = tile.scan %t axis 1 : tensor<64x32xf32> -> tensor<64x32xf32> {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tile.yield %z : f32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$sources, I32Attr:$axis);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = "$sources `axis` $axis attr-dict `:` type($sources) `->` type($results) $combine";
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["ReduceOp", "ScanOp"]>]> {
  let summary = "Result of a combining region";
  let description = [{
    ```mlir
    tile.yield %z : f32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif
