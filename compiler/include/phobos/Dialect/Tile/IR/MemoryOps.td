// Slices of tensors in global memory.
#ifndef PHOBOS_TILE_MEMORY_OPS_TD
#define PHOBOS_TILE_MEMORY_OPS_TD

include "phobos/Dialect/Tile/IR/KernelOps.td"

def Tile_ExtentOp : Tile_Op<"extent", [Pure]> {
  let summary = "Extent of a view along a dimension, in elements (`A.shape[d]`)";
  let description = [{
    ```mlir
    %K = tile.extent %A, 1 : !tile.view<?x?xf16>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, I32Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$view `,` $dim attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_StrideOp : Tile_Op<"stride", [Pure]> {
  let summary = "Stride of a view along a dimension, in elements (`A.stride[d]`)";
  let description = [{
    ```mlir
    %s = tile.stride %A, 0 : !tile.view<?x?xf16>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, I32Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$view `,` $dim attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "The tile of a slice of a view";
  let description = [{
    The result has the view's rank; its extent along each dimension is that of the slice. Offsets are in elements. Elements
    outside the view, below or above, read as `fill` (zero if absent), except along dimensions in `whole`, where the slice
    is known to lie inside.

    ```mlir
    %a = tile.load %A[%row, %kt] : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %b = tile.load %A[%row, %kt] fill %inf whole [true, false] : !tile.view<?x?xf32>, f32 -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets, Optional<AnyType>:$fill,
                       OptionalAttr<DenseBoolArrayAttr>:$whole);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`fill` $fill^)? (`whole` $whole^)? attr-dict
    `:` qualified(type($view)) (`,` type($fill)^)? `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isWhole(unsigned dim) { return getWhole() && (*getWhole())[dim]; }
    bool isWholeEverywhere() { return getWhole() && ::llvm::all_of(*getWhole(), [](bool b) { return b; }); }
  }];
}

def Tile_StoreOp : Tile_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write a tile to a slice of a view";
  let description = [{
    The tile has the view's rank. Elements outside the view are not written, except that along dimensions in `whole` the
    slice is known to lie inside.

    ```mlir
    tile.store %t, %C[%row, %col] whole [true, true] : tensor<64x64xf16>, !tile.view<?x?xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_ViewType:$view, Variadic<Index>:$offsets,
                       OptionalAttr<DenseBoolArrayAttr>:$whole);
  let assemblyFormat = [{
    $value `,` $view `[` $offsets `]` (`whole` $whole^)? attr-dict `:` type($value) `,` qualified(type($view))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isWhole(unsigned dim) { return getWhole() && (*getWhole())[dim]; }
    bool isWholeEverywhere() { return getWhole() && ::llvm::all_of(*getWhole(), [](bool b) { return b; }); }
  }];
}

#endif
