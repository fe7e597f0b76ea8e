// New layouts from old: what each shape operation does to a layout, and how two layouts relate.
// Everything returns a new layout and keeps all hardware bits (a bit that no longer matters keeps a zero basis), so a
// tile's threads never change under these; only the functions named …Registers change the number or order of registers.
#pragma once

#include "phobos/Layout/LinearLayout.h"

namespace phobos::layout {

// --- shape operations: the layout of the result, given that no data moves
// Result dimension i is source dimension perm[i].
LinearLayout transpose(const LinearLayout &layout, llvm::ArrayRef<unsigned> perm);
// A new dimension of extent 1 before dimension `dim`.
LinearLayout expandDims(const LinearLayout &layout, unsigned dim);
// Without dimension `dim`: the layout of a reduction's result, of a row or column vector. Bases keep their place; those
// that moved along `dim` only become zero. expandDims + broadcast of the result meets `layout` again without moving
// data.
LinearLayout slice(const LinearLayout &layout, unsigned dim);
// Same elements in row-major order, other extents (same product).
LinearLayout reshape(const LinearLayout &layout, llvm::ArrayRef<int32_t> shape);
// Dimension `dim` of extent 1 becomes `extent`: each thread holds all copies, in new highest register bits.
LinearLayout broadcast(const LinearLayout &layout, unsigned dim, int32_t extent);
// broadcast() to a whole shape of the same rank.
LinearLayout broadcastTo(const LinearLayout &layout, llvm::ArrayRef<int32_t> shape);
// The other way round: what a tile of `shape`, in which some of the layout's extents are 1, has so that a broadcast of
// it meets `layout` without moving data. Bases along those dimensions become zero.
LinearLayout beforeBroadcast(const LinearLayout &layout, llvm::ArrayRef<int32_t> shape);
// join: a new last dimension of extent 2, held in new register bit 0 (operand i in registers with bit 0 equal to i).
// split: the inverse for the halves of a last dimension of extent 2; nothing if that dimension is not one register bit
// by itself, else the layout of either half and which register bit told them apart.
LinearLayout join(const LinearLayout &layout);
struct SplitLayout {
  LinearLayout half;
  unsigned registerBit;
};
std::optional<SplitLayout> split(const LinearLayout &layout);

// --- registers
// New register bit i is old register bit order[i]; `order` may leave bits out (their registers are dropped).
LinearLayout selectRegisters(const LinearLayout &layout, llvm::ArrayRef<unsigned> order);
// Register bits that are independent of the lower ones: selectRegisters() with them drops registers that repeat an
// element of the same thread, such as those with zero bases.
llvm::SmallVector<unsigned, 8> independentRegisters(const LinearLayout &layout);
LinearLayout removeZeroRegisterBases(const LinearLayout &layout);
// By register of `layout`: the register, one of the independent ones, that holds the same element.
llvm::SmallVector<uint32_t, 16> registerCopies(const LinearLayout &layout);
// The old register for a register of selectRegisters(layout, order).
uint32_t selectedRegister(uint32_t reg, llvm::ArrayRef<unsigned> order);

// Number of consecutive registers, from register 0 and at every multiple, that hold consecutive elements along the
// fastest dimension order[0], aligned: the widest vector access in elements. `order` lists dimensions, fastest first.
uint32_t contiguity(const LinearLayout &layout, llvm::ArrayRef<unsigned> order);
// The order of register bits that makes contiguity() largest: bits of the vector first, the others as they were.
llvm::SmallVector<unsigned, 8> vectorFirstOrder(const LinearLayout &layout, llvm::ArrayRef<unsigned> order);

// Which input bits hold a dimension. `separable`: no basis moves along `dim` and along another dimension at once, so a
// reduction combines registers over reg's bits, shuffles by XOR over lane's bits, and goes through shared memory for
// warp's bits.
struct AxisBits {
  Place mask;
  bool separable = true;
};
AxisBits axisBits(const LinearLayout &layout, unsigned dim);

// --- two layouts
// A linear map from the places of one layout (register, lane, warp, block bits) to those of another.
struct PlaceMap {
  F2Matrix matrix; // input and output bits in the order register, lane, warp, block
  std::array<uint8_t, kNumIns> fromBits, toBits;
  Place apply(const Place &from) const;
  // The image of one input bit.
  Place column(In in, unsigned bit) const;
  // Output `in` equals input `in` for every place, and no other output depends on it.
  bool keeps(In in) const;
  // Output `in` of every place equals its input `in` (other outputs may depend on it too).
  bool same(In in) const;
};

// For each place of `dst`, a place of `src` that holds the same element. Where data is replicated it is the nearest
// copy: same block if there is one, then same warp, same lane, same register. Nothing if `src` lacks an element of
// `dst`.
std::optional<PlaceMap> invertAndCompose(const LinearLayout &src, const LinearLayout &dst);
// For each element (flat) a place that holds it: the first one. Nothing unless the layout is surjective.
std::optional<F2Matrix> invert(const LinearLayout &layout);

// `outer` repeated: does the layout begin with `tile`, i.e. for every input, are tile's bases its first ones, and do
// the others not move inside tile's extents? Then the rest, over shape / tile.shape (its bases of the tile's bits
// removed).
std::optional<LinearLayout> divideLeft(const LinearLayout &layout, const LinearLayout &tile);
// The inverse: `tile` in each cell of `outer`; every input's bits are tile's, then outer's; extents multiply.
LinearLayout product(const LinearLayout &tile, const LinearLayout &outer);

// Coordinates without the given bits of the flat number; a dimension's extent halves for each of its bits dropped.
LinearLayout dropCoordinateBits(const LinearLayout &layout, uint32_t flatBits);

// A part of `shape` (powers of two, or whole extents) of a tile in `layout`, wherever one of several such parts that
// divide the tile begins, where each thread has the same place in all: without the registers that tell parts apart.
// Nothing if lanes or warps do.
std::optional<LinearLayout> part(const LinearLayout &layout, llvm::ArrayRef<int32_t> shape);
// Which of the parts, a flat number without the bits inside it, and which of the part's registers a register is.
std::pair<uint32_t, uint32_t> partOf(const LinearLayout &layout, llvm::ArrayRef<int32_t> shape, uint32_t reg);

} // namespace phobos::layout
