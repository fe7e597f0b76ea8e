// The blocks that a persistent kernel's CTA draws from its launch's counter (`@ph.persistent(order="queue")`).
#pragma once

#include "phobos/Dialect/Tile/IR/Tile.h"

namespace phobos::lowering {

class Lowering;

/// Of a CTA's shared memory, for handing what was drawn to the threads that did not draw it: two words, and two
/// mbarriers for each of them, which only roles use.
inline constexpr uint64_t kQueueBytes = 40;

/// Makes the mbarriers, where roles need them.
void initQueue(Lowering &l, tile::QueueOp queue);
/// The turn begins: starts to draw its successor. An i32 in the thread that draws.
mlir::Value drawTicket(Lowering &l);
/// A loop over blocks that are drawn, while its turn is built.
struct QueueTurn {
  tile::QueueOp queue;
  mlir::Value ticket, blocks;
  mlir::Value turn;      // counts from 0, an i32
  mlir::Value next = {}; // where the turn has asked already
};
/// The turn ends, or asks before it ends: the next block, an index, in every thread that runs the loop.
mlir::Value nextBlock(Lowering &l, const QueueTurn &drawn);

} // namespace phobos::lowering
