// Layouts that global memory likes.
#include "phobos/Dialect/Tile/Transforms/AccessLayout.h"

#include "phobos/Dialect/Tile/IR/Divisibility.h"
#include "phobos/Layout/Constructors.h"

using namespace mlir;
using phobos::layout::In;
using phobos::layout::LinearLayout;

namespace phobos::tile {
namespace {

// What DRAM and L2 move at least, and what one thread may move at once.
constexpr unsigned kSectorBytes = 32, kVectorBytes = 16;

/// Dimensions from fastest in memory to slowest, as far as the view's type tells.
SmallVector<unsigned> memoryOrder(ViewType view) {
  SmallVector<unsigned> order;
  auto unit = unitDim(view);
  if (unit) {
    order.push_back(*unit);
  }
  for (unsigned dim = view.getRank(); dim-- > 0;) {
    if (dim != unit) {
      order.push_back(dim);
    }
  }
  return order;
}

/// Neighbours along a dimension that one access moves.
struct Run {
  uint32_t thread = 1, warp = 1; // elements
  bool isRow = false;            // is the warp's run the tile's whole row?
};

/// Registers from bit 0, then any lane bit that goes on.
Run runOf(const LinearLayout &layout, unsigned dim) {
  uint32_t shift = layout.dimShift(dim), extent = layout.shape()[dim];
  Run run;
  for (uint32_t basis : layout.flatBases(In::Register)) {
    if (basis != run.thread << shift) {
      break;
    }
    run.thread *= 2;
  }
  run.warp = run.thread;
  while (run.warp < extent && llvm::is_contained(layout.flatBases(In::Lane), run.warp << shift)) {
    run.warp *= 2;
  }
  run.isRow = run.warp >= extent;
  return run;
}

} // namespace

LinearLayout accessLayout(KernelOp kernel, Value view, ValueRange offsets, ArrayRef<bool> whole, RankedTensorType type,
                          std::optional<unsigned> lastForWarps, bool oneByOne) {
  auto viewType = cast<ViewType>(view.getType());
  auto unit = unitDim(viewType);
  unsigned bits = elementBits(type.getElementType()), vector = 1;
  if (unit && !oneByOne) {
    bool inside = !whole.empty() && whole[*unit];
    vector = std::min(alignedBytes(view, offsets) * 8 / bits,
                      maskGranule(kernel, view, *unit, offsets[*unit], inside, type.getShape()[*unit]));
  }
  return layout::blockedForAccess(paddedShape(type), bits, memoryOrder(viewType), kernel.getNumWarps(), vector,
                                  lastForWarps);
}

bool storesWell(Value view, const LinearLayout &layout, unsigned bits) {
  auto unit = unitDim(cast<ViewType>(view.getType()));
  if (!unit) {
    return true; // no layout makes such a store contiguous
  }
  Run run = runOf(layout, *unit);
  // 16-bit pairs by quads are whole sectors only from 4 bytes a lane and 8 lanes on.
  return (run.warp * bits / 8 >= kSectorBytes && run.thread * bits >= 32) || run.isRow;
}

bool loadsWell(Value view, const LinearLayout &layout, unsigned bits) {
  auto unit = unitDim(cast<ViewType>(view.getType()));
  if (!unit) {
    return true;
  }
  Run run = runOf(layout, *unit);
  bool isVector = llvm::count_if(layout.shape(), [](int32_t extent) { return extent > 1; }) <= 1;
  return run.warp * bits / 8 >= kSectorBytes / 2 && (run.thread * bits >= 32 || isVector);
}

std::optional<LinearLayout> warpLocalAccess(Value view, const LinearLayout &layout, unsigned bits, unsigned maxVector) {
  auto viewType = cast<ViewType>(view.getType());
  uint32_t warpBits = 0;
  for (uint32_t basis : layout.flatBases(In::Warp)) {
    if (basis & (basis - 1) || basis & warpBits) {
      return std::nullopt;
    }
    warpBits |= basis;
  }
  // Coordinate bits of a warp's piece, fastest in memory first: a vector to registers, then lanes, the rest to
  // registers.
  SmallVector<uint32_t> piece;
  unsigned fastBits = 0; // of the piece before the first of a warp: what a vector may run along
  bool unbroken = true;
  for (auto [i, dim] : llvm::enumerate(memoryOrder(viewType))) {
    for (unsigned bit = 0; bit < layout.dimBits(dim); ++bit) {
      uint32_t basis = 1u << (layout.dimShift(dim) + bit);
      bool own = !(basis & warpBits);
      unbroken &= own && i == 0;
      fastBits += unbroken;
      if (own) {
        piece.push_back(basis);
      }
    }
  }
  unsigned vector = std::min({kVectorBytes * 8 / bits, 1u << fastBits, maxVector});
  unsigned vectorBits = llvm::Log2_32(vector);
  auto rest = ArrayRef(piece).drop_front(vectorBits);
  SmallVector<uint32_t> registers(piece.begin(), piece.begin() + vectorBits), lanes(rest.take_front(5));
  llvm::append_range(registers, rest.drop_front(std::min<size_t>(5, rest.size())));
  lanes.resize(5, 0);
  return LinearLayout::fromFlat(layout.shape(), registers, lanes, layout.flatBases(In::Warp));
}

} // namespace phobos::tile
