// ldmatrix plans executed by the instruction's definition on simulated shared memory.
#include "phobos/Layout/Ldmatrix.h"
#include "Model.h"
#include "phobos/Layout/Swizzle.h"
#include <gtest/gtest.h>

using namespace phobos::layout;
using namespace phobos::layout::test;

static constexpr uint32_t kUnset = ~0u;

// Shared memory by byte: the flat number of the element whose bytes these are.
static std::vector<uint32_t> fill(const LinearLayout &operand, const SharedLayout &shared) {
  std::vector<uint32_t> memory(shared.sizeBytes(), kUnset);
  for (uint32_t flat = 0; flat < operand.numElements(); ++flat) {
    for (unsigned byte = 0; byte < shared.elemBytes(); ++byte) {
      memory[shared.offsetFlat(flat) + byte] = flat;
    }
  }
  return memory;
}

// ldmatrix as the ISA has it: row j of matrix m comes from lane 8m + j; lane i receives row i/4, bytes 4*(i%4) … of
// each matrix, or transposed the 16-bit elements (2*(i%4), i/4) and (2*(i%4)+1, i/4).
static void expectLoads(const LinearLayout &operand, const SharedLayout &shared, const LdmatrixPlan &plan) {
  std::vector<uint32_t> memory = fill(operand, shared);
  unsigned elemBytes = shared.elemBytes();
  for (uint32_t warp = 0; warp < operand.numWarps(); ++warp) {
    std::vector<std::vector<uint32_t>> registers(32, std::vector<uint32_t>(operand.numRegisters(), kUnset));
    for (uint32_t repetition = 0; repetition < plan.repetitions(); ++repetition) {
      for (uint32_t lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(shared.offsetFlat(plan.rowLayout.applyFlat(repetition, lane, warp)) % 16, 0u);
      }
      for (uint32_t matrix = 0; matrix < plan.matrices; ++matrix) {
        auto row = [&](uint32_t j) {
          return shared.offsetFlat(plan.rowLayout.applyFlat(repetition, matrix * 8 + j, warp));
        };
        for (uint32_t lane = 0; lane < 32; ++lane) {
          for (uint32_t e = 0; e < plan.perWord; ++e) {
            uint32_t at =
                plan.transposed ? row(2 * (lane % 4) + e) + lane / 4 * 2 : row(lane / 4) + lane % 4 * 4 + e * elemBytes;
            registers[lane][plan.reg(repetition, matrix, e)] = memory[at];
          }
        }
      }
    }
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t reg = 0; reg < operand.numRegisters(); ++reg) {
        ASSERT_EQ(registers[lane][plan.copyOf[reg]], operand.applyFlat(reg, lane, warp))
            << "warp " << warp << " lane " << lane << " register " << reg;
      }
    }
  }
}

static std::optional<LdmatrixPlan> checked(const LinearLayout &operand, const SharedLayout &shared) {
  auto plan = planLdmatrix(operand, shared, shared.elemBits());
  if (plan) {
    expectLoads(operand, shared, *plan);
  }
  return plan;
}

TEST(Ldmatrix, HalfOperandsOfAllFourOrders) {
  WarpGrid grid{2, 2};
  for (MmaShape mma : {MmaShape{16, 16}, MmaShape{16, 8}}) {
    LinearLayout a = mmaOperandA({64, 32}, mma, grid), b = mmaOperandB({32, 64}, mma, grid);
    for (bool panels : {false, true}) {
      auto stage = [&](llvm::ArrayRef<int32_t> shape, llvm::ArrayRef<unsigned> order) {
        return panels ? SharedLayout::panels(shape, 16, order, 64) : SharedLayout::swizzled(shape, 16, order);
      };
      struct {
        const LinearLayout &operand;
        Coords shape;
        llvm::SmallVector<unsigned, 2> order;
        bool transposed;
      } cases[] = {{a, {64, 32}, {1, 0}, false},
                   {a, {64, 32}, {0, 1}, true},
                   {b, {32, 64}, {0, 1}, false},
                   {b, {32, 64}, {1, 0}, true}};
      for (auto &c : cases) {
        SharedLayout shared = stage(c.shape, c.order);
        auto plan = checked(c.operand, shared);
        ASSERT_TRUE(plan) << shared.str();
        EXPECT_EQ(plan->transposed, c.transposed);
        EXPECT_EQ(plan->matrices, 4u);
        EXPECT_EQ(plan->repetitions() * 8, c.operand.numRegisters());
        if (!panels) {
          EXPECT_TRUE(countConflicts(AccessPattern::matrixRows(plan->rowLayout), shared).free());
        }
      }
    }
  }
}

TEST(Ldmatrix, OneAndTwoMatrices) {
  SharedLayout shared = SharedLayout::swizzled({16, 16}, 16, {1, 0});
  LinearLayout b = mmaOperandB({16, 8}, {16, 16}, {}), b8 = mmaOperandB({8, 8}, {16, 8}, {});
  auto two = checked(b, SharedLayout::swizzled({16, 8}, 16, {0, 1}));
  ASSERT_TRUE(two);
  EXPECT_EQ(two->matrices, 2u);
  auto one = checked(b8, SharedLayout::plain({8, 8}, 16, {1, 0}));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->matrices, 1u);
  EXPECT_TRUE(one->transposed);
}

TEST(Ldmatrix, BytesAndWordsPlainOnly) {
  LinearLayout a8 = mmaOperandA({64, 64}, {8, 32}, {2, 1}), a32 = mmaOperandA({64, 16}, {32, 8}, {2, 1});
  LinearLayout b8 = mmaOperandB({64, 32}, {8, 32}, {1, 2});
  EXPECT_TRUE(checked(a8, SharedLayout::swizzled({64, 64}, 8, {1, 0})));
  EXPECT_TRUE(checked(a32, SharedLayout::swizzled({64, 16}, 32, {1, 0})));
  EXPECT_TRUE(checked(b8, SharedLayout::swizzled({64, 32}, 8, {0, 1})));
  EXPECT_FALSE(planLdmatrix(a8, SharedLayout::swizzled({64, 64}, 8, {0, 1}), 8));
  EXPECT_FALSE(planLdmatrix(a32, SharedLayout::swizzled({64, 16}, 32, {0, 1}), 32));
}

TEST(Ldmatrix, PaddedRows) {
  LinearLayout a = mmaOperandA({64, 32}, {16, 16}, {2, 2});
  SharedLayout padded = SharedLayout::plain({64, 32}, 16, {1, 0}, 80);
  auto plan = checked(a, padded);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(countConflicts(AccessPattern::matrixRows(plan->rowLayout), padded).free());
  EXPECT_FALSE(planLdmatrix(a, SharedLayout::plain({64, 32}, 16, {1, 0}, 72), 16)) << "rows not aligned to 16 bytes";
}

TEST(Ldmatrix, ReplicasAndOtherLayouts) {
  // A grid with more warps than rows: warps replicate; eight rows only: registers replicate.
  auto plan = checked(mmaOperandA({8, 32}, {16, 16}, {4, 1}), SharedLayout::swizzled({8, 32}, 16, {1, 0}));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->repetitions(), 1u);
  EXPECT_TRUE(checked(mmaOperandA({16, 64}, {16, 16}, {4, 1}), SharedLayout::swizzled({16, 64}, 16, {1, 0})));
  // Four rows only: lanes replicate, and give the same rows twice.
  EXPECT_TRUE(checked(mmaOperandA({4, 32}, {16, 16}, {1, 1}), SharedLayout::swizzled({4, 32}, 16, {1, 0})));
  // Accumulator-shaped fragments (stmatrix's case) fit too; blocked and f32 ones do not.
  SharedLayout shared = SharedLayout::swizzled({64, 64}, 16, {1, 0});
  EXPECT_TRUE(checked(mmaAccumulator({64, 64}, {2, 2}), shared));
  auto store = planStmatrix(wgmmaAccumulator({64, 64}, {1, 1}), shared, 16);
  ASSERT_TRUE(store);
  expectLoads(wgmmaAccumulator({64, 64}, {1, 1}), shared, *store); // a load of what the store would have written
  EXPECT_FALSE(planStmatrix(mmaAccumulator({64, 64}, {2, 2}), SharedLayout::swizzled({64, 64}, 32, {1, 0}), 32));
  EXPECT_FALSE(planLdmatrix(blockedForAccess({64, 64}, 16, {1, 0}, 4), shared, 16));
  EXPECT_FALSE(planLdmatrix(mmaOperandA({64, 64}, {16, 16, 4}, {2, 2}), shared, 16))
      << "four neighbours a lane are 8 bytes";
}

// Whatever the bits: random permutations of an operand's registers and mixtures of rows still load right, or are
// refused.
TEST(Ldmatrix, RandomFragments) {
  Random random(60);
  int plans = 0;
  for (int round = 0; round < 400; ++round) {
    LinearLayout base =
        pick(random, 2) ? mmaOperandA({32, 32}, {16, 16}, {2, 1}) : mmaOperandB({32, 32}, {16, 16}, {1, 2});
    Flats registers(base.flatBases(In::Register)), lanes(base.flatBases(In::Lane)), warps(base.flatBases(In::Warp));
    std::shuffle(registers.begin() + pick(random, 2), registers.end(), random);
    for (unsigned i = 0, n = pick(random, 3); i < n; ++i) {
      unsigned a = pick(random, 5), b = pick(random, unsigned(registers.size()));
      lanes[a] ^= registers[b];
    }
    LinearLayout fragment = LinearLayout::fromFlat({32, 32}, registers, lanes, warps);
    unsigned fastest = pick(random, 2);
    plans += checked(fragment, SharedLayout::swizzled({32, 32}, 16, {fastest, 1 - fastest})).has_value();
  }
  EXPECT_GT(plans, 60);
}
