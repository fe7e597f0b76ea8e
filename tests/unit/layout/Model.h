// What the layout tests share: deterministic random layouts, the zoo of constructor layouts for one tile, loops over
// all places.
#pragma once

#include "phobos/Layout/Constructors.h"
#include <random>
#include <string>
#include <vector>

namespace phobos::layout::test {

using Random = std::mt19937;

inline unsigned pick(Random &random, unsigned below) { return unsigned(random() % below); }

template <typename Fn> void forEachPlace(const LinearLayout &layout, Fn fn) {
  for (uint64_t bits = 0; bits < uint64_t(1) << layout.numBits(); ++bits) {
    fn(layout.unpackPlace(bits));
  }
}

// The layout's own definition, spelt out: coordinates combine by XOR, each by itself.
inline Coords evaluate(const LinearLayout &layout, const Place &place) {
  Coords at(layout.rank(), 0);
  for (In in : kAllIns) {
    auto bases = layout.bases(in);
    for (unsigned bit = 0; bit < bases.size(); ++bit) {
      if (place[in] >> bit & 1) {
        for (unsigned d = 0; d < at.size(); ++d) {
          at[d] ^= bases[bit][d];
        }
      }
    }
  }
  return at;
}

inline Coords randomShape(Random &random, unsigned totalBits) {
  Coords shape(1 + pick(random, 3), 1);
  for (unsigned bit = 0; bit < totalBits; ++bit) {
    shape[pick(random, unsigned(shape.size()))] *= 2;
  }
  return shape;
}

// A layout that holds every element: unit vectors, mixed up the more `mixing` there is, with zero or dependent bases
// where the hardware has bits to spare.
inline LinearLayout randomLayout(Random &random, llvm::ArrayRef<int32_t> shape, unsigned warpBits, unsigned mixing) {
  unsigned elementBits = 0;
  for (int32_t extent : shape) {
    elementBits += log2Exact(extent);
  }
  unsigned hardware = 5 + warpBits;
  unsigned registerBits = (elementBits > hardware ? elementBits - hardware : 0) + pick(random, 3);
  std::vector<uint32_t> vectors;
  for (unsigned bit = 0; bit < elementBits; ++bit) {
    vectors.push_back(1u << bit);
  }
  for (unsigned i = 0; i < mixing && elementBits > 1; ++i) {
    unsigned a = pick(random, elementBits), b = pick(random, elementBits);
    if (a != b) {
      vectors[a] ^= vectors[b];
    }
  }
  while (vectors.size() < registerBits + hardware) {
    vectors.push_back(mixing > 0 && pick(random, 4) == 0 ? random() & ((1u << elementBits) - 1) : 0);
  }
  if (pick(random, 3) != 0) {
    std::shuffle(vectors.begin(), vectors.end(), random);
  }
  llvm::ArrayRef<uint32_t> all(vectors);
  return LinearLayout::fromFlat(shape, all.take_front(registerBits), all.slice(registerBits, 5),
                                all.slice(registerBits + 5, warpBits));
}

struct Named {
  std::string name;
  LinearLayout layout;
};

// Every constructor's layout for a rank-2 tile over four warps.
inline std::vector<Named> constructorZoo(llvm::ArrayRef<int32_t> shape) {
  std::vector<Named> zoo;
  auto add = [&](std::string name, LinearLayout layout) { zoo.push_back({std::move(name), std::move(layout)}); };
  for (unsigned vector : {1, 2, 4, 8}) {
    add("rows by " + std::to_string(vector), blocked(shape, {1, int32_t(vector)}, {1, 0}, 4));
    add("columns by " + std::to_string(vector), blocked(shape, {int32_t(vector), 1}, {0, 1}, 4));
  }
  for (WarpGrid grid : {WarpGrid{4, 1}, WarpGrid{2, 2}, WarpGrid{1, 4}}) {
    std::string suffix = " on " + std::to_string(grid.m) + "x" + std::to_string(grid.n);
    add("accumulator" + suffix, mmaAccumulator(shape, grid));
    add("fma accumulator" + suffix, fmaAccumulator(shape, grid));
    add("fma A" + suffix, fmaOperandA(shape, grid));
    add("fma B" + suffix, fmaOperandB(shape, grid));
    for (MmaShape mma : {MmaShape{16, 16}, MmaShape{16, 8}, MmaShape{32, 8}, MmaShape{8, 32}, MmaShape{16, 16, 4}}) {
      unsigned least = std::max(mma.k, 4 * mma.kWidth);
      std::string kind =
          std::to_string(mma.elemBits) + "k" + std::to_string(mma.k) + "w" + std::to_string(mma.kWidth) + suffix;
      if (shape[1] >= int32_t(least)) {
        add("A" + kind, mmaOperandA(shape, mma, grid));
      }
      if (shape[0] >= int32_t(least)) {
        add("B" + kind, mmaOperandB(shape, mma, grid));
      }
    }
  }
  if (shape[0] >= 64) {
    add("wgmma", wgmmaAccumulator(shape, {1, 1}));
    if (shape[1] >= 16) {
      add("wgmma A", wgmmaOperandA(shape, {16, 16}, {1, 1}));
    }
  }
  return zoo;
}

} // namespace phobos::layout::test
