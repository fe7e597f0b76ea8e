// Staged shared memory: buffers, copies, waits, fragments.
#ifndef PHOBOS_DOT_STAGE_OPS_TD
#define PHOBOS_DOT_STAGE_OPS_TD

include "phobos/Dialect/Dot/IR/ContractOps.td"
include "phobos/Dialect/Tile/IR/TileAttrs.td"

def Dot_AllocOp : Dot_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "A staged buffer in shared memory";
  let description = [{
    `offset`, in bytes from the start of the CTA's shared memory, is assigned by `dot-allocate-shared` from the lifetimes of
    all buffers.

    ```mlir
    %s = dot.alloc : !dot.stage<2 x 64x32xf16, order = [1, 0], swizzle>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Dot_StageType:$stage);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` qualified(type($stage))";
}

def Dot_CopyAsyncOp : Dot_Op<"copy_async", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Start copying a slice of a view into a slot (cp.async)";
  let description = [{
    Like `tile.load` followed by a store into the slot, without passing through registers. Elements outside the view arrive
    as zeros. Where `valid` is given and false, the whole slot is filled with zeros and nothing is read: the form in which a
    pipelined loop copies past its end without a branch. Complete after `dot.commit` and a `dot.wait` that covers its group
    (PTX ISA, cp.async). A thread copies `bytes` bytes at a time: 4, 8 or 16. `dims` are the view's dimensions of the slot's where the
    slot has fewer: of every other one element is copied. `extents` are those of the slice, in the slot's dimensions, where it is
    smaller than the slot; the rest of the slot is zeros. With `share [i, n]` the op does the i-th of n equal shares of each thread's
    copies: n of them, anywhere before the commit, make the whole.

    ```mlir
    dot.copy_async %A[%row, %kt] into %s[%slot] bytes 16 : !tile.view<?x?xf16>, !dot.stage<2 x 64x32xf16, order = [1, 0], swizzle>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets, Dot_StageType:$stage, Index:$slot, I32Attr:$bytes,
                       Optional<I1>:$valid, OptionalAttr<DenseI64ArrayAttr>:$dims,
                       OptionalAttr<DenseBoolArrayAttr>:$whole, OptionalAttr<DenseI64ArrayAttr>:$extents, OptionalAttr<DenseI64ArrayAttr>:$share);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`dims` $dims^)? `into` $stage `[` $slot `]` `bytes` $bytes (`if` $valid^)? (`whole` $whole^)?
    (`extents` $extents^)? (`share` $share^)? attr-dict
    `:` qualified(type($view)) `,` qualified(type($stage))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isWhole(unsigned dim) { return getWhole() && (*getWhole())[dim]; }
    /// The view's dimension of the slot's.
    unsigned getViewDim(unsigned dim) { return getDims() ? unsigned((*getDims())[dim]) : dim; }
    /// Extents of the slice in the view's dimensions.
    ::llvm::SmallVector<int64_t> getSliceExtents();
  }];
}

def Dot_CommitOp : Dot_Op<"commit", [MemoryEffects<[MemWrite]>]> {
  let summary = "Close the group of the copies started since the last commit (cp.async.commit_group)";
  let description = [{
    ```mlir
    dot.commit
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Dot_WaitOp : Dot_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until at most `pending` of this thread's groups are unfinished (cp.async.wait_group)";
  let description = [{
    Other threads' copies are visible only after a barrier that follows.
    ```mlir
    dot.wait pending 1
    ```
  }];
  let arguments = (ins I32Attr:$pending);
  let assemblyFormat = "`pending` $pending attr-dict";
}

def Dot_BarrierOp : Dot_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "All threads of the CTA meet; their shared-memory accesses before it are visible after it (bar.sync 0)";
  let description = [{
    ```mlir
    dot.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Dot_PutOp : Dot_Op<"put", [MemoryEffects<[MemWrite]>]> {
  let summary = "Store a tile held in registers into a slot";
  let description = [{
    The tile may be smaller than the slot: it goes to the slot's beginning and leaves the rest alone, except that where its own extents are
    padded up to powers of two, zeros are written.

    ```mlir
    dot.put %t, %s[%slot] : tensor<64x32xf16>, !dot.stage<1 x 64x32xf16, order = [1, 0], swizzle>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, Dot_StageType:$stage, Index:$slot);
  let assemblyFormat = "$value `,` $stage `[` $slot `]` attr-dict `:` type($value) `,` qualified(type($stage))";
  let hasVerifier = 1;
}

def Dot_FragmentOp : Dot_Op<"fragment", [MemoryEffects<[MemRead]>]> {
  let summary = "Part of a slot's tile, into registers";
  let description = [{
    Reads the sub-tile of the result's shape that begins at `origin`. With `transposed`, dimension i of the result is
    dimension 1 - i of the slot's tile (and `origin` counts in the slot's dimensions). Served by ldmatrix where the result's
    layout allows, else by vector loads (PTX ISA, ldmatrix). `ahead` marks a read for the next turn of a loop, which must stay where it
    stands: LLVM would otherwise sink it to its use at the head of the loop.

    ```mlir
    %f = dot.fragment %s[%slot] origin [0, 16] : !dot.stage<2 x 64x32xf16, order = [1, 0], swizzle> -> tensor<64x16xf16>
    ```
  }];
  let arguments = (ins Dot_StageType:$stage, Index:$slot, DenseI64ArrayAttr:$origin, UnitAttr:$transposed, UnitAttr:$ahead);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $stage `[` $slot `]` `origin` $origin (`transposed` $transposed^)? (`ahead` $ahead^)? attr-dict
    `:` qualified(type($stage)) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif
