// Fragment layouts against the PTX ISA's formulas, written as the ISA writes them (groupID = lane >> 2,
// threadID_in_group = lane % 4).
#include "Model.h"
#include <gtest/gtest.h>

using namespace phobos::layout;
using namespace phobos::layout::test;

namespace {
struct At {
  int row, col;
};
using Formula = At (*)(int lane, int i);
} // namespace

static void expectFragment(const LinearLayout &layout, int registers, Formula formula) {
  ASSERT_EQ(layout.numRegisters(), unsigned(registers));
  ASSERT_EQ(layout.numLanes(), kWarpSize);
  EXPECT_TRUE(layout.isInjective() && layout.isSurjective());
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < registers; ++i) {
      At want = formula(lane, i);
      ASSERT_EQ(layout.apply(uint32_t(i), uint32_t(lane), 0), (Coords{want.row, want.col}))
          << "lane " << lane << " register " << i;
    }
  }
}

static int group(int lane) { return lane >> 2; }
static int thread(int lane) { return lane % 4; }

TEST(Mma, M16N8K16Half) {
  expectFragment(mmaOperandA({16, 16}, {16, 16}, {}), 8, [](int lane, int i) -> At {
    int row = (i < 2 || (i >= 4 && i < 6)) ? group(lane) : group(lane) + 8;
    int col = i < 4 ? thread(lane) * 2 + (i & 1) : thread(lane) * 2 + (i & 1) + 8;
    return {row, col};
  });
  expectFragment(mmaOperandB({16, 8}, {16, 16}, {}), 4, [](int lane, int i) -> At {
    int row = i < 2 ? thread(lane) * 2 + (i & 1) : thread(lane) * 2 + (i & 1) + 8;
    return {row, group(lane)};
  });
  expectFragment(mmaAccumulator({16, 8}, {}), 4, [](int lane, int i) -> At {
    return {i < 2 ? group(lane) : group(lane) + 8, thread(lane) * 2 + (i & 1)};
  });
}

TEST(Mma, M16N8K8Half) {
  expectFragment(mmaOperandA({16, 8}, {16, 8}, {}), 4, [](int lane, int i) -> At {
    return {i < 2 ? group(lane) : group(lane) + 8, thread(lane) * 2 + (i & 1)};
  });
  expectFragment(mmaOperandB({8, 8}, {16, 8}, {}), 2,
                 [](int lane, int i) -> At { return {thread(lane) * 2 + i, group(lane)}; });
}

TEST(Mma, M16N8K8Tf32AndK4) {
  expectFragment(mmaOperandA({16, 8}, {32, 8}, {}), 4, [](int lane, int i) -> At {
    return {i == 0 || i == 2 ? group(lane) : group(lane) + 8, i < 2 ? thread(lane) : thread(lane) + 4};
  });
  expectFragment(mmaOperandB({8, 8}, {32, 8}, {}), 2,
                 [](int lane, int i) -> At { return {i == 0 ? thread(lane) : thread(lane) + 4, group(lane)}; });
  expectFragment(mmaOperandA({16, 4}, {32, 4}, {}), 2,
                 [](int lane, int i) -> At { return {i == 0 ? group(lane) : group(lane) + 8, thread(lane)}; });
}

TEST(Mma, M16N8K32Bytes) {
  expectFragment(mmaOperandA({16, 32}, {8, 32}, {}), 16, [](int lane, int i) -> At {
    int row = i < 4 || (i >= 8 && i < 12) ? group(lane) : group(lane) + 8;
    int col = i < 8 ? thread(lane) * 4 + (i & 3) : thread(lane) * 4 + (i & 3) + 16;
    return {row, col};
  });
  expectFragment(mmaOperandB({32, 8}, {8, 32}, {}), 8, [](int lane, int i) -> At {
    return {i < 4 ? thread(lane) * 4 + (i & 3) : thread(lane) * 4 + (i & 3) + 16, group(lane)};
  });
}

TEST(Mma, AWiderKPermutesBothOperandsAlike) {
  MmaShape mma{16, 16, 8};
  LinearLayout a = mmaOperandA({16, 32}, mma, {}), b = mmaOperandB({32, 8}, mma, {});
  ASSERT_EQ(a.numRegisters(), 2 * mma.registersA());
  ASSERT_EQ(b.numRegisters(), 2 * mma.registersB());
  EXPECT_TRUE(a.isInjective() && b.isInjective());
  // Element (word, half) of A's instruction meets the same of B's: same k for each thread in the group, whatever the
  // group.
  for (uint32_t step = 0; step < 2; ++step) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t e = 0; e < 4; ++e) { // b0..b3; a0,a1 and a4,a5 are row group(lane)
        uint32_t ia = step * 8 + (e & 1) + (e >> 1) * 4, ib = step * 4 + e;
        EXPECT_EQ(a.apply(ia, lane, 0)[1], b.apply(ib, lane, 0)[0]);
        EXPECT_EQ(a.apply(ia, lane, 0)[1] / 8, thread(int(lane))) << "eight neighbours a lane";
      }
    }
  }
}

TEST(Mma, RegisterNumbersCountInstructions) {
  const int kM = 64, kN = 32, kK = 64;
  MmaShape mma{16, 16};
  WarpGrid grid{2, 2};
  LinearLayout a = mmaOperandA({kM, kK}, mma, grid), b = mmaOperandB({kK, kN}, mma, grid),
               c = mmaAccumulator({kM, kN}, grid);
  LinearLayout a1 = mmaOperandA({16, 16}, mma, {}), b1 = mmaOperandB({16, 8}, mma, {}),
               c1 = mmaAccumulator({16, 8}, {});
  const uint32_t kMI = 2, kNI = 2, kSteps = 4;
  ASSERT_EQ(a.numRegisters(), kSteps * kMI * 8);
  ASSERT_EQ(b.numRegisters(), kSteps * kNI * 4);
  ASSERT_EQ(c.numRegisters(), kMI * kNI * 4);
  auto plus = [](Coords x, int row, int col) { return Coords{x[0] + row, x[1] + col}; };
  for (uint32_t warp = 0; warp < 4; ++warp) {
    int wm = int(warp % 2) * 32, wn = int(warp / 2) * 16;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t mi = 0; mi < kMI; ++mi) {
        for (uint32_t ni = 0; ni < kNI; ++ni) {
          for (uint32_t e = 0; e < 4; ++e) {
            EXPECT_EQ(c.apply((mi * kNI + ni) * 4 + e, lane, warp),
                      plus(c1.apply(e, lane, 0), wm + int(mi) * 16, wn + int(ni) * 8));
          }
        }
        for (uint32_t ks = 0; ks < kSteps; ++ks) {
          for (uint32_t e = 0; e < 8; ++e) {
            EXPECT_EQ(a.apply((ks * kMI + mi) * 8 + e, lane, warp),
                      plus(a1.apply(e, lane, 0), wm + int(mi) * 16, int(ks) * 16));
          }
        }
      }
      for (uint32_t ks = 0; ks < kSteps; ++ks) {
        for (uint32_t ni = 0; ni < kNI; ++ni) {
          for (uint32_t e = 0; e < 4; ++e) {
            EXPECT_EQ(b.apply((ks * kNI + ni) * 4 + e, lane, warp),
                      plus(b1.apply(e, lane, 0), int(ks) * 16, wn + int(ni) * 8));
          }
        }
      }
    }
  }
}

TEST(Mma, TheWalkthroughsAccumulator) {
  EXPECT_EQ(mmaAccumulator({64, 64}, {4, 2}).str(),
            "register=[[0,1],[8,0],[0,8],[0,16]] lane=[[0,2],[0,4],[1,0],[2,0],[4,0]] "
            "warp=[[16,0],[32,0],[0,32]]");
}

// A tile smaller than the grid or the instruction: what is outside repeats what is inside, and operands repeat alike.
TEST(Mma, SmallTilesReplicate) {
  MmaShape mma{16, 16};
  for (Coords mn : {Coords{16, 8}, Coords{8, 64}, Coords{1, 16}, Coords{32, 4}, Coords{128, 1}}) {
    for (WarpGrid grid : {WarpGrid{4, 2}, WarpGrid{1, 8}, WarpGrid{8, 1}}) {
      LinearLayout c = mmaAccumulator(mn, grid), a = mmaOperandA({mn[0], 32}, mma, grid),
                   b = mmaOperandB({32, mn[1]}, mma, grid);
      EXPECT_TRUE(c.isSurjective() && a.isSurjective() && b.isSurjective());
      uint32_t mi = a.numRegisters() / 2 / mma.registersA(), ni = b.numRegisters() / 2 / mma.registersB();
      ASSERT_EQ(c.numRegisters(), mi * ni * 4);
      // Sum e of instruction (m, n) is the row of A's register and the column of B's that the instruction multiplies.
      for (uint32_t warp = 0; warp < 8; ++warp) {
        for (uint32_t lane = 0; lane < 32; ++lane) {
          for (uint32_t m = 0; m < mi; ++m) {
            for (uint32_t n = 0; n < ni; ++n) {
              for (uint32_t e = 0; e < 4; ++e) {
                // a0 of the lane that has this row group, b0 of the lane whose group is the column.
                uint32_t rowReg = m * 8 + (e >> 1) * 2, colLane = (lane % 4 * 2 + (e & 1)) * 4;
                Coords want = {a.apply(rowReg, lane, warp)[0], b.apply(n * 4, colLane, warp)[1]};
                ASSERT_EQ(c.apply((m * ni + n) * 4 + e, lane, warp), want);
              }
            }
          }
        }
      }
    }
  }
}

TEST(Mma, LeadingDimensionsAreTheHighestRegisters) {
  LinearLayout flat = mmaAccumulator({32, 16}, {2, 1}), batched = mmaAccumulator({4, 32, 16}, {2, 1});
  forEachPlace(flat, [&](const Place &p) {
    for (uint32_t batch = 0; batch < 4; ++batch) {
      Coords at = flat.apply(p);
      EXPECT_EQ(batched.apply(p.reg + batch * flat.numRegisters(), p.lane, p.warp),
                (Coords{int32_t(batch), at[0], at[1]}));
    }
  });
}

// PTX ISA, wgmma m64nN: row = 16 * (warp % 4) + lane / 4 + 8 * ((i / 2) % 2), col = 8 * (i / 4) + 2 * (lane % 4) + i
// % 2.
TEST(Wgmma, AccumulatorAndOperand) {
  LinearLayout c = wgmmaAccumulator({128, 64}, {2, 1}), a = wgmmaOperandA({128, 32}, {16, 16}, {2, 1});
  ASSERT_EQ(c.numWarps(), 8u);
  ASSERT_EQ(c.numRegisters(), 32u);
  for (int warp = 0; warp < 8; ++warp) {
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < 32; ++i) {
        int row = 64 * (warp / 4) + 16 * (warp % 4) + lane / 4 + 8 * (i / 2 % 2),
            col = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
        ASSERT_EQ(c.apply(uint32_t(i), uint32_t(lane), uint32_t(warp)), (Coords{row, col}));
      }
      for (int i = 0; i < 16; ++i) {
        int row = 64 * (warp / 4) + 16 * (warp % 4) + lane / 4 + 8 * (i / 2 % 2);
        int col = 16 * (i / 8) + 8 * (i / 4 % 2) + 2 * (lane % 4) + i % 2;
        ASSERT_EQ(a.apply(uint32_t(i), uint32_t(lane), uint32_t(warp)), (Coords{row, col}));
      }
    }
  }
}

TEST(Fma, RegisterTileOfQuadsInZOrder) {
  const int kTM = 8, kTN = 16;
  WarpGrid grid{4, 2};
  Coords shape = {4 * kTM * 4, 8 * kTN * 2};
  LinearLayout c = fmaAccumulator(shape, grid), a = fmaOperandA({shape[0], 4}, grid),
               b = fmaOperandB({4, shape[1]}, grid);
  ASSERT_EQ(c.numRegisters(), unsigned(kTM * kTN));
  ASSERT_EQ(a.numRegisters(), unsigned(kTM * 4));
  ASSERT_EQ(b.numRegisters(), unsigned(kTN * 4));
  EXPECT_TRUE(c.isInjective() && c.isSurjective());
  for (int warp = 0; warp < 8; ++warp) {
    for (int lane = 0; lane < 32; ++lane) {
      int lm = 2 * (lane / 16) + lane % 2, ln = lane / 2 % 8, wm = warp % 4 * 4 * kTM, wn = warp / 4 * 8 * kTN;
      auto row = [&](int i) { return wm + 4 * lm + 16 * (i / 4) + i % 4; };
      auto column = [&](int j) { return wn + 4 * ln + 32 * (j / 4) + j % 4; };
      for (int i = 0; i < kTM; ++i) {
        for (int j = 0; j < kTN; ++j) {
          ASSERT_EQ(c.apply(uint32_t(i * kTN + j), uint32_t(lane), uint32_t(warp)), (Coords{row(i), column(j)}));
        }
      }
      for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < kTM; ++i) {
          ASSERT_EQ(a.apply(uint32_t(k * kTM + i), uint32_t(lane), uint32_t(warp)), (Coords{row(i), k}));
        }
        for (int j = 0; j < kTN; ++j) {
          ASSERT_EQ(b.apply(uint32_t(k * kTN + j), uint32_t(lane), uint32_t(warp)), (Coords{k, column(j)}));
        }
      }
    }
  }
}

TEST(Fma, SmallTiles) {
  for (Coords mn : {Coords{4, 8}, Coords{8, 16}, Coords{2, 64}, Coords{64, 4}, Coords{1, 1}, Coords{16, 256}}) {
    for (WarpGrid grid : {WarpGrid{4, 1}, WarpGrid{2, 2}, WarpGrid{1, 4}}) {
      LinearLayout c = fmaAccumulator(mn, grid), a = fmaOperandA({mn[0], 8}, grid), b = fmaOperandB({8, mn[1]}, grid);
      EXPECT_TRUE(c.isSurjective() && a.isSurjective() && b.isSurjective());
      uint32_t tm = a.numRegisters() / 8, tn = b.numRegisters() / 8;
      ASSERT_EQ(c.numRegisters(), tm * tn);
      forEachPlace(c, [&](const Place &p) {
        Coords want = {a.apply(p.reg / tn, p.lane, p.warp)[0], b.apply(p.reg % tn, p.lane, p.warp)[1]};
        ASSERT_EQ(c.apply(p), want);
      });
    }
  }
}

TEST(Blocked, NeighbouringLanesHoldNeighbours) {
  LinearLayout layout = blocked({64, 64}, {1, 8}, {1, 0}, 4);
  EXPECT_EQ(layout.str(),
            "register=[[0,1],[0,2],[0,4],[16,0],[32,0]] lane=[[0,8],[0,16],[0,32],[1,0],[2,0]] warp=[[4,0],[8,0]]");
  EXPECT_EQ(blocked({64, 64}, {8, 1}, {0, 1}, 4).apply(7, 9, 0), (Coords{15, 1}));
  EXPECT_TRUE(layout.isInjective() && layout.isSurjective());
  LinearLayout small = blocked({8}, {4}, {0}, 4); // fewer elements than threads
  EXPECT_TRUE(small.isSurjective());
  EXPECT_EQ(small.str(), "register=[[1],[2]] lane=[[4],[0],[0],[0],[0]] warp=[[0],[0]]");
  EXPECT_EQ(blocked({}, {}, {}, 2).numElements(), 1u);
}

TEST(Blocked, ForAccessKeepsThreadsBusyBeforeWidening) {
  EXPECT_EQ(blockedForAccess({128, 64}, 16, {1, 0}, 4).basis(In::Lane, 0), (Coords{0, 8}));
  EXPECT_EQ(blockedForAccess({128, 64}, 32, {1, 0}, 4).basis(In::Lane, 0), (Coords{0, 4}));
  EXPECT_EQ(blockedForAccess({256}, 16, {0}, 4).basis(In::Lane, 0), (Coords{2}));
  EXPECT_EQ(blockedForAccess({32}, 32, {0}, 4).basis(In::Lane, 0), (Coords{1}));
  EXPECT_EQ(blockedForAccess({128, 64}, 16, {1, 0}, 4, 2).basis(In::Lane, 0), (Coords{0, 2}));
}
