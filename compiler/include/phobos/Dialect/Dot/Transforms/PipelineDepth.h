// How deep a loop's buffers are to be.
#pragma once

#include "phobos/Dialect/Dot/IR/Dot.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace phobos::dot {

/// A tile that a loop loads, works on and puts into a slot, of nothing that a turn computes for the next: the loads can
/// be started a turn early.
struct RegisterCopy {
  llvm::SmallVector<tile::LoadOp> loads;
  llvm::SmallVector<mlir::Operation *> work; // between the loads and the put, in order: conversions, scales
  PutOp put;
};

/// Copies that run asynchronously, and those through registers: what a loop can start early.
struct LoopCopies {
  llvm::SmallVector<CopyAsyncOp> async;
  llvm::SmallVector<TmaLoadOp> bulk;
  llvm::SmallVector<RegisterCopy> throughRegisters;
  bool empty() const { return async.empty() && bulk.empty() && throughRegisters.empty(); }
};
LoopCopies copiesOf(mlir::scf::ForOp loop);

/// Stages where nothing is said of them: enough to overlap the next turn's copies with this turn's products.
constexpr unsigned kDefaultStages = 2;
/// The same for the copy engine. A slot of its is free only when the next turn's products have begun, so that of two
/// none would ever be filled while another is waited for (t03 as written on an H200: 185 TFLOP/s with two, 317 with
/// three, 305 with four).
constexpr unsigned kStagesOfBulkCopies = 3;

/// Turns whose copies are in flight or in use at once.
struct PipelineDepth {
  unsigned stages = 2;
  bool given = false;    // by @ph.pipeline(stages=n) or a tuned `stages`: not for the compiler to lower
  bool asserted = false; // by @ph.pipeline(stages=n): an error if nothing can be pipelined
};
PipelineDepth pipelineDepth(tile::KernelOp kernel);

} // namespace phobos::dot
