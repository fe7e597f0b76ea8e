// In which order the words of elementwise operations in a row are computed.
#pragma once

#include "phobos/Conversion/Lowering.h"

namespace phobos::lowering {

/// Sums of a thread beside which ptxas does not find room by itself for what is computed on them.
inline constexpr unsigned kManySums = 128;

/// Behind a product stand operations on all of its sums: one after the other they would keep a tile of each alive. What
/// is emitted for a run of them is put into another order: what is read first, then all of one word of the results,
/// then all of the next. In blocks with products nothing changes: there latency counts.
class WordOrder {
public:
  WordOrder(Lowering &lowering, Block &block);
  ~WordOrder();

  /// To be called before each op of the block is lowered, and after the last with null.
  void next(Operation *op);

  /// For an op behind a run that uses a result part by part: `partOfWord` says which word belongs to which, from 0 on.
  /// bring(part) then moves what this part and later ones need, of which nothing else has been made, to the insertion
  /// point: so few words are alive at once, whatever ptxas does inside a block. Words of other results of the run go
  /// with those of their number.
  void divide(ArrayRef<unsigned> partOfWord);
  void bring(unsigned part);

private:
  bool belongs(Operation *op) const;
  void finish();
  void place(Operation *op);

  Lowering &l;
  WordOrder *outer;              // of the block around
  bool active, isBehind = false; // is this a block without products; has an op with products been lowered?
  SmallVector<Operation *> run;  // of the tile dialect
  Block *into = nullptr;         // what they are emitted into, from behind `before` on; null: from its beginning
  Operation *before = nullptr;

  // Of the last run.
  llvm::SmallPtrSet<Operation *, 16> unplaced;
  SmallVector<Operation *> order;                             // what was emitted, as it now stands
  SmallVector<SmallVector<Value>> results;                    // their words
  llvm::DenseMap<Operation *, std::optional<unsigned>> parts; // nothing: stays where it is
};

} // namespace phobos::lowering
