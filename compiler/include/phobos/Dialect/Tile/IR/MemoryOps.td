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

// What loads, stores and atomics have in common: a dimension in `indexed` has no span; the element at a place of the tile lies there at
// what the dimension's tile of `indices` has at that place, beside the offset. Ascending, a tile for each.
defvar Tile_AccessDeclaration = [{
    bool isWhole(unsigned dim) { return getWhole() && (*getWhole())[dim]; }
    /// The positions along a dimension without a span; null for one that has one.
    ::mlir::Value indicesOf(unsigned dim) {
      ::llvm::ArrayRef<int64_t> dims = getIndexed().value_or(::llvm::ArrayRef<int64_t>());
      auto place = ::llvm::find(dims, int64_t(dim));
      return place == dims.end() ? ::mlir::Value() : getIndices()[place - dims.begin()];
    }
}];

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "The tile of a slice of a view";
  let description = [{
    The result has the view's rank; its extent along each dimension is that of the slice. Offsets are in elements. Elements
    outside the view, below or above, read as `fill` (zero if absent), except along dimensions in `whole`, where the slice
    is known to lie inside. Along dimensions in `indexed` tiles of i32 or i64 of the result's shape say where each element lies.

    ```mlir
    %a = tile.load %A[%row, %kt] : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %b = tile.load %A[%row, %kt] fill %inf whole [true, false] : !tile.view<?x?xf32>, f32 -> tensor<64x32xf32>
    %c = tile.load %A[%zero, %kt] along [0] by %rows : tensor<64x32xi32> : !tile.view<?x?xf16> -> tensor<64x32xf16>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets, Optional<AnyType>:$fill,
                       OptionalAttr<DenseBoolArrayAttr>:$whole, OptionalAttr<DenseI64ArrayAttr>:$indexed,
                       Variadic<AnyRankedTensor>:$indices);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`fill` $fill^)? (`whole` $whole^)? (`along` $indexed `by` $indices^ `:` type($indices))? attr-dict
    `:` qualified(type($view)) (`,` type($fill)^)? `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = Tile_AccessDeclaration # [{
    bool isWholeEverywhere() { return getWhole() && ::llvm::all_of(*getWhole(), [](bool b) { return b; }); }
  }];
}

def Tile_PrefetchOp : Tile_Op<"prefetch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Bring a slice of a view into L2";
  let description = [{
    What lies outside the view is left alone. A hint: nothing waits for it. PTX ISA, "prefetch".

    ```mlir
    tile.prefetch %A[%row, %kt] [64, 32] : !tile.view<?x?xf16>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets, DenseI64ArrayAttr:$extents);
  let assemblyFormat = "$view `[` $offsets `]` $extents attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "Write a tile to a slice of a view";
  let description = [{
    The tile has the view's rank. Elements outside the view are not written, except that along dimensions in `whole` the
    slice is known to lie inside. `indexed` and `indices` as in `tile.load`; where two elements lie at one place, one of them is what is there.

    ```mlir
    tile.store %t, %C[%row, %col] whole [true, true] : tensor<64x64xf16>, !tile.view<?x?xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_ViewType:$view, Variadic<Index>:$offsets,
                       OptionalAttr<DenseBoolArrayAttr>:$whole, OptionalAttr<DenseI64ArrayAttr>:$indexed,
                       Variadic<AnyRankedTensor>:$indices);
  let assemblyFormat = [{
    $value `,` $view `[` $offsets `]` (`whole` $whole^)? (`along` $indexed `by` $indices^ `:` type($indices))? attr-dict `:` type($value) `,` qualified(type($view))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = Tile_AccessDeclaration # [{
    bool isWholeEverywhere() { return getWhole() && ::llvm::all_of(*getWhole(), [](bool b) { return b; }); }
  }];
}

class Tile_AtomicEnum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::phobos::tile";
}

def Tile_AtomicKind : Tile_AtomicEnum<"AtomicKind", "what an atomic operation leaves in memory", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"MinSigned", 1, "min">, I32EnumAttrCase<"MaxSigned", 2, "max">,
    I32EnumAttrCase<"MinUnsigned", 3, "umin">, I32EnumAttrCase<"MaxUnsigned", 4, "umax">, I32EnumAttrCase<"And", 5, "and">,
    I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">, I32EnumAttrCase<"Exchange", 8, "xchg">,
    I32EnumAttrCase<"CompareExchange", 9, "cas">]>;
def Tile_AtomicKindAttr : EnumAttr<Tile_Dialect, Tile_AtomicKind, "atomic_kind">;

def Tile_AtomicScope : Tile_AtomicEnum<"AtomicScope", "who sees an operation as atomic", [
    I32EnumAttrCase<"Block", 0, "block">, I32EnumAttrCase<"Device", 1, "device">, I32EnumAttrCase<"System", 2, "system">]>;
def Tile_AtomicScopeAttr : EnumAttr<Tile_Dialect, Tile_AtomicScope, "atomic_scope">;

def Tile_AtomicOrder : Tile_AtomicEnum<"AtomicOrder", "what an atomic operation orders besides itself", [
    I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
    I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcquireRelease", 3, "acq_rel">]>;
def Tile_AtomicOrderAttr : EnumAttr<Tile_Dialect, Tile_AtomicOrder, "atomic_order">;

def Tile_AtomicOp : Tile_Op<"atomic", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["value", "result"]>]> {
  let summary = "Change each element of a slice of a view atomically, and give what was there";
  let description = [{
    Each element of the slice is read and written once, in one step that nothing of `scope` comes between; not the slice as
    a whole. `cas` writes the value where memory holds `compare`, and has that operand; no other kind does. Elements outside
    the view are not touched and give zero, except that along dimensions in `whole` the slice is known to lie inside. `indexed`
    and `indices` as in `tile.load`: elements at one place are all taken.

    Elements are i32, i64, f32 or f64, and f16 or bf16 for `add`; floats are added alone. With `release` what the block did
    before is seen by whoever acquires what was written here, with `acquire` the whole block sees what was released.
    PTX ISA, "atom".

    ```mlir
    %old = tile.atomic add device relaxed %t, %C[%row, %col] whole [true, true] : tensor<64x64xf32>, !tile.view<?x?xf32>
    %was = tile.atomic cas device acq_rel %one, %L[%i] compare %zero : tensor<1xi32>, !tile.view<?xi32>
    ```
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_AtomicScopeAttr:$scope, Tile_AtomicOrderAttr:$order,
                       AnyRankedTensor:$value, Tile_ViewType:$view, Variadic<Index>:$offsets,
                       Optional<AnyRankedTensor>:$compare, OptionalAttr<DenseBoolArrayAttr>:$whole,
                       OptionalAttr<DenseI64ArrayAttr>:$indexed, Variadic<AnyRankedTensor>:$indices);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $kind $scope $order $value `,` $view `[` $offsets `]` (`compare` $compare^)? (`whole` $whole^)?
    (`along` $indexed `by` $indices^ `:` type($indices))? attr-dict
    `:` type($value) `,` qualified(type($view)) (`,` type($compare)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = Tile_AccessDeclaration # [{
    /// Do several, in whatever order, leave the same? (Sums of floats but for rounding.)
    bool commutes() {
      return getKind() != AtomicKind::Exchange && getKind() != AtomicKind::CompareExchange && getResult().use_empty();
    }
  }];
}

#endif
