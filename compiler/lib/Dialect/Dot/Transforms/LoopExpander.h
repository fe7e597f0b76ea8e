// What every expansion of a scheduled loop needs.
#pragma once

#include "Stagger.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Dialect/Dot/Transforms/PipelineDepth.h"

namespace phobos::dot {

/// The loop being rewritten, and small builders beside it. The builder starts in front of the loop.
class LoopExpander {
protected:
  explicit LoopExpander(mlir::scf::ForOp loop) : loop(loop), copies(copiesOf(loop)), b(loop), loc(loop.getLoc()) {}

  mlir::Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(b, loc, value); }

  /// Clones what `op` needs in the loop for the turn of `iv`; `mapping` remembers it.
  void cloneNeeds(mlir::Operation *op, mlir::IRMapping &mapping);
  /// slot + 1, or 0 at the end.
  mlir::Value next(mlir::Value slot, unsigned slots);
  /// slot - 1, or the last at the beginning.
  mlir::Value previous(mlir::Value slot, unsigned slots);
  /// The parity of the phase of `nextSlot`'s barrier: each trip round the slots is one more phase.
  mlir::Value parityAt(mlir::Value nextSlot, mlir::Value parity);
  /// lower bound + turn * step.
  mlir::Value firstTurns(unsigned turn);
  /// iv + turns * step.
  mlir::Value turnsAfter(mlir::Value iv, unsigned turns);
  mlir::Value isTurn(mlir::Value iv); // iv < upper bound
  /// More slots for a buffer, and the mark that its accesses are ordered by the schedule.
  void growStage(mlir::TypedValue<StageType> stage, unsigned slots);
  /// State that outlives the loop: `initial` when the kernel starts, afterwards what the loop's last run left. Returned
  /// are the values at the loop's entry, carried by the loops around it; leave() says what a run leaves.
  llvm::SmallVector<mlir::Value> enter(llvm::ArrayRef<int64_t> initial);
  void leave(mlir::ValueRange state);
  /// Do all tiles that the loop carries begin as zeros, and may a turn be repeated in front of it? Then the first
  /// turn's products need no accumulator.
  bool beginsWithZeros();
  /// Do the products of a turn run on into the next, which alone needs their sums? Else a turn waits for all of its
  /// own.
  bool productsRunOn();
  /// One turn of a loop of bulk copies, without these: `mapping` has the loop's variable and what it carries, and gets
  /// all else. It awaits and reads `slot` in the phase of `parity`, and, of products that run on, waits for the turn
  /// before's unless it is the first.
  void cloneTurn(mlir::IRMapping &mapping, mlir::Value slot, mlir::Value parity, bool first);
  /// The same where a product is put off: `narrowed` is what the turn before left for it to multiply, null in the first
  /// turn, which puts off its own and has no other; returned is what this turn leaves.
  mlir::Value cloneStaggered(mlir::IRMapping &mapping, mlir::Value slot, mlir::Value slotBefore, mlir::Value parity,
                             mlir::Value narrowed);
  /// The product that the last turn put off, from `narrowed` and the slot of that turn; `results` are the loop's.
  void multiplyLast(llvm::MutableArrayRef<mlir::Value> results, mlir::Value narrowed, mlir::Value slot);
  /// Finds the product to put off, if one can be with so many slots a buffer, and says so.
  void planStagger(unsigned stages);
  /// Is a turn's slot read until the next turn's products have begun?
  bool keepsSlot() { return stagger || productsRunOn(); }
  /// Waits for the products that still run when the loop ends; `results` are the loop's.
  void waitForLast(llvm::MutableArrayRef<mlir::Value> results);
  /// `begin` where the loop has a turn at all, else `inits`; what `begin` returns are as many values of the same types.
  llvm::SmallVector<mlir::Value> ifAnyTurn(mlir::ValueRange inits,
                                           llvm::function_ref<llvm::SmallVector<mlir::Value>()> begin);
  /// Uses of the old loop's results become the new one's; the old loop goes.
  void replaceBy(mlir::scf::ForOp pipelined);
  /// Slots that are filled in front of the loop and read in every turn: their copies, in the loop's block.
  llvm::SmallVector<TmaLoadOp> stillCopies();
  /// What a loop of bulk copies leaves for its next run: the next slot, the parity of its phase, and, where slots are
  /// filled in front of the loop, the parity of those, `phase` being that of this run.
  void leaveSlots(mlir::Value slot, mlir::Value parity, mlir::Value phase);
  /// The wait for such a copy: for the phase of `parity`.
  static void awaitStill(TmaLoadOp copy, mlir::Value parity);
  /// What only the copies needed.
  static void eraseDead(mlir::Block &block);

  mlir::scf::ForOp loop;
  llvm::SmallVector<mlir::scf::ForOp> around; // from the outermost in, each carrying the state as its last values
  LoopCopies copies;
  std::optional<Stagger> stagger;
  mlir::OpBuilder b;
  mlir::Location loc;

private:
  /// Lets a wait for bulk copies, or a use of what they bring, be of `slot` and of the phase of `parity`.
  void inSlot(mlir::Operation *op, mlir::Value slot, mlir::Value parity);
  /// Of products that run on, a turn needs one wait: its last, for those of the turn before.
  bool isLastWait(mlir::Operation *wait);
};

/// Expands a loop whose copies are bulk copies and whose product is wgmma.
void expandTmaLoop(mlir::scf::ForOp loop);
/// The same with roles (Specialize.cpp), of a persistent kernel's only such loop; false, with a remark, where that
/// cannot be.
bool specializeTmaLoop(mlir::scf::ForOp loop, tile::KernelOp kernel);

} // namespace phobos::dot
