// LinearLayout: which thread and register holds which element of a tile.
//
// The one idea. Number everything in binary and let each bit of the hardware's numbering (register, lane, warp, block)
// move the tile coordinate by a fixed vector, its *basis*; vectors combine by XOR, coordinate by coordinate. So a
// layout is a linear map over F2, stored as one basis vector for each input bit. A 4 x 4 tile over 4 lanes of 4
// registers, each lane a 2 x 2 patch:
//
//     register = [[0,1],[1,0]]   lane = [[0,2],[2,0]]            columns 0 1   2 3
//                                                        rows 0, 1      L0    L1
//     lane 3, register 1: [0,2] ^ [2,0] ^ [0,1] = (2,3)  rows 2, 3      L2    L3
//
// The map runs from hardware to coordinates, not back, because several threads may hold one element (a zero basis:
// moving along that bit changes nothing, so the data is replicated), while a register holds exactly one element.
// Register blocking, mma fragments, slices of either and swizzles are all such maps, so a question about two layouts is
// a question about two small matrices: who holds what this thread needs is "solve S x = D y" (invertAndCompose in
// Algebra.h), and no code anywhere asks what *kind* of layout it has.
//
// Extents are powers of two; a tile of another size is padded up and masked by whoever reads or writes memory.
// Inside, a coordinate is the row-major number of the element ("flat"): with power-of-two extents that is the
// coordinates' bits side by side, the last dimension lowest, so XOR works on it as it is, a reshape changes no basis,
// and a layout is a short array of integers.
#pragma once

#include "phobos/Layout/F2Matrix.h"
#include <array>
#include <string>

namespace llvm {
class raw_ostream;
}

namespace phobos::layout {

// The inputs of a layout, in the order in which they are concatenated (register bits lowest) when a thread's place is
// one number.
enum class In : uint8_t { Register, Lane, Warp, Block };
inline constexpr unsigned kNumIns = 4;
inline constexpr unsigned kWarpSize = 32;
inline constexpr std::array<In, kNumIns> kAllIns = {In::Register, In::Lane, In::Warp, In::Block};
llvm::StringRef nameOf(In in); // "register", "lane", "warp", "block"

using Coords = llvm::SmallVector<int32_t, 4>;
using Flats = llvm::SmallVector<uint32_t, 8>;

// A place in the machine: one number for each input.
struct Place {
  uint32_t reg = 0, lane = 0, warp = 0, block = 0;
  uint32_t operator[](In in) const;
  uint32_t &operator[](In in);
  bool operator==(const Place &) const = default;
};

inline bool isPowerOf2(int64_t x) { return x > 0 && (x & (x - 1)) == 0; }
unsigned log2Exact(int64_t x);   // of a power of two
int32_t nextPowerOf2(int64_t x); // the padded extent: 1, 2, 4, …
Coords paddedShape(llvm::ArrayRef<int64_t> shape);

class LinearLayout {
public:
  LinearLayout() = default; // rank 0, one register, one lane
  // Bases as coordinate vectors of the shape's rank. Shape and bases must satisfy verify().
  LinearLayout(llvm::ArrayRef<int32_t> shape, llvm::ArrayRef<Coords> reg, llvm::ArrayRef<Coords> lane,
               llvm::ArrayRef<Coords> warp, llvm::ArrayRef<Coords> block = {});
  // Bases as row-major element numbers.
  static LinearLayout fromFlat(llvm::ArrayRef<int32_t> shape, llvm::ArrayRef<uint32_t> reg,
                               llvm::ArrayRef<uint32_t> lane, llvm::ArrayRef<uint32_t> warp,
                               llvm::ArrayRef<uint32_t> block = {});
  // What is wrong with these bases for this shape ("expected …, got …"), or an empty string. For attribute verifiers
  // and parsers.
  static std::string verify(llvm::ArrayRef<int32_t> shape, llvm::ArrayRef<Coords> reg, llvm::ArrayRef<Coords> lane,
                            llvm::ArrayRef<Coords> warp, llvm::ArrayRef<Coords> block = {});

  unsigned rank() const { return extents.size(); }
  llvm::ArrayRef<int32_t> shape() const { return extents; }
  uint32_t numElements() const { return 1u << numElementBits(); }
  unsigned numElementBits() const;
  // Number of bits of one input, and their bases.
  unsigned numBits(In in) const { return ends[unsigned(in)] - begin(in); }
  unsigned numBits() const { return flats.size(); } // of all inputs together
  uint32_t size(In in) const { return 1u << numBits(in); }
  uint32_t numRegisters() const { return size(In::Register); }
  uint32_t numLanes() const { return size(In::Lane); }
  uint32_t numWarps() const { return size(In::Warp); }
  uint32_t numBlocks() const { return size(In::Block); }

  llvm::ArrayRef<uint32_t> flatBases(In in) const;
  llvm::ArrayRef<uint32_t> flatBases() const { return flats; } // register, lane, warp, block
  llvm::SmallVector<Coords, 8> bases(In in) const;
  Coords basis(In in, unsigned bit) const { return unflatten(flatBases(in)[bit]); }
  int32_t basis(In in, unsigned bit, unsigned dim) const; // one coordinate of it

  Coords apply(uint32_t reg, uint32_t lane, uint32_t warp, uint32_t block = 0) const;
  Coords apply(const Place &p) const { return apply(p.reg, p.lane, p.warp, p.block); }
  uint32_t applyFlat(uint32_t reg, uint32_t lane, uint32_t warp, uint32_t block = 0) const;
  uint32_t applyFlat(const Place &p) const { return applyFlat(p.reg, p.lane, p.warp, p.block); }
  // The part that one input contributes (the others zero).
  uint32_t partFlat(In in, uint32_t value) const;

  Coords unflatten(uint32_t flat) const;
  uint32_t flatten(llvm::ArrayRef<int32_t> coords) const;
  // Bits of the flat number that belong to dimension `dim`: [dimShift, dimShift + log2 extent).
  unsigned dimShift(unsigned dim) const;
  unsigned dimBits(unsigned dim) const { return log2Exact(extents[dim]); }
  uint32_t dimMask(unsigned dim) const { return (uint32_t(extents[dim]) - 1) << dimShift(dim); }

  // Every element has at most one place; every element has a place. A distributed tile's layout is always surjective.
  bool isInjective() const { return matrix().rank() == numBits(); }
  bool isSurjective() const { return matrix().rank() == numElementBits(); }
  // Input bits that one may hold at zero without losing an element: the places whose masked bits are all zero hold each
  // element of the image exactly once. So "only threads with free bits zero write" is right for any layout. Warps are
  // freed before lanes, lanes before registers.
  Place freeVariableMasks() const;

  // Input bits in the order register, lane, warp, block; output the flat number.
  F2Matrix matrix() const;
  Place unpackPlace(uint64_t bits) const;
  uint64_t packPlace(const Place &place) const;

  bool operator==(const LinearLayout &other) const {
    return extents == other.extents && ends == other.ends && flats == other.flats;
  }
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }

  // register=[[0,1],[8,0]] lane=[…] warp=[…], then block=[…] if there are block bits. The shape is not printed.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;

private:
  unsigned begin(In in) const { return in == In::Register ? 0 : ends[unsigned(in) - 1]; }

  Coords extents;
  llvm::SmallVector<uint32_t, 16> flats;
  std::array<uint8_t, kNumIns> ends = {0, 0, 0, 0};
};

// The tile as a table, one cell an element: "W0 L3 R1", replicas as "W0|2" … For people: in a debugger, or a test.
std::string toTable(const LinearLayout &layout);

} // namespace phobos::layout
