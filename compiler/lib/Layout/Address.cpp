// Linear maps of thread numbers as shift, mask and multiply terms.
#include "phobos/Layout/Address.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cassert>

namespace phobos::layout {

uint32_t TermList::evaluate(uint32_t lane, uint32_t warp, uint32_t block) const {
  uint32_t value = 0;
  for (const BitTerm &term : terms) {
    uint32_t x = term.source == Source::Lane    ? lane
                 : term.source == Source::Warp  ? warp
                 : term.source == Source::Block ? block
                                                : warp * kWarpSize + lane;
    value = add ? value + term.evaluate(x) : value ^ term.evaluate(x);
  }
  return value;
}

namespace {

// Source bits (mask) that all contribute odd * 2^(bit + shift): one shift or multiplication serves them together.
struct Diagonal {
  int shift;
  uint32_t odd, mask;
};

} // namespace

static BitTerm termOf(Source source, unsigned sourceBits, const Diagonal &d) {
  unsigned right = d.shift < 0 ? unsigned(-d.shift) : 0;
  BitTerm term;
  term.source = source;
  term.shiftRight = right;
  term.mask = d.mask >> right;
  term.multiplier = d.odd << (d.shift + int(right));
  uint32_t all = sourceBits >= 32 ? ~0u : (1u << sourceBits) - 1;
  if (term.mask == all >> right) {
    term.mask = BitTerm::kNoMask;
  }
  return term;
}

// Bits that the product of any submask of `mask` and `multiplier` can have.
static uint32_t bitsOf(const BitTerm &term, unsigned sourceBits) {
  uint32_t all = ((sourceBits >= 32 ? ~0u : (1u << sourceBits) - 1) >> term.shiftRight) & term.mask, bits = 0;
  for (uint32_t x = all;; x = (x - 1) & all) {
    bits |= x * term.multiplier;
    if (x == 0) {
      return bits;
    }
  }
}

static void addTerms(TermList &list, Source source, llvm::ArrayRef<uint32_t> constants) {
  llvm::SmallVector<Diagonal, 8> diagonals;
  auto put = [&](int shift, uint32_t odd, unsigned bit) {
    for (Diagonal &d : diagonals) {
      if (d.shift == shift && d.odd == odd) {
        d.mask |= 1u << bit;
        return;
      }
    }
    diagonals.push_back({shift, odd, 1u << bit});
  };
  for (auto [bit, constant] : llvm::enumerate(constants)) {
    if (list.add && constant != 0) {
      int zeros = llvm::countr_zero(constant);
      put(zeros - int(bit), constant >> zeros, bit);
      continue;
    }
    for (uint32_t rest = constant; rest; rest &= rest - 1) {
      put(int(llvm::countr_zero(rest)) - int(bit), 1, bit);
    }
  }
  // Copies of the same field at several places, as long as they do not overlap, are one multiplication.
  if (!list.add) {
    for (size_t i = 0; i < diagonals.size(); ++i) {
      for (size_t j = i + 1; j < diagonals.size();) {
        Diagonal &a = diagonals[i], &b = diagonals[j];
        int low = std::min(a.shift, b.shift);
        uint64_t odd = (uint64_t(a.odd) << (a.shift - low)) | (uint64_t(b.odd) << (b.shift - low));
        Diagonal fused{low, uint32_t(odd), a.mask};
        unsigned width = 32 - llvm::countl_zero(a.mask) - llvm::countr_zero(a.mask);
        bool apart = true; // every copy begins after the one before has ended
        for (uint64_t rest = odd; rest & (rest - 1);) {
          int first = llvm::countr_zero(rest);
          rest &= rest - 1;
          apart &= llvm::countr_zero(rest) - first >= int(width);
        }
        if (a.mask == b.mask && apart && odd <= ~0u) {
          a = fused;
          diagonals.erase(diagonals.begin() + j);
        } else {
          ++j;
        }
      }
    }
  }
  for (const Diagonal &d : diagonals) {
    BitTerm term = termOf(source, constants.size(), d);
    uint32_t bits = bitsOf(term, constants.size());
    list.disjoint &= (list.possibleBits & bits) == 0;
    list.possibleBits |= bits;
    list.terms.push_back(term);
  }
}

TermList decompose(llvm::ArrayRef<uint32_t> lane, llvm::ArrayRef<uint32_t> warp, llvm::ArrayRef<uint32_t> block,
                   bool add, ThreadNumber number) {
  TermList list;
  list.add = add;
  if (number == ThreadNumber::Combined && (uint32_t(1) << lane.size()) == kWarpSize) {
    llvm::SmallVector<uint32_t, 10> thread(lane.begin(), lane.end());
    thread.append(warp.begin(), warp.end());
    addTerms(list, Source::Thread, thread);
  } else {
    addTerms(list, Source::Lane, lane);
    addTerms(list, Source::Warp, warp);
  }
  addTerms(list, Source::Block, block);
  if (add) {
    uint64_t most = 0;
    for (llvm::ArrayRef<uint32_t> part : {lane, warp, block}) {
      for (uint32_t constant : part) {
        most += constant;
      }
    }
    if (!list.disjoint) { // sums carry
      list.possibleBits = most == 0 ? 0 : uint32_t((uint64_t(1) << (64 - llvm::countl_zero(most))) - 1);
    }
  }
  return list;
}

CoordinateTerms coordinateTerms(const LinearLayout &layout, unsigned dim, ThreadNumber number) {
  auto along = [&](In in) {
    Flats out;
    for (unsigned bit = 0; bit < layout.numBits(in); ++bit) {
      out.push_back(uint32_t(layout.basis(in, bit, dim)));
    }
    return out;
  };
  CoordinateTerms out;
  out.thread = decompose(along(In::Lane), along(In::Warp), along(In::Block), /*add=*/false, number);
  for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg) {
    uint32_t value = (layout.partFlat(In::Register, reg) & layout.dimMask(dim)) >> layout.dimShift(dim);
    out.registers.push_back(value);
    out.disjoint &= (value & out.thread.possibleBits) == 0;
  }
  return out;
}

uint32_t AddressSplit::address(uint32_t reg, uint32_t lane, uint32_t warp, uint32_t block) const {
  return (base.evaluate(lane, warp, block) ^ xorPart[reg]) + addPart[reg];
}

std::optional<AddressSplit> splitAddress(const LinearLayout &pattern, const SharedLayout &shared, ThreadNumber number) {
  assert(pattern.shape() == shared.shape() && "pattern and buffer of different tiles");
  if (shared.isPadded()) {
    // Sums only serve for XOR if no coordinate bit is moved twice.
    uint32_t seen = 0;
    for (In in : {In::Lane, In::Warp, In::Block}) {
      for (uint32_t flat : pattern.flatBases(in)) {
        if (seen & flat) {
          return std::nullopt;
        }
        seen |= flat;
      }
    }
    for (uint32_t flat : pattern.flatBases(In::Register)) {
      if (seen & flat) {
        return std::nullopt;
      }
    }
  }
  auto constants = [&](In in) {
    Flats out;
    for (uint32_t flat : pattern.flatBases(in)) {
      out.push_back(shared.offsetFlat(flat));
    }
    return out;
  };
  AddressSplit split;
  split.base = decompose(constants(In::Lane), constants(In::Warp), constants(In::Block), shared.isPadded(), number);
  split.xorValues.push_back(0);
  for (uint32_t reg = 0; reg < pattern.numRegisters(); ++reg) {
    uint32_t constant = shared.offsetFlat(pattern.partFlat(In::Register, reg));
    uint32_t flipped = shared.isPadded() ? 0 : constant & split.base.possibleBits;
    split.xorPart.push_back(flipped);
    split.addPart.push_back(constant ^ flipped);
    if (!llvm::is_contained(split.xorValues, flipped)) {
      split.xorValues.push_back(flipped);
    }
  }
  return split;
}

} // namespace phobos::layout
