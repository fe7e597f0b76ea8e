// Address arithmetic against the addresses themselves, for every place.
#include "phobos/Layout/Address.h"
#include "Model.h"
#include "phobos/Layout/Algebra.h"
#include <gtest/gtest.h>

using namespace phobos::layout;
using namespace phobos::layout::test;

static void expectSplit(const LinearLayout &pattern, const SharedLayout &shared) {
  for (ThreadNumber number : {ThreadNumber::LaneAndWarp, ThreadNumber::Combined}) {
    auto split = splitAddress(pattern, shared, number);
    ASSERT_TRUE(split);
    forEachPlace(pattern, [&](const Place &p) {
      ASSERT_EQ(split->address(p.reg, p.lane, p.warp), shared.offset(pattern.apply(p))) << pattern.str() << "\n"
                                                                                        << shared.str();
      uint32_t base = split->base.evaluate(p.lane, p.warp);
      ASSERT_EQ(base & ~split->base.possibleBits, 0u);
      ASSERT_TRUE(llvm::is_contained(split->xorValues, split->xorPart[p.reg]));
      if (!shared.isPadded()) {
        ASSERT_EQ(split->addPart[p.reg] & split->base.possibleBits, 0u) << "an immediate would carry";
      }
    });
    // `disjoint`: adding the terms instead is the same.
    if (split->base.disjoint) {
      TermList sum = split->base;
      sum.add = true;
      for (uint32_t warp = 0; warp < pattern.numWarps(); ++warp) {
        for (uint32_t lane = 0; lane < 32; ++lane) {
          ASSERT_EQ(sum.evaluate(lane, warp), split->base.evaluate(lane, warp));
        }
      }
    }
  }
}

TEST(Address, RandomPatterns) {
  Random random(40);
  for (int round = 0; round < 200; ++round) {
    Coords shape = {1 << pick(random, 6), 1 << pick(random, 6)};
    LinearLayout pattern = randomLayout(random, shape, pick(random, 4), pick(random, 10));
    unsigned elemBits = 8u << pick(random, 3);
    expectSplit(pattern, SharedLayout::plain(shape, elemBits, {1, 0}));
    expectSplit(pattern, SharedLayout::swizzled(shape, elemBits, {0, 1}));
  }
}

TEST(Address, ConstructorsOnSwizzledAndPadded) {
  for (const Named &named : constructorZoo({64, 32})) {
    SCOPED_TRACE(named.name);
    expectSplit(named.layout, SharedLayout::swizzled({64, 32}, 16, {1, 0}));
    expectSplit(named.layout, SharedLayout::panels({64, 32}, 32, {1, 0}, 64));
    expectSplit(named.layout, SharedLayout::plain({64, 32}, 32, {1, 0}, 144));
    expectSplit(named.layout, SharedLayout::plain({64, 32}, 16, {0, 1}, 136));
  }
}

TEST(Address, PaddingRefusesABitMovedTwice) {
  LinearLayout pattern({4, 4}, {{1, 0}}, {{1, 0}, {2, 0}, {0, 1}, {0, 2}, {0, 0}}, {});
  EXPECT_FALSE(splitAddress(pattern, SharedLayout::plain({4, 4}, 32, {1, 0}, 20)));
  EXPECT_TRUE(splitAddress(pattern, SharedLayout::plain({4, 4}, 32, {1, 0})));
}

TEST(Address, FewTerms) {
  // Rows of 128 bytes, eight lanes a row in 16-byte chunks: the lane's row bits go to the row and, swizzled, to the
  // chunk.
  LinearLayout copy = blocked({64, 64}, {1, 8}, {1, 0}, 4);
  auto split = splitAddress(copy, SharedLayout::swizzled({64, 64}, 16, {1, 0}));
  ASSERT_TRUE(split);
  EXPECT_EQ(split->xorValues.size(), 1u) << "all rows of a thread are eight apart: immediates only";
  EXPECT_LE(split->base.terms.size(), 5u);
  // Row-major without a swizzle the byte offset of a 16-byte copy is 16 * thread: one term.
  auto linear = splitAddress(copy, SharedLayout::plain({64, 64}, 16, {1, 0}), ThreadNumber::Combined);
  ASSERT_TRUE(linear);
  ASSERT_EQ(linear->base.terms.size(), 1u);
  EXPECT_EQ(linear->base.terms[0].source, Source::Thread);
  EXPECT_EQ(linear->base.terms[0].mask, BitTerm::kNoMask);
  EXPECT_EQ(linear->base.terms[0].multiplier, 16u);
  // One field at two places is one multiplication.
  TermList row = decompose({0x90, 0x120, 0x240, 0, 0}, {}, {}, false);
  ASSERT_EQ(row.terms.size(), 1u);
  EXPECT_EQ(row.terms[0].multiplier, 0x90u);
  EXPECT_EQ(row.terms[0].mask, 7u);
  // Padded rows too: row * 528.
  TermList padded = decompose({528, 1056, 2112, 16, 32}, {}, {}, true);
  EXPECT_EQ(padded.terms.size(), 2u);
}

TEST(Address, DecomposeRandom) {
  Random random(41);
  for (int round = 0; round < 300; ++round) {
    Flats lane, warp;
    for (int i = 0; i < 5; ++i) {
      lane.push_back(random() & random() & 0xffff);
    }
    for (unsigned i = 0, n = pick(random, 4); i < n; ++i) {
      warp.push_back(random() & random() & 0xffff);
    }
    for (bool add : {false, true}) {
      for (ThreadNumber number : {ThreadNumber::LaneAndWarp, ThreadNumber::Combined}) {
        TermList list = decompose(lane, warp, {}, add, number);
        for (uint32_t w = 0; w < 1u << warp.size(); ++w) {
          for (uint32_t l = 0; l < 32; ++l) {
            uint32_t want = 0;
            for (unsigned i = 0; i < 5 + warp.size(); ++i) {
              uint32_t constant = i < 5 ? lane[i] : warp[i - 5];
              if ((l | w << 5) >> i & 1) {
                want = add ? want + constant : want ^ constant;
              }
            }
            ASSERT_EQ(list.evaluate(l, w), want);
            ASSERT_EQ(want & ~list.possibleBits, 0u);
          }
        }
      }
    }
  }
}

TEST(Address, CoordinateTerms) {
  Random random(42);
  std::vector<LinearLayout> layouts;
  for (const Named &named : constructorZoo({32, 64})) {
    layouts.push_back(named.layout);
  }
  for (int round = 0; round < 60; ++round) {
    layouts.push_back(randomLayout(random, randomShape(random, pick(random, 10)), pick(random, 3), pick(random, 10)));
  }
  for (const LinearLayout &layout : layouts) {
    for (unsigned dim = 0; dim < layout.rank(); ++dim) {
      CoordinateTerms terms = coordinateTerms(layout, dim);
      forEachPlace(layout, [&](const Place &p) {
        uint32_t thread = terms.thread.evaluate(p.lane, p.warp);
        ASSERT_EQ(int32_t(thread ^ terms.registers[p.reg]), layout.apply(p)[dim]);
        if (terms.disjoint) {
          ASSERT_EQ(int32_t(thread + terms.registers[p.reg]), layout.apply(p)[dim]);
        }
      });
    }
  }
  CoordinateTerms row = coordinateTerms(mmaAccumulator({64, 64}, {4, 1}), 0);
  EXPECT_EQ(row.thread.terms.size(), 2u) << "lane >> 2, and 16 * warp";
  EXPECT_TRUE(row.disjoint);
}
