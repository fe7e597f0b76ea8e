// Shared layouts: each element its own bytes, the hardware's swizzles bit for bit, and freedom of conflicts by
// counting.
#include "phobos/Layout/Swizzle.h"
#include "Model.h"
#include "phobos/Layout/Algebra.h"
#include "phobos/Layout/Ldmatrix.h"
#include <gtest/gtest.h>
#include <set>

using namespace phobos::layout;
using namespace phobos::layout::test;

static void expectBijective(const SharedLayout &layout) {
  std::set<uint32_t> seen;
  uint32_t elements = 1;
  for (int32_t extent : layout.shape()) {
    elements *= uint32_t(extent);
  }
  for (uint32_t flat = 0; flat < elements; ++flat) {
    uint32_t offset = layout.offsetFlat(flat);
    EXPECT_EQ(offset % layout.elemBytes(), 0u);
    EXPECT_LE(offset + layout.elemBytes(), layout.sizeBytes());
    EXPECT_TRUE(seen.insert(offset).second) << layout.str();
  }
}

TEST(SharedLayout, PlainPaddedAndColumnOrder) {
  SharedLayout rows = SharedLayout::plain({8, 16}, 16, {1, 0}), columns = SharedLayout::plain({8, 16}, 16, {0, 1});
  SharedLayout padded = SharedLayout::plain({8, 16}, 16, {1, 0}, 48);
  EXPECT_EQ(rows.offset({3, 5}), 3u * 32 + 10);
  EXPECT_EQ(columns.offset({3, 5}), 5u * 16 + 6);
  EXPECT_EQ(padded.offset({3, 5}), 3u * 48 + 10);
  EXPECT_TRUE(padded.isPadded());
  EXPECT_EQ(padded.sizeBytes(), 8u * 48);
  EXPECT_EQ(rows.contiguousBytes(), 32u);
  EXPECT_EQ(padded.contiguousBytes(), 16u);
  EXPECT_FALSE(SharedLayout::plain({8, 16}, 16, {1, 0}, 64).isPadded()) << "a power of two is linear";
  for (const SharedLayout &layout : {rows, columns, padded}) {
    expectBijective(layout);
  }
}

// The formula of the header, by division and remainder.
TEST(SharedLayout, ChunkSwizzleFormula) {
  for (int rowElements : {8, 16, 32, 64, 128}) {
    SharedLayout layout = SharedLayout::swizzled({32, rowElements}, 16, {1, 0});
    expectBijective(layout);
    int c = rowElements * 2 / 16;
    EXPECT_EQ(layout.contiguousBytes(), 16u);
    for (int row = 0; row < 32; ++row) {
      for (int col = 0; col < rowElements; ++col) {
        int chunk = col / 8, swizzle = c >= 8 ? row % 8 : row / (8 / c) % c;
        ASSERT_EQ(layout.offset({row, col}), uint32_t(row * rowElements * 2 + (chunk ^ swizzle) * 16 + col % 8 * 2));
      }
    }
    EXPECT_EQ(layout.hardwareSwizzleBytes(), c == 2 || c == 4 || c == 8 ? unsigned(c) * 16 : 0u);
  }
}

// TMA and wgmma: address bits 4.. are XORed with bits 7.., within panels of the swizzle's width.
TEST(SharedLayout, PanelsAreTheHardwareSwizzle) {
  for (unsigned width : {32u, 64u, 128u}) {
    SharedLayout layout = SharedLayout::panels({64, 128}, 16, {1, 0}, width);
    expectBijective(layout);
    EXPECT_EQ(layout.hardwareSwizzleBytes(), width);
    EXPECT_EQ(layout.panelBytes(), width);
    for (uint32_t row = 0; row < 64; ++row) {
      for (uint32_t col = 0; col < 128; ++col) {
        uint32_t byte = col * 2, inPanel = row * width + byte % width;
        uint32_t swizzled = inPanel ^ ((inPanel >> 7 & (width / 16 - 1)) << 4);
        ASSERT_EQ(layout.offset({int32_t(row), int32_t(col)}), byte / width * width * 64 + swizzled);
      }
    }
  }
  // Column-major (order 0 first), one panel: the same as swizzled().
  EXPECT_EQ(SharedLayout::panels({64, 16}, 16, {0, 1}, 128), SharedLayout::swizzled({64, 16}, 16, {0, 1}));
  // So few rows that panel bits begin below the bits that the hardware would look at.
  expectBijective(SharedLayout::panels({2, 128}, 16, {1, 0}, 32));
}

TEST(SharedLayout, LinearMapAndMasks) {
  SharedLayout layout = SharedLayout::swizzled({16, 4, 64}, 8, {2, 0, 1});
  F2Matrix map = layout.asLinear();
  for (uint32_t flat = 0; flat < 16 * 4 * 64; ++flat) {
    EXPECT_EQ(map.apply(flat), layout.offsetFlat(flat));
  }
  expectBijective(layout);
  SharedLayout rebuilt = SharedLayout::fromLinear({16, 4, 64}, 8, layout.bitOffsets());
  EXPECT_EQ(rebuilt.bitOffsets(), layout.bitOffsets());
  EXPECT_EQ(rebuilt.order(), layout.order());
  SharedLayout custom = SharedLayout::withMasks({32, 32}, 32, {1, 0}, {0, 0, 0, 0, 0, 0, 0, 4, 8, 16, 32, 64});
  for (int32_t row = 0; row < 32; ++row) {
    for (int32_t col = 0; col < 32; ++col) {
      ASSERT_EQ(custom.offset({row, col}), uint32_t(row * 128 + (col ^ row) * 4));
    }
  }
}

TEST(Conflicts, KnownCounts) {
  // A column of a 32 x 32 float tile: 32 words of one bank; padded by one word: none.
  LinearLayout column = LinearLayout::fromFlat({32, 32}, {}, {32, 64, 128, 256, 512}, {});
  SharedLayout plain = SharedLayout::plain({32, 32}, 32, {1, 0});
  EXPECT_EQ(countConflicts({column, 4}, plain).wavefronts, 32u);
  EXPECT_EQ(conflictDegree({column, 4}, plain), 32u);
  EXPECT_TRUE(countConflicts({column, 4}, SharedLayout::plain({32, 32}, 32, {1, 0}, 132)).free());
  // Replicated lanes read one word together.
  LinearLayout one = LinearLayout::fromFlat({32, 32}, {}, {0, 0, 0, 0, 0}, {});
  EXPECT_TRUE(countConflicts({one, 4}, plain).free());
  // 16 bytes a lane, rows of 128 bytes: eight lanes of a phase are one row, or eight rows.
  LinearLayout along = LinearLayout::fromFlat({32, 32}, {1, 2}, {4, 8, 16, 32, 64}, {});
  LinearLayout across = LinearLayout::fromFlat({32, 32}, {1, 2}, {32, 64, 128, 4, 8}, {});
  EXPECT_TRUE(countConflicts({along, 16}, plain).free());
  EXPECT_EQ(countConflicts({across, 16}, plain).wavefronts, 8u * countConflicts({across, 16}, plain).ideal);
  SharedLayout swizzled = SharedLayout::swizzled({32, 32}, 32, {1, 0});
  EXPECT_TRUE(countConflicts({along, 16}, swizzled).free());
  EXPECT_TRUE(countConflicts({across, 16}, swizzled).free());
  // Halves one a lane: two lanes share a word.
  LinearLayout halves = LinearLayout::fromFlat({8, 32}, {}, {1, 2, 4, 8, 16}, {});
  EXPECT_TRUE(countConflicts({halves, 2}, SharedLayout::plain({8, 32}, 16, {1, 0})).free());
  // Doubles: two phases of 16 lanes.
  LinearLayout doubles = LinearLayout::fromFlat({2, 32}, {}, {1, 2, 4, 8, 16}, {});
  EXPECT_EQ(countConflicts({doubles, 8}, SharedLayout::plain({2, 32}, 64, {1, 0})).ideal, 2u);
  EXPECT_TRUE(countConflicts({doubles, 8}, SharedLayout::plain({2, 32}, 64, {1, 0})).free());
}

static AccessPattern vectorFirst(const LinearLayout &layout, unsigned elemBytes, llvm::ArrayRef<unsigned> order) {
  LinearLayout kept = removeZeroRegisterBases(layout);
  LinearLayout first = selectRegisters(kept, vectorFirstOrder(kept, order));
  return {first, std::max(elemBytes, std::min(16u, contiguity(first, order) * elemBytes))};
}

static void expectVectorsWhole(const AccessPattern &p, const SharedLayout &shared) {
  EXPECT_GE(vectorBytes(p.layout, shared), std::min(16u, p.bytesPerLane)) << shared.str() << "\n" << p.layout.str();
  forEachPlace(p.layout, [&](const Place &place) {
    uint32_t n = p.bytesPerLane / shared.elemBytes(), e = place.reg % n;
    Place first = place;
    first.reg -= e;
    uint32_t start = shared.offsetFlat(p.layout.applyFlat(first));
    ASSERT_EQ(start % p.bytesPerLane, 0u);
    ASSERT_EQ(shared.offsetFlat(p.layout.applyFlat(place)), start + e * shared.elemBytes());
  });
}

TEST(Conflicts, RanksAgreeWithCounting) {
  Random random(30);
  for (int round = 0; round < 200; ++round) {
    Coords shape = {1 << pick(random, 7), 1 << pick(random, 7)};
    unsigned elemBits = 8u << pick(random, 4);
    unsigned fastest = pick(random, 2);
    LinearLayout layout = randomLayout(random, shape, 1, pick(random, 10));
    AccessPattern p = vectorFirst(layout, elemBits / 8, {fastest, 1 - fastest});
    for (const SharedLayout &shared : {SharedLayout::plain(shape, elemBits, {fastest, 1 - fastest}),
                                       SharedLayout::swizzled(shape, elemBits, {fastest, 1 - fastest})}) {
      ConflictCount count = countConflicts(p, shared);
      ASSERT_EQ(count.wavefronts, count.ideal * conflictDegree(p, shared)) << layout.str() << "\n" << shared.str();
    }
  }
}

// Pairs of constructor layouts of one tile at several element widths, either dimension fastest: no conflicts at all,
// unless vectors differ in width and the wide one leaves the narrow one no way round; those are few.
TEST(Choose, ConstructorPairsAreFree) {
  int pairs = 0, unfree = 0;
  for (unsigned elemBits : {8u, 16u, 32u}) {
    auto zoo = constructorZoo({64, 64});
    for (size_t i = 0; i < zoo.size(); i += 3) {
      for (size_t j = 1; j < zoo.size(); j += 4) {
        for (unsigned fastest : {0u, 1u}) {
          llvm::SmallVector<unsigned, 2> order = {fastest, 1 - fastest};
          AccessPattern write = vectorFirst(zoo[i].layout, elemBits / 8, order),
                        read = vectorFirst(zoo[j].layout, elemBits / 8, order);
          SharedLayout shared = chooseShared({64, 64}, elemBits, order, write, read);
          uint64_t plainCost = conflictDegree(write, SharedLayout::plain({64, 64}, elemBits, order));
          EXPECT_LE(conflictDegree(write, shared), std::max<uint64_t>(plainCost, 8)) << zoo[i].name;
          expectVectorsWhole(write, shared);
          expectVectorsWhole(read, shared);
          ++pairs;
          bool free = conflictDegree(write, shared) == 1 && conflictDegree(read, shared) == 1;
          if (free && pairs % 7 == 0) {
            EXPECT_TRUE(countConflicts(write, shared).free() && countConflicts(read, shared).free());
          }
          if (!free) {
            ++unfree;
            EXPECT_NE(write.bytesPerLane, read.bytesPerLane)
                << zoo[i].name << " -> " << zoo[j].name << " " << elemBits << "\n"
                << write.layout.str() << "\n"
                << read.layout.str() << "\n"
                << shared.str() << " " << conflictDegree(write, shared) << " " << conflictDegree(read, shared);
          }
        }
      }
    }
  }
  RecordProperty("pairs", pairs);
  RecordProperty("unfree", unfree);
  EXPECT_LT(unfree * 5, pairs) << unfree << " of " << pairs;
}

TEST(Choose, RandomPairsAreFreeWhenVectorsAreEqual) {
  Random random(31);
  int checked = 0;
  for (int round = 0; round < 300; ++round) {
    Coords shape = {1 << (3 + pick(random, 4)), 1 << (3 + pick(random, 4))};
    LinearLayout a = randomLayout(random, shape, 1, pick(random, 12)),
                 b = randomLayout(random, shape, 1, pick(random, 12));
    AccessPattern write{removeZeroRegisterBases(a), 4}, read{removeZeroRegisterBases(b), 4};
    SharedLayout shared = chooseShared(shape, 32, {1, 0}, write, read);
    expectBijective(shared);
    EXPECT_TRUE(countConflicts(write, shared).free()) << a.str() << "\n" << b.str() << "\n" << shared.str();
    EXPECT_TRUE(countConflicts(read, shared).free()) << a.str() << "\n" << b.str() << "\n" << shared.str();
    ++checked;
  }
  EXPECT_EQ(checked, 300);
}

TEST(Choose, TheGoldenStagesComeOut) {
  // cp.async rows of 16 bytes in, ldmatrix out: the chunk swizzle, for every usual tile.
  for (Coords shape : {Coords{64, 32}, Coords{128, 64}, Coords{128, 32}, Coords{64, 16}, Coords{64, 128}}) {
    LinearLayout in = blockedForAccess(shape, 16, {1, 0}, 4), a = mmaOperandA(shape, {16, 16}, {2, 2});
    SharedLayout swizzled = SharedLayout::swizzled(shape, 16, {1, 0});
    auto plan = planLdmatrix(a, swizzled, 16);
    ASSERT_TRUE(plan);
    AccessPattern rows = AccessPattern::matrixRows(plan->rowLayout), write{in, 16};
    EXPECT_TRUE(countConflicts(rows, swizzled).free());
    EXPECT_TRUE(countConflicts(write, swizzled).free());
    EXPECT_FALSE(countConflicts(rows, SharedLayout::plain(shape, 16, {1, 0})).free());
    SharedLayout chosen = chooseShared(shape, 16, {1, 0}, write, rows);
    EXPECT_EQ(chosen, swizzled) << chosen.str();
  }
}

TEST(Choose, PaddingFreesATranspose) {
  LinearLayout rows = blocked({32, 64}, {1, 1}, {1, 0}, 4), columns = blocked({32, 64}, {1, 1}, {0, 1}, 4);
  auto padded = choosePadded({32, 64}, 32, {1, 0}, {rows, 4}, {columns, 4});
  ASSERT_TRUE(padded);
  EXPECT_EQ(padded->rowPitchBytes(), 260u);
  EXPECT_TRUE(countConflicts({rows, 4}, *padded).free() && countConflicts({columns, 4}, *padded).free());
  // The f32 operand of the golden FFMA kernel: k lanes write single floats down the rows of [k][row], quads of rows are
  // read.
  LinearLayout write = LinearLayout::fromFlat({16, 128}, {}, {128, 256, 512, 1, 2}, {4, 8});
  auto a = transpose(fmaOperandA({128, 16}, {4, 1}), {1, 0});
  auto golden = choosePadded({16, 128}, 32, {1, 0}, {write, 4}, {a, 16});
  ASSERT_TRUE(golden);
  EXPECT_EQ(golden->rowPitchBytes(), 128u * 4 + 16);
  EXPECT_TRUE(countConflicts({write, 4}, *golden).free() && countConflicts({a, 16}, *golden).free());
}
