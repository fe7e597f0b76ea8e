// Bank conflicts and the shared layouts without them.
//
// Two elements of one phase collide when they lie in different words of one bank, that is when their difference (XOR)
// changes the word but not the bank. On a linear layout the words of one phase are a subspace P, so the phase is free
// of conflicts exactly if P meets the subspace H of "same bank" differences only in zero. Choosing a swizzle is
// choosing H.
#include "phobos/Layout/Swizzle.h"
#include "phobos/Layout/Address.h"
#include "phobos/Layout/Algebra.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cassert>

namespace phobos::layout {

static constexpr unsigned kBanks = 32, kBankBytes = 4, kBankLineBytes = kBanks * kBankBytes;

static unsigned phasesOf(unsigned bytesPerLane) { return std::max(1u, bytesPerLane / kBankBytes); }

// Wavefronts of one access: registers firstReg … of one warp, or one repetition of rows.
static unsigned wavefrontsOf(const AccessPattern &p, const SharedLayout &shared, uint32_t firstReg, uint32_t warp,
                             uint32_t block) {
  unsigned phases = phasesOf(p.bytesPerLane), lanes = p.layout.numLanes() / phases, total = 0;
  unsigned elements = p.rows ? 1 : std::max(1u, p.bytesPerLane / shared.elemBytes());
  unsigned bytes = p.rows ? p.bytesPerLane : shared.elemBytes(); // that one coordinate stands for
  for (unsigned phase = 0; phase < phases; ++phase) {
    llvm::SmallVector<uint32_t, 8> words[kBanks];
    for (unsigned lane = phase * lanes; lane < (phase + 1) * lanes; ++lane) {
      for (unsigned e = 0; e < elements; ++e) {
        uint32_t offset = shared.offsetFlat(p.layout.applyFlat(firstReg + e, lane, warp, block));
        for (uint32_t word = offset / kBankBytes; word * kBankBytes < offset + bytes; ++word) {
          auto &bank = words[word % kBanks];
          if (!llvm::is_contained(bank, word)) {
            bank.push_back(word);
          }
        }
      }
    }
    size_t worst = 1;
    for (auto &bank : words) {
      worst = std::max(worst, bank.size());
    }
    total += worst;
  }
  return total;
}

ConflictCount countConflicts(const AccessPattern &p, const SharedLayout &shared) {
  ConflictCount count;
  unsigned step = p.rows ? 1 : std::max(1u, p.bytesPerLane / shared.elemBytes());
  assert(p.layout.numRegisters() % step == 0 && "fewer registers than one vector");
  for (uint32_t block = 0; block < p.layout.numBlocks(); ++block) {
    for (uint32_t warp = 0; warp < p.layout.numWarps(); ++warp) {
      for (uint32_t reg = 0; reg < p.layout.numRegisters(); reg += step) {
        count.wavefronts += wavefrontsOf(p, shared, reg, warp, block);
        count.ideal += phasesOf(p.bytesPerLane);
      }
    }
  }
  return count;
}

// Byte offsets in `shared` that span one phase's words: the vector, the phase's lanes, and words inside an element.
static Flats phaseOffsets(const AccessPattern &p, const SharedLayout &shared) {
  Flats out;
  auto add = [&](uint32_t flat) { out.push_back(shared.offsetFlat(flat)); };
  if (p.rows) {
    uint32_t first = 1;
    for (unsigned d = shared.order()[0] + 1; d < shared.rank(); ++d) {
      first *= uint32_t(shared.shape()[d]);
    }
    for (unsigned bytes = shared.elemBytes(); bytes < p.bytesPerLane; bytes *= 2, first *= 2) {
      add(first);
    }
  } else {
    for (unsigned bit = 0; shared.elemBytes() << bit < p.bytesPerLane; ++bit) {
      add(p.layout.flatBases(In::Register)[bit]);
    }
  }
  for (unsigned bit = 0; bit + log2Exact(phasesOf(p.bytesPerLane)) < p.layout.numBits(In::Lane); ++bit) {
    add(p.layout.flatBases(In::Lane)[bit]);
  }
  for (unsigned bytes = kBankBytes; bytes < shared.elemBytes(); bytes *= 2) {
    out.push_back(bytes);
  }
  return out;
}

// 2^(rank of the words - rank of their banks) for a phase spanned by these byte offsets.
static unsigned degreeOf(llvm::ArrayRef<uint32_t> byteOffsets) {
  F2Basis words, banks;
  for (uint32_t offset : byteOffsets) {
    words.insert(offset / kBankBytes);
    banks.insert(offset / kBankBytes % kBanks);
  }
  return 1u << (words.rank() - banks.rank());
}

unsigned conflictDegree(const AccessPattern &pattern, const SharedLayout &shared) {
  assert(!shared.isPadded() && "ranks only tell about linear layouts");
  return degreeOf(phaseOffsets(pattern, shared));
}

unsigned vectorBytes(const LinearLayout &pattern, const SharedLayout &shared) {
  unsigned elements = contiguity(pattern, shared.order());
  return std::min({16u, elements * shared.elemBytes(), std::max(shared.contiguousBytes(), shared.elemBytes())});
}

// --- choosing
namespace {

// One side, in plain byte offsets (before any swizzle).
struct Side {
  Flats vectors; // span of a phase
  unsigned bytes;
  unsigned accesses; // wavefronts a warp takes if free of conflicts
};

} // namespace

static Side sideOf(const AccessPattern &p, const SharedLayout &plain) {
  unsigned elements = p.rows ? 1 : std::max(1u, p.bytesPerLane / plain.elemBytes());
  unsigned accesses = std::max(1u, p.layout.numRegisters() / elements) * phasesOf(p.bytesPerLane);
  return {phaseOffsets(p, plain), p.bytesPerLane, accesses};
}

// Wavefronts of a side when plain offset bit i also flips masks[i].
static uint64_t costOf(const Side &side, llvm::ArrayRef<uint32_t> masks) {
  Flats swizzled;
  for (uint32_t offset : side.vectors) {
    uint32_t out = offset;
    for (uint32_t rest = offset; rest; rest &= rest - 1) {
      out ^= masks[llvm::countr_zero(rest)];
    }
    swizzled.push_back(out);
  }
  return uint64_t(side.accesses) * degreeOf(swizzled);
}

// Gives each offset bit above the bank line, in turn, the mask that brings both sides the fewest wavefronts; the
// smallest of the best. While later bits have no mask yet a bit's own choice still shows, because a phase reaches few
// of them.
static llvm::SmallVector<uint32_t, 32> greedyMasks(const Side &write, const Side &read, unsigned offsetBits,
                                                   unsigned vectorBytes) {
  llvm::SmallVector<uint32_t, 32> masks(32, 0);
  unsigned low = log2Exact(std::max(vectorBytes, kBankBytes)), line = log2Exact(kBankLineBytes);
  for (unsigned bit = low + 1; bit < offsetBits; ++bit) {
    uint64_t best = ~uint64_t(0);
    uint32_t bestMask = 0;
    for (uint32_t mask = 0, end = 1u << std::min(bit, line); mask < end; mask += 1u << low) {
      masks[bit] = mask;
      uint64_t cost = costOf(write, masks) + costOf(read, masks);
      if (cost < best) {
        best = cost;
        bestMask = mask;
      }
    }
    masks[bit] = bestMask;
  }
  return masks;
}

// A common complement, by the textbook: with C the intersection of the two phases, a_i and b_i what completes it to
// each, H is spanned by the a_i + b_i and a complement of both together. All modulo the vector's bits. Nothing if a
// phase and the vector exceed the banks.
static std::optional<Flats> complementOffsets(const Side &write, const Side &read, unsigned offsetBits,
                                              unsigned firstBit, unsigned vectorBytes) {
  unsigned low = log2Exact(std::max(vectorBytes, kBankBytes)), line = log2Exact(kBankLineBytes);
  if (offsetBits <= line) {
    return std::nullopt; // one line: no conflicts to begin with
  }
  unsigned bankDims = line - low;
  auto span = [&](const Side &side) {
    F2Basis basis;
    for (uint32_t offset : side.vectors) {
      basis.insert(offset >> low);
    }
    return basis;
  };
  F2Basis w = span(write), r = span(read);
  if (w.rank() > bankDims || r.rank() > bankDims) {
    return std::nullopt;
  }
  // Make both as large as the banks; a vector of the other side first, then low bits, so that the intersection grows.
  auto extend = [&](F2Basis &basis, const F2Basis &other) {
    for (uint64_t v : other.reduced()) {
      if (basis.rank() < bankDims) {
        basis.insert(v);
      }
    }
    for (unsigned bit = 0; bit + low < offsetBits && basis.rank() < bankDims; ++bit) {
      basis.insert(uint64_t(1) << bit);
    }
  };
  extend(w, r);
  extend(r, w);
  // The intersection: sums of w's vectors that are sums of r's.
  llvm::SmallVector<uint64_t, 24> wv = w.reduced(), rv = r.reduced();
  F2Matrix both = F2Matrix(wv).concat(F2Matrix(rv));
  F2Basis common;
  for (uint64_t k : both.kernel()) {
    common.insert(F2Matrix(wv).apply(k & ((uint64_t(1) << wv.size()) - 1)));
  }
  F2Basis all;
  auto rest = [&](llvm::ArrayRef<uint64_t> vectors) {
    F2Basis grown = common;
    llvm::SmallVector<uint64_t, 8> out;
    for (uint64_t v : vectors) {
      if (grown.insert(v)) {
        out.push_back(v);
      }
    }
    return out;
  };
  llvm::SmallVector<uint64_t, 8> a = rest(wv), b = rest(rv);
  F2Basis h;
  for (uint64_t v : wv) {
    all.insert(v);
  }
  for (uint64_t v : rv) {
    all.insert(v);
  }
  for (auto [x, y] : llvm::zip(a, b)) {
    h.insert(x ^ y);
  }
  for (unsigned bit = 0; bit + low < offsetBits; ++bit) {
    if (all.insert(uint64_t(1) << bit)) {
      h.insert(uint64_t(1) << bit);
    }
  }
  // Banks: the lowest bits that H leaves free. Then offset = (bank part, H part), read off by inverting that basis.
  llvm::SmallVector<uint64_t, 24> hv = h.reduced(), columns;
  F2Basis taken = h;
  for (unsigned bit = 0; bit + low < offsetBits; ++bit) {
    if (taken.insert(uint64_t(1) << bit)) {
      columns.push_back(uint64_t(1) << bit);
    }
  }
  assert(columns.size() == bankDims && "the complement has the wrong size");
  columns.append(hv.rbegin(), hv.rend());
  std::optional<F2Matrix> inverse = F2Matrix(columns).rightInverse(offsetBits - low);
  assert(inverse && "banks and their complement span the tile");
  Flats out;
  for (unsigned bit = firstBit; bit < offsetBits; ++bit) {
    out.push_back(bit < low ? 1u << bit : uint32_t((*inverse)[bit - low] << low));
  }
  return out;
}

SharedLayout chooseShared(llvm::ArrayRef<int32_t> shape, unsigned elemBits, llvm::ArrayRef<unsigned> order,
                          const AccessPattern &write, const AccessPattern &read) {
  SharedLayout plain = SharedLayout::plain(shape, elemBits, order);
  Side w = sideOf(write, plain), r = sideOf(read, plain);
  unsigned widest = std::max(w.bytes, r.bytes);
  uint64_t ideal = uint64_t(w.accesses) + r.accesses;
  auto cost = [&](const SharedLayout &layout) {
    return uint64_t(w.accesses) * conflictDegree(write, layout) + uint64_t(r.accesses) * conflictDegree(read, layout);
  };
  SharedLayout best = plain;
  uint64_t bestCost = cost(plain);
  auto consider = [&](const SharedLayout &layout) {
    uint64_t c = cost(layout);
    if (c < bestCost) {
      best = layout;
      bestCost = c;
    }
  };
  if (bestCost == ideal) {
    return best;
  }
  consider(SharedLayout::swizzled(shape, elemBits, order));
  unsigned offsetBits = log2Exact(plain.sizeBytes());
  if (bestCost > ideal) {
    consider(SharedLayout::withMasks(shape, elemBits, order, greedyMasks(w, r, offsetBits, widest)));
  }
  if (bestCost > ideal) {
    if (auto offsets = complementOffsets(w, r, offsetBits, log2Exact(plain.elemBytes()), widest)) {
      // From plain offset bits back to coordinate bits.
      llvm::SmallVector<uint32_t, 16> byCoordinate;
      for (uint32_t bitOffset : plain.bitOffsets()) {
        byCoordinate.push_back((*offsets)[log2Exact(bitOffset / plain.elemBytes())]);
      }
      consider(SharedLayout::fromLinear(shape, elemBits, byCoordinate));
    }
  }
  return best;
}

std::optional<SharedLayout> choosePadded(llvm::ArrayRef<int32_t> shape, unsigned elemBits,
                                         llvm::ArrayRef<unsigned> order, const AccessPattern &write,
                                         const AccessPattern &read) {
  unsigned step = std::max({write.bytesPerLane, read.bytesPerLane, elemBits / 8});
  unsigned row = SharedLayout::plain(shape, elemBits, order).rowBytes();
  for (unsigned pad = 0; pad <= kBankLineBytes; pad += step) {
    SharedLayout layout = SharedLayout::plain(shape, elemBits, order, row + pad);
    auto free = [&](const AccessPattern &side) {
      // Constants add up without carries between registers and lanes, so every access is the first one moved along.
      return splitAddress(side.layout, layout) && wavefrontsOf(side, layout, 0, 0, 0) == phasesOf(side.bytesPerLane);
    };
    if (free(write) && free(read)) {
      return layout;
    }
  }
  return std::nullopt;
}

} // namespace phobos::layout
