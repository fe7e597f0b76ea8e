// The kernel, its end, and what it asks of the launch.
#ifndef PHOBOS_TILE_KERNEL_OPS_TD
#define PHOBOS_TILE_KERNEL_OPS_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "phobos/Dialect/Tile/IR/TileAttrs.td"

def Tile_KernelOp : Tile_Op<"kernel", [IsolatedFromAbove, FunctionOpInterface, AutomaticAllocationScope]> {
  let summary = "A kernel: the program of one CTA";
  let description = [{
    Arguments are views (tensor parameters) and scalars. A view argument may carry `tile.name` (the parameter's name) and
    `tile.dims`, the names of its dims (an empty string for a static extent), through which equal dims are known to be equal.

    ```mlir
    tile.kernel @copy(%A: !tile.view<?xf32> {tile.name = "A", tile.dims = ["N"]}) attributes {tile.threads = 128 : i32} {
      tile.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    unsigned getThreads();
    unsigned getNumWarps() { return getThreads() / 32; }
    unsigned getIndexBits();
    /// The largest known divisor of the extent of `view` along `dim`: from its static extent or from `tile.dims`; at least 1.
    int64_t extentDivisor(::mlir::Value view, unsigned dim);
    /// The name of the dim of `view` along `dim`; empty if it has none.
    ::llvm::StringRef dimName(::mlir::Value view, unsigned dim);
    /// Do its blocks wait for each other (`tile.grid_barrier`)?
    bool meetsGrid();
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "End of a kernel";
  let description = [{
    ```mlir
    tile.return
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_AxisX : I32EnumAttrCase<"x", 0>;
def Tile_AxisY : I32EnumAttrCase<"y", 1>;
def Tile_AxisZ : I32EnumAttrCase<"z", 2>;
def Tile_Axis : I32EnumAttr<"Axis", "an axis of the grid", [Tile_AxisX, Tile_AxisY, Tile_AxisZ]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::phobos::tile";
}

def Tile_AxisAttr : EnumAttr<Tile_Dialect, Tile_Axis, "axis">;

class Tile_LaunchIndexOp<string mnemonic> : Tile_Op<mnemonic, [Pure]> {
  let arguments = (ins Tile_AxisAttr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_BlockIdOp : Tile_LaunchIndexOp<"block_id"> {
  let summary = "Index of this CTA in the grid, along an axis (`ph.ctx.block`)";
  let description = [{
    At least 0 and less than `tile.grid_dim` of the axis.
    ```mlir
    %pm = tile.block_id x
    ```
  }];
}

def Tile_ResidentIdOp : Tile_Op<"resident_id", [Pure]> {
  let summary = "Of the CTAs that were launched for a persistent kernel, which this is";
  let description = [{
    At least 0 and less than `tile.resident_count`. Blocks of the grid, numbered by `tile.block_id`, are shared out among them.
    ```mlir
    %first = tile.resident_id
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_ResidentCountOp : Tile_Op<"resident_count", [Pure]> {
  let summary = "CTAs launched for a persistent kernel: at most as many as the GPU holds at once";
  let description = [{
    ```mlir
    %n = tile.resident_count
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_QueueOp : Tile_Op<"queue", [Pure]> {
  let summary = "As the step of a loop over blocks: to the next that the CTA draws (`@ph.persistent(order=\"queue\")`)";
  let description = [{
    The loop begins at `tile.resident_id`. Its variable does not move by a fixed amount: each turn, as it begins, draws the next number from
    the launch's counter, which gives every block from `tile.resident_count` on to one CTA of the grid, in rising order. The number is handed
    to the other threads through shared memory (`shared.offset`). Whoever draws last in a launch sets the counter back.

    ```mlir
    %next = tile.queue
    scf.for %block = %first to %blocks step %next {
      …
    }
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_NextBlockOp : Tile_Op<"next_block", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The block after this turn's, of a loop that draws them, before the turn ends";
  let description = [{
    In a turn of a loop whose step is `tile.queue`: waits for what was drawn. At most once a turn, which then ends with
    `tile.go_on`. `without_work`: where the block has nothing to multiply; what it becomes carries the mark `tile.without_work`.

    ```mlir
    %n = tile.next_block
    ```
  }];
  let arguments = (ins UnitAttr:$without_work);
  let results = (outs Index:$result);
  let assemblyFormat = "(`without_work` $without_work^)? attr-dict";
}

def Tile_GoOnOp : Tile_Op<"go_on", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The turn ends, and the next is of this block, which `tile.next_block` gave";
  let description = [{
    ```mlir
    tile.go_on %n
    ```
  }];
  let arguments = (ins Index:$block);
  let assemblyFormat = "$block attr-dict";
}

def Tile_AdmitNextOp : Tile_Op<"admit_next", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The kernel after this one in the stream may begin, once every CTA has come here or ended (`@ph.dependent`)";
  let description = [{
    If it is dependent: its CTAs then take places that become free, and wait for this kernel's end (PTX ISA, griddepcontrol.launch_dependents).
    ```mlir
    tile.admit_next
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_AwaitPreviousOp : Tile_Op<"await_previous", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Each thread waits until the kernel before this one in the stream is complete (`@ph.dependent`)";
  let description = [{
    What that kernel wrote is visible afterwards, and what it read may be overwritten (PTX ISA, griddepcontrol.wait).
    ```mlir
    tile.await_previous
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_GridBarrierOp : Tile_Op<"grid_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Every block of the grid waits until all have come here (`ph.grid_barrier`)";
  let description = [{
    What any thread of the grid wrote to global memory before it is visible to all after it. Blocks count themselves in a word of global memory
    that is the launch's; the launch is cooperative, so that all of them are resident (PTX ISA, Memory Consistency Model: release and acquire
    patterns).
    ```mlir
    tile.grid_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_GridDimOp : Tile_LaunchIndexOp<"grid_dim"> {
  let summary = "CTAs in the grid, along an axis (`ph.ctx.grid`)";
  let description = [{
    ```mlir
    %n = tile.grid_dim x
    ```
  }];
}

#endif
