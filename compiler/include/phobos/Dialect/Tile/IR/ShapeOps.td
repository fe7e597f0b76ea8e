// Tiles from scalars, and changes of shape and layout.
#ifndef PHOBOS_TILE_SHAPE_OPS_TD
#define PHOBOS_TILE_SHAPE_OPS_TD

include "phobos/Dialect/Tile/IR/KernelOps.td"

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "A tile whose elements are all one scalar";
  let description = [{
    ```mlir
    %t = tile.splat %x : f32 -> tensor<64x64xf32>
    ```
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "0, 1, 2, … along one dimension of a rank-1 integer tile";
  let description = [{
    ```mlir
    %i = tile.iota : tensor<64xi32>
    ```
  }];
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure]> {
  let summary = "A new dimension of extent 1 at `axis`";
  let description = [{
    ```mlir
    %c = tile.expand_dims %v, 1 : tensor<64xf32> -> tensor<64x1xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, I32Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `,` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "Extents of 1 repeated up to the result's";
  let description = [{
    ```mlir
    %m = tile.broadcast %c : tensor<64x1xf32> -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "Dimensions in another order: dimension i of the result is dimension permutation[i] of the source";
  let description = [{
    ```mlir
    %t = tile.transpose %a [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, DenseI32ArrayAttr:$permutation);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure]> {
  let summary = "The same elements in row-major order under another shape";
  let description = [{
    Extents must be powers of two, except that extents of 1 may come and go anywhere.
    ```mlir
    %v = tile.reshape %a : tensor<1x64xf32> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_AnyInWarpOp : Tile_Op<"any_in_warp", [Pure]> {
  let summary = "In each warp: is there an element that holds, among those that the warp has?";
  let description = [{
    Not one truth for all: as the condition of a branch it lets warps go their own ways, in which they may not meet others. The tile lies as `beside` does. Where the branch cannot
    be taken by a warp alone, it is true.

    ```mlir
    %any = tile.any_in_warp %late beside %p : tensor<128x64xi1>, tensor<128x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$condition, AnyRankedTensor:$beside);
  let results = (outs I1:$result);
  let assemblyFormat = "$condition `beside` $beside attr-dict `:` type($condition) `,` type($beside)";
}

def Tile_ToScalarOp : Tile_Op<"to_scalar", [Pure]> {
  let summary = "The one element of a tile, as a scalar every thread has";
  let description = [{
    ```mlir
    %x = tile.to_scalar %t : tensor<f32> -> f32
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_RelayoutOp : Tile_Op<"relayout", [Pure]> {
  let summary = "The same tile under another layout";
  let description = [{
    Lowered by the plan of Layout/Relayout.h: a renaming of registers, shuffles inside a warp, or a trip through shared memory.
    ```mlir
    %r = tile.relayout %t : tensor<16x8xf32, #tile.layout<…>> -> tensor<16x8xf32, #tile.layout<…>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_PartOp : Tile_Op<"part", [Pure, AttrSizedOperandSegments]> {
  let summary = "A part of a tile, or a tile with a part replaced";
  let description = [{
    The element of the result at p is the source's at p plus the offsets; where the source has none, it is `other`'s at p, and zero without
    one. A part of a tile has the part's shape and where it begins; a tile with a part replaced has the part as source, offsets
    that take its beginning off, and the tile as `other`.

    Where the offsets are constants that divide tile into parts and each thread has the same place in every part, registers are chosen; else the
    source goes through shared memory.

    ```mlir
    %right = tile.part %t[%c0, %c32] : tensor<16x64xf32> -> tensor<16x32xf32>
    %new = tile.part %x[%c0, %minus32] else %t : tensor<16x64xf32> : tensor<16x32xf32> -> tensor<16x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$offsets, Optional<AnyRankedTensor>:$other);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `[` $offsets `]` (`else` $other^ `:` type($other))? attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif
