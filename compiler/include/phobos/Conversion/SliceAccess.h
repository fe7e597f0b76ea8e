// Addresses and masks of a slice of a view under a layout: what loads, stores and copies share.
#pragma once

#include "phobos/Conversion/Lowering.h"

namespace phobos::lowering {

/// Where each register's element lies in memory, and whether it lies inside the view and the tile.
///
/// The thread's part of an address is computed once; a register's part is an immediate along the unit dimension and one
/// product with the stride elsewhere, shared by the registers that agree on it.
class SliceAccess {
public:
  struct Slice {
    Value view;
    mlir::ValueRange offsets;  // index values of the tile dialect
    ArrayRef<int64_t> extents; // of the tile, unpadded
    llvm::function_ref<bool(unsigned)> whole;
    SmallVector<SmallVector<Value>, 5> places = {}; // by dim and register, instead of a span; i32 or i64
  };
  SliceAccess(Lowering &lowering, const Slice &slice, const layout::LinearLayout &layout);

  /// Address of register `reg`'s element, !llvm.ptr<1>.
  Value pointer(unsigned reg);
  /// Is the element inside? Null: always. `skipDim` leaves that dimension's bound against the view out.
  Value predicate(unsigned reg, std::optional<unsigned> skipDim = std::nullopt);
  /// Offset plus coordinate of the register's element along `dim`, index type.
  Value position(unsigned reg, unsigned dim);

private:
  Value coordinate(unsigned reg, unsigned dim); // i32
  Value isInView(unsigned reg, unsigned dim);   // i1
  Value both(Value x, Value y);                 // of masks, where null is true
  /// Where the register's element lies along a dimension without a span; null for one that has one.
  Value place(unsigned reg, unsigned dim) {
    return places_.empty() || places_[dim].empty() ? Value() : places_[dim][reg];
  }

  Lowering &l;
  const View &view_;
  const layout::LinearLayout &layout_;
  SmallVector<int64_t> extents_;
  SmallVector<bool> whole_, asOne_;
  SmallVector<Value> offsets_; // index type, lowered
  SmallVector<SmallVector<Value>, 5> places_;
  SmallVector<layout::CoordinateTerms> terms_;
  SmallVector<Value> threadCoordinates_;                                 // i32
  Value threadPointer_;                                                  // with offsets and the thread's coordinates
  llvm::DenseMap<std::pair<unsigned, uint32_t>, Value> scaled_;          // by (dim, register's coordinate): byte offset
  llvm::DenseMap<std::pair<unsigned, Value>, Value> away_;               // by (dim, place): byte offset
  llvm::DenseMap<std::pair<unsigned, uint32_t>, Value> inside_, inTile_; // by (dim, register's coordinate)
  llvm::DenseMap<std::pair<unsigned, Value>, Value> hits_;               // by (dim, place): is it inside the view
  llvm::DenseMap<std::pair<Value, Value>, Value> both_; // conjunctions made so far: equal masks are one value
};

/// By dimension, for `tile.load` and its like: the places that tiles of indices give; nothing where there are none.
template <typename OpT> SmallVector<SmallVector<Value>, 5> placesOf(Lowering &l, OpT op) {
  SmallVector<SmallVector<Value>, 5> places(op.getIndices().empty() ? 0 : op.getOffsets().size());
  for (auto [dim, of] : llvm::enumerate(places)) {
    if (Value indices = op.indicesOf(dim)) {
      of = l.elements(indices);
    }
  }
  return places;
}

/// Consecutive registers, from each multiple of the result, that hold neighbours along `dim`: a power of two.
unsigned consecutive(const layout::LinearLayout &layout, unsigned dim);

} // namespace phobos::lowering
