// What an op does to shared memory: the one description that allocation and barriers share.
#pragma once

#include "phobos/Dialect/Dot/IR/Dot.h"

namespace phobos::dot {

/// One buffer or scratch area that an op touches.
struct SharedUse {
  mlir::Operation *owner; // the dot.alloc, or the op itself for its scratch
  uint64_t bytes;
  bool reads, writes;
  bool unfinished = false; // an asynchronous write: done only after a wait
};
llvm::SmallVector<SharedUse, 2> sharedUses(mlir::Operation *op);

/// Offset of a buffer or scratch area, once allocated.
uint64_t sharedOffset(mlir::Operation *owner);

/// Does the op contain a barrier of the whole CTA between its own writes and reads?
bool hasInnerBarrier(mlir::Operation *op);

} // namespace phobos::dot
