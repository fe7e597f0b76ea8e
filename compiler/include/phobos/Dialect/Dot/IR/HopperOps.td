// Hopper: bulk tensor copies (TMA), the barriers that they complete on, and warpgroup products (wgmma).
#ifndef PHOBOS_DOT_HOPPER_OPS_TD
#define PHOBOS_DOT_HOPPER_OPS_TD

include "phobos/Dialect/Dot/IR/StageOps.td"

def Dot_TensorMapType : TypeDef<Dot_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "How the copy engine reads boxes of a tensor: encoded at launch, passed by value";
  let description = [{
    `box` is in the view's order of dimensions; its extent along the unit dimension is one row of `swizzle` bytes (PTX ISA,
    "Tensor"; CUDA driver API, cuTensorMapEncodeTiled). The tiles that it moves have the dimensions along which the box has more
    than one element. A kernel argument of this type carries `dot.map_of`, the number of the argument that is its view.
    Elements of `tf32` are f32 in memory, which the engine rounds to nearest even on the way into slots of f32 (infinities and NaN
    stay): what a tf32 product would cut off is 0 then.

    ```mlir
    !dot.tensor_map<128x64xf16, swizzle = 128>
    !dot.tensor_map<1x128x1x64xf16, swizzle = 128>
    !dot.tensor_map<128x32xtf32, swizzle = 128>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t", "box">:$box, "::mlir::Type":$elementType, "unsigned":$swizzleBytes);
  let assemblyFormat = "`<` custom<Box>($box, $elementType) `,` `swizzle` `=` $swizzleBytes `>`";
  let extraClassDeclaration = [{
    /// The view's dimension of each dimension of a tile.
    ::llvm::SmallVector<unsigned, 2> getTileDims() const;
  }];
}

def Dot_BarriersType : TypeDef<Dot_Dialect, "Barriers"> {
  let mnemonic = "barriers";
  let summary = "mbarriers in shared memory, one a slot of a stage";
  let description = [{
    ```mlir
    !dot.barriers<4>
    ```
  }];
  let parameters = (ins "unsigned":$slots);
  let assemblyFormat = "`<` $slots `>`";
}

def Dot_AllocBarriersOp : Dot_Op<"alloc_barriers", [MemoryEffects<[MemAlloc, MemWrite]>]> {
  let summary = "mbarriers, each expecting `count` arrivals a phase, ready for the copy engine";
  let description = [{
    The thread that starts copies initialises them (PTX ISA, mbarrier.init, fence.mbarrier_init) and may use them at once; the others after
    a barrier of the CTA.
    ```mlir
    %b = dot.alloc_barriers count 2 : !dot.barriers<4>
    ```
  }];
  let arguments = (ins I32Attr:$count, OptionalAttr<I64Attr>:$offset);
  let results = (outs Dot_BarriersType:$barriers);
  let assemblyFormat = "(`at` $offset^)? `count` $count attr-dict `:` qualified(type($barriers))";
}

def Dot_TmaLoadOp : Dot_Op<"tma_load", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "One thread starts the copy engine on a slice, into a slot";
  let description = [{
    Arrives once at the slot's barrier, expecting the slot's bytes, and starts one bulk copy for each panel of the slot
    (PTX ISA, cp.async.bulk.tensor). Offsets are the view's, the slot's dimensions the map's tiles'. Elements outside the view arrive as
    zeros. Nothing happens where `valid` is given and false.

    ```mlir
    dot.tma_load %map[%batch, %row, %kt] into %s[%slot] signals %bars if %more
      : !dot.tensor_map<1x128x64xf16, swizzle = 128>, !dot.stage<4 x 128x64xf16, order = [1, 0], panels = 128>, !dot.barriers<4>
    ```
  }];
  let arguments = (ins Dot_TensorMapType:$map, Variadic<Index>:$offsets, Dot_StageType:$stage, Index:$slot,
                       Dot_BarriersType:$barriers, Optional<I1>:$valid);
  let assemblyFormat = [{
    $map `[` $offsets `]` `into` $stage `[` $slot `]` `signals` $barriers (`if` $valid^)? attr-dict
    `:` qualified(type($map)) `,` qualified(type($stage)) `,` qualified(type($barriers))
  }];
  let hasVerifier = 1;
}

def Dot_StoreAsyncOp : Dot_Op<"store_async", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "A warpgroup product's tile into a slice of a view, by the copy engine";
  let description = [{
    `value` is in a wgmma accumulator's layout; offsets are the view's. With `transposed` the slice has the tile's columns as rows. Each warpgroup, on its own, takes its part of the tile in columns of one panel: puts them into a
    slot of `stage` once the copy out of it before has read it, fences, meets, and one of its threads starts the copy (PTX ISA, stmatrix,
    fence.proxy, cp.async.bulk.tensor). A slot has a row for each row of each warpgroup's part. What lies outside the view is not
    written. Complete for the shared memory after `dot.store_wait`.

    ```mlir
    dot.store_async %t, %s, %map[%row, %col] : tensor<128x256xf16, #acc>,
      !dot.stage<2 x 128x64xf16, order = [1, 0], panels = 128>, !dot.tensor_map<64x64xf16, swizzle = 128>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, Dot_StageType:$stage, Dot_TensorMapType:$map, Variadic<Index>:$offsets,
                       UnitAttr:$transposed);
  let assemblyFormat = [{
    $value `,` $stage `,` $map `[` $offsets `]` (`transposed` $transposed^)? attr-dict
    `:` type($value) `,` qualified(type($stage)) `,` qualified(type($map))
  }];
  let hasVerifier = 1;
}

def Dot_StoreWaitOp : Dot_Op<"store_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The threads that start copies wait until they have read the buffer (cp.async.bulk.wait_group.read 0)";
  let description = [{
    ```mlir
    dot.store_wait %s : !dot.stage<2 x 128x64xf16, order = [1, 0], panels = 128>
    ```
  }];
  let arguments = (ins Dot_StageType:$stage);
  let assemblyFormat = "$stage attr-dict `:` qualified(type($stage))";
}

def Dot_ClusterBarrierOp : Dot_Op<"cluster_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "All threads of the cluster's CTAs meet; their shared-memory accesses before it are visible after it";
  let description = [{
    PTX ISA, barrier.cluster.
    ```mlir
    dot.cluster_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Dot_ReleaseOp : Dot_Op<"release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "A warp is done with a slot: one arrival at its barrier (PTX ISA, mbarrier.arrive)";
  let description = [{
    ```mlir
    dot.release %empty[%slot] if %any : !dot.barriers<4>
    ```
  }];
  let arguments = (ins Dot_BarriersType:$barriers, Index:$slot, I1:$valid);
  let assemblyFormat = "$barriers `[` $slot `]` `if` $valid attr-dict `:` qualified(type($barriers))";
}

def Dot_SpecializeOp : Dot_Op<"specialize", [SingleBlockImplicitTerminator<"EndOp">, NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "Warps with different programs: one thread that copies, and the warps that compute";
  let description = [{
    `consumer` is run by the kernel's own threads, `producer` by one thread of a warpgroup beside them (`dot.specialized` on the kernel), which
    gives registers to the others (PTX ISA, setmaxnreg). In `consumer` a barrier is one of the consumers alone. They meet
    through mbarriers only.

    ```mlir
    dot.specialize producer {
      …
    } consumer {
      …
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumer);
  let assemblyFormat = "`producer` $producer `consumer` $consumer attr-dict";
}

def Dot_EndOp : Dot_Op<"end", [Pure, Terminator, HasParent<"SpecializeOp">]> {
  let summary = "End of a role";
  let description = [{
    ```mlir
    dot.end
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Dot_AwaitOp : Dot_Op<"await", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until the phase of parity `parity` of a slot's barrier is complete";
  let description = [{
    What the copy engine wrote for that phase is then visible to this thread and to its wgmma (PTX ISA, mbarrier.try_wait).
    ```mlir
    dot.await %bars[%slot] parity %p : !dot.barriers<4>
    ```
  }];
  let arguments = (ins Dot_BarriersType:$barriers, Index:$slot, Index:$parity);
  let assemblyFormat = "$barriers `[` $slot `]` `parity` $parity attr-dict `:` qualified(type($barriers))";
}

def Dot_WgmmaOp : Dot_Op<"wgmma", [MemoryEffects<[MemRead]>, TypesMatchWith<"accumulator and result have one type", "acc", "result", "$_self">]> {
  let summary = "acc + a b by wgmma.mma_async, b from a slot and a from a slot or registers; starts a group and does not wait for it";
  let description = [{
    `a` is a slot of M x K, or K x M with `trans_a`; or an M x K tile of 16-bit elements in registers, in a wgmma operand's layout. `b` is
    a slot of K x N, or N x K with `trans_b`. `acc` is in a wgmma accumulator's layout. Neither the result nor the slots may be touched
    before a `dot.wgmma_wait` that covers the group (PTX ISA, wgmma.mma_async). `with_next`: its group is that of the next product.

    ```mlir
    %d = dot.wgmma %sa[%slot], %sb[%slot], %acc : !dot.stage<4 x 128x64xf16, order = [1, 0], panels = 128>,
      !dot.stage<4 x 64x256xf16, order = [1, 0], panels = 128>, tensor<128x256xf32>
    %o = dot.wgmma %p, %v[%slot], %sum : tensor<128x64xf16>, !dot.stage<2 x 64x128xf16, order = [1, 0], panels = 128>, tensor<128x128xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Dot_StageType, AnyRankedTensor]>:$a, Dot_StageType:$b, Index:$slot_b, AnyRankedTensor:$acc,
                       Optional<Index>:$slot_a, UnitAttr:$trans_a, UnitAttr:$trans_b, UnitAttr:$with_next);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $a (`[` $slot_a^ `]`)? `,` $b `[` $slot_b `]` `,` $acc (`trans_a` $trans_a^)? (`trans_b` $trans_b^)? (`with_next` $with_next^)? attr-dict
    `:` type($a) `,` qualified(type($b)) `,` type($acc)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The slots of a; null if it is in registers.
    ::mlir::TypedValue<StageType> getStageA() { return ::mlir::dyn_cast<::mlir::TypedValue<StageType>>(getA()); }
    /// Of a as it is stored, and of its elements.
    ::llvm::ArrayRef<int64_t> getShapeA();
    ::mlir::Type getElementTypeA();
  }];
}

def Dot_WgmmaWaitOp : Dot_Op<"wgmma_wait", [MemoryEffects<[MemRead, MemWrite]>, SameOperandsAndResultType]> {
  let summary = "Wait until at most `pending` groups are unfinished; the accumulator as it then is";
  let description = [{
    With `tied`, code that uses the result stays behind the wait whatever else a compiler sees: for a result that arithmetic follows at once.

    ```mlir
    %r = dot.wgmma_wait %d pending 0 : tensor<128x256xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$acc, I32Attr:$pending, UnitAttr:$tied);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$acc `pending` $pending (`tied` $tied^)? attr-dict `:` type($acc)";
}

def Dot_WgmmaJoinOp : Dot_Op<"wgmma_join", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>,
                             TypesMatchWith<"accumulator and result have one type", "acc", "result", "$_self">,
                             TypesMatchWith<"what is computed is as it was", "computed", "after", "$_self">]> {
  let summary = "Wait for all groups, of which one ran while `computed` was computed; `acc` times `factor`";
  let description = [{
    `acc` is made by a product that may read a tile `read` in registers; until here nothing may be written over them, and afterwards anything may. Neither
    `computed` nor the wait moves past the other, in LLVM or in ptxas: the wait is behind a branch. Where a warp has ones alone in `factor`, nothing is multiplied.

    ```mlir
    %o1, %e1 = dot.wgmma_join %o times %alpha : tensor<128x128xf32> computed %e read %p : tensor<128x64xf16>
      : tensor<128x128xf32>, tensor<128x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$acc, AnyRankedTensor:$computed, Optional<AnyRankedTensor>:$read, Optional<AnyRankedTensor>:$factor);
  let results = (outs AnyRankedTensor:$result, AnyRankedTensor:$after);
  let assemblyFormat = [{
    $acc (`times` $factor^ `:` type($factor))? `computed` $computed (`read` $read^ `:` type($read))? attr-dict `:` type($acc) `,` type($computed)
  }];
}

def Dot_KeepOp : Dot_Op<"keep", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Until here the registers of a tile hold what they hold";
  let description = [{
    For a tile that products of a loop take from registers in every turn, at the loop's end. ptxas up to 13.0 does not count such a use by the next turn: it gives
    the registers to others within the turn, and from the second turn on the products are of something else. This is a use that it does
    count: a store under a condition that never holds. On the host it is nothing.

    ```mlir
    dot.keep %q : tensor<128x128xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tile);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
}

#endif
