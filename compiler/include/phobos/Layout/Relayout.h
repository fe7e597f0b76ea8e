// From one layout to another: register moves, warp shuffles, or a trip through shared memory; and the whole plan.
#pragma once

#include "phobos/Layout/Algebra.h"
#include "phobos/Layout/SharedLayout.h"

namespace phobos::layout {

enum class RelayoutKind : uint8_t {
  None,            // register i stays register i
  RegisterPermute, // within the thread; registers may be dropped or repeated
  Shuffle,         // within the warp
  Shared,          // through shared memory
};

// Shuffles. Registers move in words of `unit` elements (2 halves or 4 bytes that travel together fill 32 bits; else 1).
// To emit:
//   words[w] = pack(src registers srcWords[w * unit ...])
//   for each {bit, laneMask} of sendSwaps: if parity(lane & laneMask), words w and w ^ bit change places
//   for each round: got = local ? words[send] : shfl.idx(words[send], laneConst ^ laneMap(lane));  out[land] = got
//   for each {bit, laneMask} of landSwaps: if parity(lane & laneMask), out w and w ^ bit change places
//   dst registers dstWords[w * unit ...] = unpack(out[w]);  then dst register r is that of dstCopy[r] (replicas)
struct ShuffleRound {
  uint32_t send = 0, land = 0; // word numbers
  uint32_t laneConst = 0;
  bool local = false; // the source lane is the lane itself
};
struct RegisterSwap {
  uint32_t wordBit = 0;  // words w and w ^ wordBit
  uint32_t laneMask = 0; // change places where the parity of lane & laneMask is odd
};
struct ShufflePlan {
  unsigned unit = 1;
  llvm::SmallVector<uint32_t, 16> srcWords, dstWords; // registers of each word, `unit` a word
  llvm::SmallVector<RegisterSwap, 4> sendSwaps, landSwaps;
  std::array<uint32_t, 5> laneMap = {1, 2, 4, 8, 16}; // image of each lane bit
  bool butterfly = true;                              // laneMap is the identity: shfl.bfly with laneConst
  llvm::SmallVector<ShuffleRound, 16> rounds;
  llvm::SmallVector<uint32_t, 16> dstCopy;       // by dst register: the register, one of dstWords, that has its value
  unsigned numShuffles(unsigned elemBits) const; // 32-bit instructions
  unsigned numSelects(unsigned elemBits) const;
  uint32_t sourceLane(const ShuffleRound &round, uint32_t lane) const;
};

// Shared memory. The tile goes in `chunks` equal parts, one after the other through the same scratch; part c consists
// of src registers srcRegisters[c] and dst registers dstRegisters[c], in the order of srcPart's and dstPart's.
// With `warpLocal` each warp has its own piece (at warp * bytesPerWarp) and only the warp need be in step; else the
// block. Replicas write one value to the same bytes; srcPart.freeVariableMasks() says who may be left out.
// To emit, for each part:
//   sync if it is not the first (or the scratch was in use)
//   store srcPart's registers at scratch(srcPart(reg, lane, warp)) in vectors of writeBytes
//   sync
//   load dstPart's registers at scratch(dstPart(reg, lane, warp)) in vectors of readBytes
// and in the end dst register r is that of dstCopy[r].
struct SharedPlan {
  SharedLayout scratch; // over the part's shape (a warp's piece of it if warpLocal)
  LinearLayout srcPart, dstPart;
  unsigned writeBytes = 4, readBytes = 4;
  bool warpLocal = false;
  uint32_t bytesPerWarp = 0, totalBytes = 0; // totalBytes = numWarps * bytesPerWarp if warpLocal
  llvm::SmallVector<llvm::SmallVector<uint32_t, 16>, 1> srcRegisters, dstRegisters;
  llvm::SmallVector<uint32_t, 16> dstCopy;
  unsigned chunks() const { return srcRegisters.size(); }
};

struct RelayoutPlan {
  RelayoutKind kind = RelayoutKind::None;
  llvm::SmallVector<uint32_t, 16> registers; // None, RegisterPermute: src register of each dst register
  ShufflePlan shuffle;
  SharedPlan shared;
  unsigned cost = 0; // estimated issue slots of a warp; to compare places for a relayout
  void print(llvm::raw_ostream &os) const;
};

struct RelayoutOptions {
  uint32_t maxScratchBytes = 0; // split into parts above this (where registers allow); 0: no limit
  bool allowShuffle = true;
};

// The rule: shuffles if the data stays in its warp, the lanes' wishes can be met one word a round, and
//     shuffles + selects / 2  <=  shared-memory wavefronts, write and read, + kWarpSyncCost or kBlockSyncCost for each
//     sync.
// Data that crosses blocks of a cluster is refused (nothing), as is a dst element that src lacks.
inline constexpr unsigned kWarpSyncCost = 8, kBlockSyncCost = 32;
// Elements narrower than a byte (i1) count as bytes.
std::optional<RelayoutPlan> planRelayout(const LinearLayout &src, const LinearLayout &dst, unsigned elemBits,
                                         RelayoutOptions options = {});

} // namespace phobos::layout
