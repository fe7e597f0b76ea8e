// Relayout plans executed as their headers say, on tables of values: registers, shuffles and shared memory simulated.
#include "phobos/Layout/Relayout.h"
#include "Model.h"
#include "phobos/Layout/Address.h"
#include "phobos/Layout/Swizzle.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace phobos::layout;
using namespace phobos::layout::test;

namespace {

constexpr uint32_t kUnset = ~0u;

// values[warp][lane][register]
using Registers = std::vector<std::vector<std::vector<uint32_t>>>;

Registers emptyRegisters(const LinearLayout &layout) {
  return Registers(layout.numWarps(), std::vector<std::vector<uint32_t>>(
                                          layout.numLanes(), std::vector<uint32_t>(layout.numRegisters(), kUnset)));
}

Registers filled(const LinearLayout &layout) {
  Registers values = emptyRegisters(layout);
  forEachPlace(layout, [&](const Place &p) { values[p.warp][p.lane][p.reg] = layout.applyFlat(p); });
  return values;
}

bool odd(uint32_t x) { return __builtin_popcount(x) & 1; }

Registers runShuffle(const ShufflePlan &plan, const Registers &src, const LinearLayout &dst) {
  Registers out = emptyRegisters(dst);
  size_t srcCount = plan.srcWords.size() / plan.unit, dstCount = plan.dstWords.size() / plan.unit;
  using Word = std::vector<uint32_t>;
  auto swap = [](std::vector<Word> &words, const RegisterSwap &s, uint32_t lane) {
    if (!odd(lane & s.laneMask)) {
      return;
    }
    for (uint32_t w = 0; w < words.size(); ++w) {
      if (w < (w ^ s.wordBit)) {
        std::swap(words[w], words[w ^ s.wordBit]);
      }
    }
  };
  for (size_t warp = 0; warp < src.size(); ++warp) {
    std::vector<std::vector<Word>> words(32, std::vector<Word>(srcCount)), got(32, std::vector<Word>(dstCount));
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (size_t w = 0; w < srcCount; ++w) {
        for (unsigned e = 0; e < plan.unit; ++e) {
          words[lane][w].push_back(src[warp][lane][plan.srcWords[w * plan.unit + e]]);
        }
      }
      for (const RegisterSwap &s : plan.sendSwaps) {
        swap(words[lane], s, lane);
      }
    }
    for (const ShuffleRound &round : plan.rounds) {
      for (uint32_t lane = 0; lane < 32; ++lane) {
        uint32_t from = plan.sourceLane(round, lane);
        if (round.local) {
          EXPECT_EQ(from, lane);
        }
        if (plan.butterfly) {
          EXPECT_EQ(from, lane ^ round.laneConst);
        }
        got[lane][round.land] = words[from][round.send];
      }
    }
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (const RegisterSwap &s : plan.landSwaps) {
        swap(got[lane], s, lane);
      }
      for (size_t w = 0; w < dstCount; ++w) {
        for (unsigned e = 0; e < plan.unit; ++e) {
          out[warp][lane][plan.dstWords[w * plan.unit + e]] = got[lane][w][e];
        }
      }
      for (uint32_t reg = 0; reg < dst.numRegisters(); ++reg) {
        out[warp][lane][reg] = out[warp][lane][plan.dstCopy[reg]];
      }
    }
  }
  return out;
}

Registers runShared(const SharedPlan &plan, const Registers &src, const LinearLayout &dst, unsigned elemBytes) {
  Registers out = emptyRegisters(dst);
  EXPECT_EQ(plan.bytesPerWarp, plan.scratch.sizeBytes());
  EXPECT_EQ(plan.totalBytes, plan.warpLocal ? plan.bytesPerWarp * src.size() : plan.bytesPerWarp);
  // Vectors go to consecutive aligned bytes.
  auto address = [&](const LinearLayout &part, unsigned bytes, const Place &p) {
    uint32_t at = plan.scratch.offsetFlat(part.applyFlat(p)), n = std::max(1u, bytes / elemBytes), e = p.reg % n;
    Place first = p;
    first.reg -= e;
    uint32_t start = plan.scratch.offsetFlat(part.applyFlat(first));
    EXPECT_EQ(start % bytes, 0u);
    EXPECT_EQ(at, start + e * elemBytes);
    return at + (plan.warpLocal ? p.warp * plan.bytesPerWarp : 0);
  };
  for (unsigned chunk = 0; chunk < plan.chunks(); ++chunk) {
    // Each word remembers who may see it without a block-wide barrier.
    std::vector<uint32_t> memory(plan.totalBytes, kUnset);
    forEachPlace(plan.srcPart, [&](const Place &p) {
      uint32_t value = src[p.warp][p.lane][plan.srcRegisters[chunk][p.reg]],
               &cell = memory[address(plan.srcPart, plan.writeBytes, p)];
      EXPECT_TRUE(cell == kUnset || cell == value) << "two values at one address";
      cell = value;
    });
    forEachPlace(plan.dstPart, [&](const Place &p) {
      out[p.warp][p.lane][plan.dstRegisters[chunk][p.reg]] = memory[address(plan.dstPart, plan.readBytes, p)];
    });
  }
  for (auto &warp : out) {
    for (auto &lane : warp) {
      for (uint32_t reg = 0; reg < dst.numRegisters(); ++reg) {
        lane[reg] = lane[plan.dstCopy[reg]];
      }
    }
  }
  return out;
}

Registers runPlan(const RelayoutPlan &plan, const Registers &src, const LinearLayout &dst, unsigned elemBits) {
  switch (plan.kind) {
  case RelayoutKind::None:
  case RelayoutKind::RegisterPermute: {
    Registers out = emptyRegisters(dst);
    forEachPlace(dst, [&](const Place &p) {
      EXPECT_TRUE(plan.kind != RelayoutKind::None || plan.registers[p.reg] == p.reg);
      out[p.warp][p.lane][p.reg] = src[p.warp][p.lane][plan.registers[p.reg]];
    });
    return out;
  }
  case RelayoutKind::Shuffle:
    return runShuffle(plan.shuffle, src, dst);
  case RelayoutKind::Shared:
    return runShared(plan.shared, src, dst, std::max(1u, elemBits / 8));
  }
  return {};
}

std::string describe(const LinearLayout &src, const LinearLayout &dst, const RelayoutPlan &plan) {
  std::string text = src.str() + "\n" + dst.str() + "\n";
  llvm::raw_string_ostream os(text);
  plan.print(os);
  return text;
}

RelayoutKind checkRelayout(const LinearLayout &src, const LinearLayout &dst, unsigned elemBits,
                           RelayoutOptions options = {}) {
  auto plan = planRelayout(src, dst, elemBits, options);
  EXPECT_TRUE(plan) << src.str() << "\n" << dst.str();
  if (!plan) {
    return RelayoutKind::None;
  }
  EXPECT_EQ(runPlan(*plan, filled(src), dst, elemBits), filled(dst)) << describe(src, dst, *plan);
  return plan->kind;
}

} // namespace

TEST(Relayout, RandomPairs) {
  Random random(50);
  int kinds[4] = {};
  for (int round = 0; round < 500; ++round) {
    Coords shape = randomShape(random, pick(random, 11));
    unsigned warps = pick(random, 3), mixing = pick(random, 3) * pick(random, 8), elemBits = 8u << pick(random, 4);
    LinearLayout src = randomLayout(random, shape, warps, mixing), dst = randomLayout(random, shape, warps, mixing);
    ++kinds[int(checkRelayout(src, dst, elemBits))];
    checkRelayout(src, dst, elemBits, {.maxScratchBytes = 64, .allowShuffle = false});
    checkRelayout(src, src, elemBits);
  }
  EXPECT_GT(kinds[int(RelayoutKind::Shared)], 100);
}

// Lanes and registers mixed up at will, warps left alone: the shuffle's own ground.
TEST(Relayout, RandomPairsWithinAWarp) {
  Random random(51);
  int kinds[4] = {};
  for (int round = 0; round < 800; ++round) {
    unsigned registerBits = pick(random, 4), warpBits = pick(random, 2), bits = registerBits + 5;
    auto side = [&] {
      std::vector<uint32_t> v;
      for (unsigned i = 0; i < bits; ++i) {
        v.push_back(1u << i);
      }
      for (unsigned i = 0, n = pick(random, 2) * pick(random, 8); i < n; ++i) {
        unsigned a = pick(random, bits), b = pick(random, bits);
        v[a] ^= a == b ? 0 : v[b];
      }
      std::shuffle(v.begin(), v.end(), random);
      if (pick(random, 4) == 0) { // replicated registers
        v.insert(v.begin() + pick(random, registerBits + 1), 0);
      }
      llvm::ArrayRef<uint32_t> all(v);
      Flats warps;
      for (unsigned i = 0; i < warpBits; ++i) {
        warps.push_back(1u << (bits + i));
      }
      return LinearLayout::fromFlat({1 << (bits + warpBits)}, all.drop_back(5), all.take_back(5), warps);
    };
    ++kinds[int(checkRelayout(side(), side(), 8u << pick(random, 4)))];
  }
  EXPECT_GT(kinds[int(RelayoutKind::Shuffle)], 200);
}

TEST(Relayout, AllConstructorPairs) {
  int kinds[4] = {};
  for (Coords shape : {Coords{32, 32}, Coords{64, 16}, Coords{16, 64}}) {
    auto zoo = constructorZoo(shape);
    unsigned n = 0;
    for (const Named &src : zoo) {
      for (const Named &dst : zoo) {
        SCOPED_TRACE(src.name + " -> " + dst.name);
        ++kinds[int(checkRelayout(src.layout, dst.layout, 8u << (n++ % 3)))];
      }
    }
  }
  for (int count : kinds) {
    EXPECT_GT(count, 20);
  }
}

TEST(Relayout, BlocksStayPut) {
  LinearLayout a({64}, {}, {{1}, {2}, {4}, {8}, {16}}, {}, {{32}}), b({64}, {}, {{32}, {2}, {4}, {8}, {16}}, {}, {{1}});
  EXPECT_TRUE(planRelayout(a, a, 32));
  EXPECT_FALSE(planRelayout(a, b, 32)) << "data would cross blocks";
}

TEST(Relayout, NoneAndRegisterPermute) {
  LinearLayout acc = mmaAccumulator({64, 64}, {4, 1});
  EXPECT_EQ(planRelayout(acc, acc, 32)->kind, RelayoutKind::None);
  // Flash attention: the first product's sums are the second's A operand, the very registers while there is one step of
  // rows, else permuted.
  MmaShape mma{16, 16};
  EXPECT_EQ(planRelayout(acc, mmaOperandA({64, 64}, mma, {4, 1}), 16)->kind, RelayoutKind::None);
  EXPECT_EQ(planRelayout(wgmmaAccumulator({64, 64}, {1, 1}), wgmmaOperandA({64, 64}, mma, {1, 1}), 16)->kind,
            RelayoutKind::None);
  EXPECT_EQ(checkRelayout(mmaAccumulator({128, 64}, {4, 1}), mmaOperandA({128, 64}, mma, {4, 1}), 16),
            RelayoutKind::RegisterPermute);
  // Row statistics, spread again over the accumulator.
  LinearLayout rows = expandDims(slice(acc, 1), 1);
  EXPECT_EQ(planRelayout(removeZeroRegisterBases(rows), rows, 32)->kind, RelayoutKind::RegisterPermute);
}

TEST(Relayout, ShufflesWhereTheyAreCheap) {
  // Eight-bit fragments of one product as the next one's operand: quads of lanes exchange within themselves.
  LinearLayout acc = mmaAccumulator({16, 32}, {1, 1}), operand = mmaOperandA({16, 32}, {8, 32}, {1, 1});
  auto plan = planRelayout(acc, operand, 8);
  EXPECT_EQ(plan->kind, RelayoutKind::Shuffle);
  // A transpose of one register bit with one lane bit: half of it stays, so one shuffle of two values, and selects on
  // both sides.
  LinearLayout a({64}, {{1}}, {{2}, {4}, {8}, {16}, {32}}, {}), b({64}, {{2}}, {{1}, {4}, {8}, {16}, {32}}, {});
  plan = planRelayout(a, b, 32);
  EXPECT_EQ(plan->kind, RelayoutKind::Shuffle);
  EXPECT_TRUE(plan->shuffle.butterfly);
  EXPECT_EQ(plan->shuffle.numShuffles(32), 1u);
  // Two halves that travel together fill a word.
  LinearLayout c({128}, {{1}, {2}}, {{4}, {8}, {16}, {32}, {64}}, {}),
      d({128}, {{1}, {4}}, {{2}, {8}, {16}, {32}, {64}}, {});
  EXPECT_EQ(planRelayout(c, d, 16)->shuffle.unit, 2u);
  EXPECT_EQ(planRelayout(c, d, 16)->shuffle.numShuffles(16), 1u);
  EXPECT_EQ(planRelayout(c, d, 64)->shuffle.numShuffles(64), 4u);
  EXPECT_EQ(planRelayout(a, b, 32, {.allowShuffle = false})->kind, RelayoutKind::Shared);
}

TEST(Relayout, EpilogueThroughTheWarpsOwnScratch) {
  // The golden epilogue: each warp turns its accumulator into rows of 16 bytes a lane.
  LinearLayout acc = mmaAccumulator({128, 128}, {2, 2});
  LinearLayout rows({128, 128}, {{0, 1}, {0, 2}, {0, 4}, {4, 0}, {8, 0}, {16, 0}, {32, 0}},
                    {{0, 8}, {0, 16}, {0, 32}, {1, 0}, {2, 0}}, {{64, 0}, {0, 64}});
  auto plan = planRelayout(acc, rows, 16);
  ASSERT_EQ(plan->kind, RelayoutKind::Shared);
  EXPECT_TRUE(plan->shared.warpLocal);
  EXPECT_EQ(plan->shared.bytesPerWarp, 64u * 64 * 2);
  EXPECT_EQ(plan->shared.readBytes, 16u);
  EXPECT_EQ(plan->shared.writeBytes, 4u);
  EXPECT_TRUE(countConflicts({plan->shared.srcPart, 4}, plan->shared.scratch).free());
  EXPECT_TRUE(countConflicts({plan->shared.dstPart, 16}, plan->shared.scratch).free());
  checkRelayout(acc, rows, 16);
  // In quarters, when scratch is short.
  auto parts = planRelayout(acc, rows, 16, {.maxScratchBytes = 8192});
  EXPECT_LE(parts->shared.totalBytes, 8192u);
  EXPECT_EQ(parts->shared.chunks(), 4u);
  checkRelayout(acc, rows, 16, {.maxScratchBytes = 8192});
  // Across warps: the block must meet.
  EXPECT_FALSE(planRelayout(acc, blockedForAccess({128, 128}, 16, {1, 0}, 4), 16)->shared.warpLocal);
}

TEST(Relayout, ScratchAddressesSplit) {
  auto zoo = constructorZoo({64, 32});
  for (size_t i = 0; i < zoo.size(); ++i) {
    const Named &src = zoo[i], &dst = zoo[(i * 7 + 3) % zoo.size()];
    auto plan = planRelayout(src.layout, dst.layout, 16, {.allowShuffle = false});
    if (plan->kind == RelayoutKind::Shared) {
      EXPECT_TRUE(splitAddress(plan->shared.srcPart, plan->shared.scratch));
      EXPECT_TRUE(splitAddress(plan->shared.dstPart, plan->shared.scratch));
    }
  }
}

// Trips through shared memory are free of conflicts on both sides, by counting, wherever one width of vector allows it.
TEST(Relayout, TripsAreFreeOfConflicts) {
  auto zoo = constructorZoo({64, 64});
  int trips = 0, conflicts = 0;
  for (size_t i = 0; i < zoo.size(); ++i) {
    for (size_t j = i % 5; j < zoo.size(); j += 5) {
      unsigned elemBits = 16u << (i + j) % 2;
      auto plan = planRelayout(zoo[i].layout, zoo[j].layout, elemBits, {.allowShuffle = false});
      if (plan->kind != RelayoutKind::Shared) {
        continue;
      }
      const SharedPlan &shared = plan->shared;
      ++trips;
      bool free = countConflicts({shared.srcPart, shared.writeBytes}, shared.scratch).free() &&
                  countConflicts({shared.dstPart, shared.readBytes}, shared.scratch).free();
      conflicts += !free;
      EXPECT_TRUE(free || shared.writeBytes != shared.readBytes) << zoo[i].name << " -> " << zoo[j].name;
    }
  }
  EXPECT_GT(trips, 150);
  EXPECT_LE(conflicts * 20, trips) << conflicts << " of " << trips;
  RecordProperty("trips", trips);
  RecordProperty("conflicts", conflicts);
}
