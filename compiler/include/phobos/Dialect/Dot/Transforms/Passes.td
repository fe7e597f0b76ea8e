// Passes of the dot dialect, in order of running.
#ifndef PHOBOS_DOT_PASSES_TD
#define PHOBOS_DOT_PASSES_TD

include "mlir/Pass/PassBase.td"

def DeepenTurns : Pass<"dot-deepen-turns", "::phobos::tile::KernelOp"> {
  let summary = "A turn of a loop takes the depth of several, until rows of shared memory are long enough for wgmma";
  let description = [{
    wgmma reads rows of 128 bytes at its full rate, shorter ones at 0.8 or 0.4 of it, and every turn has its waits. Where a loop's one
    contraction is wgmma's, its operands' slices advance with the turns, one of them lies along k in rows of less than 128 bytes, and
    the loop goes to the end of both (so that what a last turn takes more is zeros), its turns become deeper and fewer. The order of
    the sums stays what it was. Not where `stages` were given: they count the kernel's own turns.

    Requires: loads as the front end made them. Guarantees: the same value.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def StageOperands : Pass<"dot-stage-operands", "::phobos::tile::KernelOp"> {
  let summary = "Contractions become instructions on fragments read from staged shared memory";
  let description = [{
    Each `dot.contract` becomes a row of steps along k, each reading a fragment of both operands from a slot and multiplying. An
    operand that is loaded from a view for contractions alone is copied straight into a slot, once, (cp.async, where the chip has it and
    the slice's alignment allows 4 bytes or more); any other is put there from registers, or, if its layout differs from the
    instruction's only inside the warp, goes there without shared memory. f32 operands on tensor cores are rounded or split here.

    Requires: layouts assigned. Guarantees: no `dot.contract`; every buffer has one slot, filled, waited for and read in this order. The
    barriers that this needs are inserted by dot-expand-pipeline and dot-insert-barriers.
  }];
  let dependentDialects = ["::phobos::dot::DotDialect"];
}

def StageStores : Pass<"dot-stage-stores", "::phobos::tile::KernelOp"> {
  let summary = "A warpgroup product's tile leaves by the copy engine";
  let description = [{
    A store of a tile that would have to be relaid first, because it is in a wgmma accumulator's layout (or in one transposed), becomes `dot.store_async` where
    the view suits TMA, nothing else in the kernel stores to it, no turn of a loop stores where another did, and the kernel reads it, if at
    all, at the same place before; else a remark says why not. In a persistent kernel the copies run under the next block's turns. Tiles
    of one shape share their slots.

    Requires: operands staged. Guarantees: a `dot.store_wait` for each buffer before the kernel's end.
  }];
  let dependentDialects = ["::phobos::dot::DotDialect"];
}

def OverlapProducts : Pass<"dot-overlap-products", "::phobos::tile::KernelOp"> {
  let summary = "A product that needs nothing of the one before runs under what is computed on that one's sums";
  let description = [{
    In a loop, a `dot.wgmma` from zeros whose operands are there when an earlier product begins, and between the two work on the earlier one's sums: it is issued
    behind that one, whose wait leaves it running. It is waited for where it was, by a `dot.wgmma_join` with a tile that is computed in between and needed afterwards, so
    that neither LLVM nor ptxas moves the wait up. Products in between whose sums nobody in the turn needs (`with_next`) come behind the join, and ride with the product behind it.

    Requires: operands staged. Guarantees: the values are the same.
  }];
  let dependentDialects = ["::phobos::dot::DotDialect"];
}

def AssignLatency : Pass<"dot-assign-latency", "::phobos::tile::KernelOp"> {
  let summary = "Marks the operations of a loop that are worth starting turns ahead";
  let description = [{
    Writes `dot.latency` on the copies of a loop (stages - 1 turns) and on loads that only a `dot.put` uses, also by way of conversions
    and scales (one turn). The depth is
    `dot.stages` of the kernel, by default two, or what shared memory holds. Where nothing in a loop with contractions can run ahead, a
    remark says why; with `dot.stages` given it is an error.

    Requires: operands staged. Guarantees: attributes only.
  }];
}

def ScheduleLoop : Pass<"dot-schedule-loop", "::phobos::tile::KernelOp"> {
  let summary = "Decides which operations of a loop run ahead";
  let description = [{
    `dot.cluster` = 0 on the marked operations and on everything in the loop that they need, 1 on the rest. If something that must run
    ahead depends on what this turn computes, the loop stays as it is, with a remark naming the operation; so does a loop around one
    whose own asynchronous copies run ahead.

    Requires: latencies. Guarantees: attributes only.
  }];
}

def ExpandPipeline : Pass<"dot-expand-pipeline", "::phobos::tile::KernelOp"> {
  let summary = "Scheduled loops become prologue and pipelined body";
  let description = [{
    Buffers get as many slots as turns are in flight. The prologue starts the copies of the first turns; each turn starts those of
    the turn `stages - 1` later, with a predicate that fills with zeros instead of reading past the end, works on its own slot, and ends
    with a wait for the next slot and one barrier, which also proves the slot just read free. What goes through registers (no cp.async,
    or conversions on the way) is loaded one turn ahead, worked on and put into the other slot before the barrier.

    Requires: `dot.cluster`. Guarantees: every read of a slot comes after a wait and a barrier that cover its copy; every overwrite after a
    barrier that follows the last read.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def PrefetchFragments : Pass<"dot-prefetch-fragments", "::phobos::tile::KernelOp"> {
  let summary = "Fragments are read one step before they are multiplied";
  let description = [{
    In a pipelined loop the fragments of step s + 1 are read before the product of step s, and the last step reads the first
    fragments of the next turn's slot, after the wait and the barrier, which move in front of the last product: 20 to 25 % on an mma.sync
    kernel. The fragments read in the very last turn are of a slot filled with zeros or stale, and never used. Between products of
    scalar multiply-adds the copies are spread over the steps (4 %); between those of tensor cores they stay together (spread: -1 %).

    Requires: loops expanded. Guarantees: the invariants of dot-expand-pipeline.
  }];
}

def AllocateShared : Pass<"dot-allocate-shared", "::phobos::tile::KernelOp"> {
  let summary = "Places buffers and scratch in shared memory by their lifetimes";
  let description = [{
    Gives every `dot.alloc` its offset and every relayout or reduction that needs scratch its `shared.offset`; what is never alive at
    once may overlap. Writes the total to the kernel as `tile.shared_bytes`. More than the chip has is an error that lists each buffer
    with its place in the source and its bytes.

    Requires: loops expanded. Guarantees: offsets, multiples of 128 bytes.
  }];
  let dependentDialects = ["::phobos::dot::DotDialect"];
}

def InsertBarriers : Pass<"dot-insert-barriers", "::phobos::tile::KernelOp"> {
  let summary = "A barrier between each pair of shared-memory accesses that needs one";
  let description = [{
    Follows reads and writes of shared-memory ranges through the program, loops twice, and puts a `dot.barrier` before an access that
    could meet one of another warp: read after write, write after read, write after write on overlapping bytes. Accesses of pipelined
    loops to their own slots are ordered by the schedule and count only towards what comes after the loop. The copies that such a loop
    leaves in flight, zeros for turns that do not come, are waited for before the first access to their bytes, if there is one: a thread
    may exit with copies in flight, since only who uses the result of one must wait for it (PTX ISA, completion mechanisms of
    asynchronous copies).

    Requires: shared memory allocated. Guarantees: no two conflicting accesses without a barrier between them, and none to bytes that a
    copy is still filling.
  }];
  let dependentDialects = ["::phobos::dot::DotDialect"];
}

def OrderGlobal : Pass<"dot-order-global", "::phobos::tile::KernelOp"> {
  let summary = "A barrier between accesses of one block to the same tensor whose order matters";
  let description = [{
    A block's loads, stores and atomic operations on one tensor happen as if in the order of the program. Threads go at their own pace,
    so a `dot.barrier` is put between two accesses of which one stores, or is atomic (but that atomic operations of one kind whose results
    nobody uses may come in any order), unless the same threads have the same elements both times or the slices are seen to
    be apart: by constants, or because a loop moves on by at least a slice. Barriers that stand there for shared memory serve as well.

    Requires: barriers inserted. Guarantees: no two such accesses without a barrier between them. Here, because who has which element
    is known, and which barriers there are. Different tensors are taken to be different memory.
  }];
  let dependentDialects = ["::phobos::dot::DotDialect"];
}

def Multicast : Pass<"dot-multicast", "::phobos::tile::KernelOp"> {
  let summary = "Blocks of a cluster share the copies that all of them make (`@ph.cluster`)";
  let description = [{
    Where the kernel has `tile.cluster`, a bulk copy whose offsets do not depend on the block's number along an axis of the cluster brings the same
    to all blocks along it: it gets `dot.multicast`. One of them then copies for all, each a panel in turn; every block still expects all
    bytes on its own barrier. Required is that all blocks of the cluster come by the copy equally often: no loop or branch around it depends on a
    block's number. The blocks meet (`dot.cluster_barrier`) before the first such copy, when all have made their barriers, and where a turn met
    before it copied into a slot: then nobody in the cluster reads the slot any more. Nothing is in flight to a block that ends, since each waits
    for all that comes to it.

    Not the same are a block's number and what is computed from it, except its cluster's number. On a chip without clusters nothing happens, with
    a remark.

    Requires: loops expanded, barriers inserted, no roles. Guarantees: copies into a slot of another block come after that block's reads of it.
  }];
  let dependentDialects = ["::phobos::dot::DotDialect"];
}

def AdvanceBlocks : Pass<"dot-advance-blocks", "::phobos::tile::KernelOp"> {
  let summary = "What a block's products take from registers in every turn is loaded while the block before ends";
  let description = [{
    Where roles copy and multiply, the consumers' loop over blocks may begin with loads of tiles that `dot.wgmma` then takes from registers in all turns of an
    inner loop. Their registers are free when the block's last product of that kind is done. The next block's loads are issued there, in front of
    the products that were put off and of what leaves the block, and the loop carries the tiles. The next block is asked for early too
    (`tile.next_block`). Not where the kernel stores to the tensor.

    Requires: loops expanded. Guarantees: what a block computes, and that loads stay inside their tensors: a block that does not come is loaded
    under the same bounds as one that does.
  }];
  let dependentDialects = ["::phobos::dot::DotDialect", "::phobos::tile::TileDialect"];
}

def KeepOperands : Pass<"dot-keep-operands", "::phobos::tile::KernelOp"> {
  let summary = "What products of every turn take from registers outlives the turn, for ptxas too";
  let description = [{
    Where a `dot.wgmma` takes its first operand from registers and a loop around it does not change the operand, there is a `dot.keep` of it at the end of the
    loop's body: see there for what happens else.

    Requires: loops expanded. Guarantees: nothing but that.
  }];
  let dependentDialects = ["::phobos::dot::DotDialect"];
}

def AwaitPrevious : Pass<"dot-await-previous", "::phobos::tile::KernelOp"> {
  let summary = "A dependent kernel waits for the one before it, as late as is right (`@ph.dependent`)";
  let description = [{
    Where the kernel has `tile.dependent`, one `tile.await_previous` is put into its outermost block, before the first op that does
    anything but arithmetic or the set-up of shared memory: buffers, barriers, and the CTA's meeting that makes them known. All threads
    pass it, the producer's too, so that it comes before every access of global memory, and the grid is not complete before the one that it
    waits for: what comes next in the stream need not know of it. The kernel begins with `tile.admit_next`. On a chip without dependent
    launches the attribute is removed, with a remark.

    Requires: the last pass before threads appear; no op may move afterwards. Guarantees: the wait dominates every access of global memory,
    and each path through the kernel has one.
  }];
  let dependentDialects = ["::phobos::tile::TileDialect"];
}

#endif
