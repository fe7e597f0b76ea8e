// LinearLayout and its algebra against plain tables: what every place holds after each operation.
#include "phobos/Layout/Algebra.h"
#include "Model.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace phobos::layout;
using namespace phobos::layout::test;

namespace {
struct Case {
  Coords shape;
  LinearLayout layout;
};
} // namespace

static std::vector<Case> randomCases(unsigned seed, int count, unsigned maxBits = 9) {
  Random random(seed);
  std::vector<Case> cases;
  for (int i = 0; i < count; ++i) {
    Coords shape = randomShape(random, pick(random, maxBits + 1));
    cases.push_back({shape, randomLayout(random, shape, pick(random, 3), pick(random, 2) * pick(random, 12))});
  }
  return cases;
}

TEST(LinearLayout, TheHeadersExample) {
  LinearLayout layout({4, 4}, {{0, 1}, {1, 0}}, {{0, 2}, {2, 0}}, {});
  EXPECT_EQ(layout.apply(1, 3, 0), (Coords{2, 3}));
  EXPECT_EQ(layout.str(), "register=[[0,1],[1,0]] lane=[[0,2],[2,0]] warp=[]");
  EXPECT_EQ(toTable(layout), "W0 L0 R0  W0 L0 R1  W0 L1 R0  W0 L1 R1\nW0 L0 R2  W0 L0 R3  W0 L1 R2  W0 L1 R3\n"
                             "W0 L2 R0  W0 L2 R1  W0 L3 R0  W0 L3 R1\nW0 L2 R2  W0 L2 R3  W0 L3 R2  W0 L3 R3\n");
}

TEST(LinearLayout, ApplyIsXorOfBases) {
  for (const Case &c : randomCases(10, 60)) {
    EXPECT_EQ(c.layout,
              LinearLayout(c.shape, c.layout.bases(In::Register), c.layout.bases(In::Lane), c.layout.bases(In::Warp)));
    forEachPlace(c.layout, [&](const Place &p) {
      ASSERT_EQ(c.layout.apply(p), evaluate(c.layout, p));
      ASSERT_EQ(c.layout.flatten(c.layout.apply(p)), c.layout.applyFlat(p));
      ASSERT_EQ(c.layout.unpackPlace(c.layout.packPlace(p)), p);
    });
  }
}

TEST(LinearLayout, InjectiveSurjectiveAndFreeBits) {
  for (const Case &c : randomCases(11, 80)) {
    std::map<uint32_t, int> holders, masked;
    Place free = c.layout.freeVariableMasks();
    forEachPlace(c.layout, [&](const Place &p) {
      ++holders[c.layout.applyFlat(p)];
      if (((p.reg & free.reg) | (p.lane & free.lane) | (p.warp & free.warp)) == 0) {
        ++masked[c.layout.applyFlat(p)];
      }
    });
    EXPECT_EQ(c.layout.isSurjective(), holders.size() == c.layout.numElements());
    EXPECT_EQ(c.layout.isInjective(), llvm::all_of(holders, [](auto &h) { return h.second == 1; }));
    EXPECT_EQ(masked.size(), holders.size());
    EXPECT_TRUE(llvm::all_of(masked, [](auto &h) { return h.second == 1; })) << c.layout.str();
  }
}

TEST(LinearLayout, VerifySaysWhatIsWrong) {
  EXPECT_EQ(LinearLayout::verify({4, 4}, {{0, 1}}, {}, {}), "");
  EXPECT_EQ(LinearLayout::verify({3, 4}, {}, {}, {}), "expected extents that are powers of two, got 3");
  EXPECT_EQ(LinearLayout::verify({4, 4}, {{1}}, {}, {}), "expected register bases of 2 coordinates, got 1");
  EXPECT_EQ(LinearLayout::verify({4, 4}, {}, {{0, 4}}, {}),
            "expected lane bases inside the tile, got 4 in dimension 1 of extent 4");
  EXPECT_EQ(LinearLayout::verify({4}, {}, {{0}, {0}, {0}, {0}, {0}, {0}}, {}), "expected at most 5 lane bases, got 6");
}

TEST(Algebra, ShapeOperationsMoveCoordinates) {
  Random random(12);
  for (const Case &c : randomCases(13, 60)) {
    unsigned rank = c.layout.rank(), dim = pick(random, rank);
    llvm::SmallVector<unsigned, 4> perm(rank);
    for (unsigned i = 0; i < rank; ++i) {
      perm[i] = i;
    }
    std::shuffle(perm.begin(), perm.end(), random);
    LinearLayout transposed = transpose(c.layout, perm), sliced = slice(c.layout, dim),
                 expanded = expandDims(c.layout, dim);
    LinearLayout again = broadcast(expandDims(sliced, dim), dim, c.shape[dim]), joined = join(c.layout);
    Coords narrowShape = c.shape;
    narrowShape[dim] = 1;
    EXPECT_EQ(beforeBroadcast(c.layout, narrowShape), expandDims(sliced, dim));
    Coords flatShape = {int32_t(c.layout.numElements())};
    LinearLayout flat = reshape(c.layout, flatShape);
    EXPECT_EQ(reshape(flat, c.shape), c.layout);
    forEachPlace(c.layout, [&](const Place &p) {
      Coords at = c.layout.apply(p);
      Coords want;
      for (unsigned from : perm) {
        want.push_back(at[from]);
      }
      ASSERT_EQ(transposed.apply(p), want);
      want = at;
      want.erase(want.begin() + dim);
      ASSERT_EQ(sliced.apply(p), want);
      want = at;
      want.insert(want.begin() + dim, 0);
      ASSERT_EQ(expanded.apply(p), want);
      ASSERT_EQ(flat.apply(p)[0], int32_t(c.layout.flatten(at)));
      for (uint32_t copy = 0; copy < uint32_t(c.shape[dim]); ++copy) {
        Place q = p;
        q.reg |= copy << c.layout.numBits(In::Register);
        want = at;
        want[dim] = int32_t(copy);
        ASSERT_EQ(again.apply(q), want);
      }
      for (uint32_t half = 0; half < 2; ++half) {
        Place q = p;
        q.reg = p.reg * 2 + half;
        want = at;
        want.push_back(int32_t(half));
        ASSERT_EQ(joined.apply(q), want);
      }
    });
    auto parts = split(joined);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->half, c.layout);
    EXPECT_EQ(parts->registerBit, 0u);
  }
  EXPECT_FALSE(split(LinearLayout({4, 2}, {}, {{0, 1}}, {})));
  EXPECT_FALSE(split(LinearLayout({4, 2}, {{1, 1}}, {}, {})));
}

TEST(Algebra, RegisterOperations) {
  for (const Case &c : randomCases(14, 60)) {
    auto kept = independentRegisters(c.layout);
    LinearLayout fewer = removeZeroRegisterBases(c.layout);
    EXPECT_EQ(fewer, selectRegisters(c.layout, kept));
    auto copies = registerCopies(c.layout);
    forEachPlace(fewer, [&](const Place &p) {
      Place old = p;
      old.reg = selectedRegister(p.reg, kept);
      ASSERT_EQ(c.layout.apply(old), fewer.apply(p));
      ASSERT_EQ(copies[old.reg], old.reg);
    });
    std::set<uint32_t> seen;
    for (uint32_t reg = 0; reg < fewer.numRegisters(); ++reg) {
      EXPECT_TRUE(seen.insert(fewer.applyFlat(reg, 0, 0)).second) << "a repeated register";
    }
    for (uint32_t reg = 0; reg < c.layout.numRegisters(); ++reg) {
      EXPECT_EQ(c.layout.applyFlat(copies[reg], 0, 0), c.layout.applyFlat(reg, 0, 0));
    }
  }
}

// The definition, place by place: registers k .. k+n-1 are neighbours along the fastest dimension, the first at a
// multiple of n.
static uint32_t contiguityByTable(const LinearLayout &layout, unsigned fastest) {
  uint32_t best = 1;
  for (uint32_t n = 2; n <= layout.numRegisters(); n *= 2) {
    bool good = true;
    forEachPlace(layout, [&](const Place &p) {
      Place first = p;
      first.reg &= ~(n - 1);
      Coords want = layout.apply(first), at = layout.apply(p);
      good &= want[fastest] % int32_t(n) == 0;
      want[fastest] += int32_t(p.reg & (n - 1));
      good &= want == at;
    });
    if (!good) {
      break;
    }
    best = n;
  }
  return best;
}

TEST(Algebra, ContiguityIsTheWidestVector) {
  Random random(15);
  auto check = [&](const LinearLayout &layout) {
    for (unsigned fastest = 0; fastest < layout.rank(); ++fastest) {
      EXPECT_EQ(contiguity(layout, {fastest}), contiguityByTable(layout, fastest)) << layout.str();
      auto order = vectorFirstOrder(layout, {fastest});
      EXPECT_EQ(order.size(), layout.numBits(In::Register));
      EXPECT_GE(contiguity(selectRegisters(layout, order), {fastest}), contiguity(layout, {fastest}));
    }
  };
  for (const Case &c : randomCases(16, 60)) {
    check(c.layout);
  }
  for (const Named &named : constructorZoo({32, 32})) {
    check(named.layout);
  }
  LinearLayout swapped({4, 8}, {{1, 0}, {0, 2}, {0, 1}}, {{0, 4}, {2, 0}}, {});
  EXPECT_EQ(contiguity(selectRegisters(swapped, vectorFirstOrder(swapped, {1})), {1}), 4u);
}

TEST(Algebra, AxisBits) {
  LinearLayout acc = mmaAccumulator({64, 32}, {4, 1});
  AxisBits columns = axisBits(acc, 1);
  EXPECT_TRUE(columns.separable);
  EXPECT_EQ(columns.mask.reg, 0b1101u);
  EXPECT_EQ(columns.mask.lane, 0b00011u);
  EXPECT_EQ(columns.mask.warp, 0u);
  EXPECT_FALSE(axisBits(LinearLayout({2, 2}, {{1, 1}, {0, 1}}, {}, {}), 1).separable);
}

TEST(Algebra, InvertAndComposeFindsTheNearestHolder) {
  Random random(17);
  int found = 0;
  for (int round = 0; round < 150; ++round) {
    Coords shape = randomShape(random, pick(random, 9));
    unsigned warps = pick(random, 3), mixing = pick(random, 2) * pick(random, 8);
    LinearLayout src = randomLayout(random, shape, warps, mixing), dst = randomLayout(random, shape, warps, mixing);
    auto map = invertAndCompose(src, dst);
    ASSERT_TRUE(map);
    bool sameLane = true, sameWarp = true;
    std::map<uint32_t, std::vector<Place>> holders;
    forEachPlace(src, [&](const Place &p) { holders[src.applyFlat(p)].push_back(p); });
    forEachPlace(dst, [&](const Place &p) {
      Place from = map->apply(p);
      ASSERT_EQ(src.applyFlat(from), dst.applyFlat(p));
      bool laneHas = false, warpHas = false;
      for (const Place &q : holders[dst.applyFlat(p)]) {
        warpHas |= q.warp == p.warp;
        laneHas |= q.warp == p.warp && q.lane == p.lane;
      }
      sameWarp &= warpHas;
      sameLane &= laneHas;
    });
    // If every place could be served by its own warp (lane), the map does so.
    EXPECT_EQ(map->same(In::Warp), sameWarp);
    EXPECT_EQ(map->same(In::Lane) && map->same(In::Warp), sameLane);
    found += sameWarp;
  }
  EXPECT_GT(found, 10);
  LinearLayout half({4}, {{1}}, {}, {});
  EXPECT_FALSE(invertAndCompose(half, LinearLayout({4}, {{1}, {2}}, {}, {})));
}

TEST(Algebra, InverseThenLayoutIsIdentity) {
  for (const Case &c : randomCases(18, 60)) {
    auto inverse = invert(c.layout);
    ASSERT_TRUE(inverse);
    EXPECT_EQ(c.layout.matrix().compose(*inverse), F2Matrix::identity(c.layout.numElementBits()));
  }
}

TEST(Algebra, ProductAndDivision) {
  Random random(19);
  for (int round = 0; round < 60; ++round) {
    Coords inner = {1 << pick(random, 4), 1 << pick(random, 4)}, outer = {1 << pick(random, 3), 1 << pick(random, 3)};
    LinearLayout tile = randomLayout(random, inner, 1, pick(random, 5));
    Random again(round);
    LinearLayout rest = LinearLayout::fromFlat(outer, {0, pick(again, uint32_t(outer[0] * outer[1]))}, {}, {0});
    LinearLayout whole = product(tile, rest);
    forEachPlace(whole, [&](const Place &p) {
      Place in{p.reg & (tile.numRegisters() - 1), p.lane, p.warp & 1, 0},
          out{p.reg >> tile.numBits(In::Register), 0, p.warp >> 1, 0};
      Coords want = tile.apply(in), step = rest.apply(out);
      for (unsigned d = 0; d < 2; ++d) {
        want[d] += step[d] * inner[d];
      }
      ASSERT_EQ(whole.apply(p), want);
    });
    auto quotient = divideLeft(whole, tile);
    ASSERT_TRUE(quotient);
    EXPECT_EQ(*quotient, rest);
  }
  LinearLayout acc = mmaAccumulator({64, 32}, {2, 2}), one = mmaAccumulator({16, 8}, {1, 1});
  auto steps = divideLeft(acc, one);
  ASSERT_TRUE(steps);
  EXPECT_EQ(steps->str(), "register=[[0,1],[1,0]] lane=[] warp=[[2,0],[0,2]]");
  EXPECT_FALSE(divideLeft(acc, mmaAccumulator({64, 8}, {1, 1})));
}

TEST(Algebra, DropCoordinateBits) {
  LinearLayout layout({4, 8}, {{0, 1}, {2, 4}}, {{1, 2}}, {});
  LinearLayout dropped = dropCoordinateBits(layout, layout.flatten({2, 1}));
  EXPECT_EQ(Coords(dropped.shape()), (Coords{2, 4}));
  EXPECT_EQ(dropped.str(), "register=[[0,0],[0,2]] lane=[[1,1]] warp=[]");
}
