// Address arithmetic for lowering: linear maps of the thread's numbers as a few shift, mask and multiply terms, and the
// split of shared-memory addresses into a base for the thread and constants for the registers.
#pragma once

#include "phobos/Layout/SharedLayout.h"

namespace phobos::layout {

// Which number a term reads. Thread is lane + 32 * warp (threadIdx inside the warps that share the tile).
enum class Source : uint8_t { Lane, Warp, Block, Thread };

// ((source >> shiftRight) & mask) * multiplier. The mask is all ones (kNoMask) where the source has no higher bits to
// clear.
struct BitTerm {
  static constexpr uint32_t kNoMask = ~0u;
  Source source = Source::Lane;
  unsigned shiftRight = 0;
  uint32_t mask = kNoMask;
  uint32_t multiplier = 1;
  uint32_t evaluate(uint32_t x) const { return ((x >> shiftRight) & mask) * multiplier; }
};

// The value is the XOR of the terms, or their sum if `add`. `disjoint`: no two terms ever set the same bit, so XOR, OR
// and ADD are the same.
struct TermList {
  llvm::SmallVector<BitTerm, 6> terms;
  bool add = false, disjoint = true;
  uint32_t possibleBits = 0; // every bit that the value can have (for `add`, of the sum)
  uint32_t evaluate(uint32_t lane, uint32_t warp, uint32_t block = 0) const;
};

// How lowering gets thread numbers: separate lane and warp (keeps the warp's part uniform), or one thread number where
// that saves terms.
enum class ThreadNumber { LaneAndWarp, Combined };

// Terms for Σ bit_i(source) * constant_i, where XOR combines (add = false) or the constants are added.
TermList decompose(llvm::ArrayRef<uint32_t> lane, llvm::ArrayRef<uint32_t> warp, llvm::ArrayRef<uint32_t> block,
                   bool add, ThreadNumber number = ThreadNumber::LaneAndWarp);

// Coordinate `dim` of a place: coordinate(reg, thread) = terms(thread) ^ registers[reg]; `disjoint` says that + serves
// for ^ for every register.
struct CoordinateTerms {
  TermList thread;
  Flats registers;
  bool disjoint = true;
};
CoordinateTerms coordinateTerms(const LinearLayout &layout, unsigned dim,
                                ThreadNumber number = ThreadNumber::LaneAndWarp);

// Byte address in a shared buffer of each register of `pattern`:
//     address(reg) = (base(thread) ^ xorPart[reg]) + addPart[reg]
// addPart is disjoint from every bit the base can have (linear), or the layout is padded and xorPart is zero: either
// way an immediate. Only distinct xorPart values cost an instruction: `xorValues` lists them, zero first.
struct AddressSplit {
  TermList base;
  Flats xorPart, addPart; // by register
  llvm::SmallVector<uint32_t, 4> xorValues;
  uint32_t address(uint32_t reg, uint32_t lane, uint32_t warp, uint32_t block = 0) const;
};
// Nothing for a padded layout whose pattern moves one coordinate bit by two hardware bits: then compute coordinates
// (coordinateTerms) and multiply.
std::optional<AddressSplit> splitAddress(const LinearLayout &pattern, const SharedLayout &shared,
                                         ThreadNumber number = ThreadNumber::LaneAndWarp);

} // namespace phobos::layout
