// The chip table against itself: order, limits, and what a wrong name is answered with.
#include "phobos/Target/Chip.h"

#include <gtest/gtest.h>

using namespace phobos::target;

TEST(Chip, TableIsOrderedAndPlausible) {
  unsigned last = 0;
  for (const Chip &chip : chips()) {
    EXPECT_GT(chip.number, last);
    last = chip.number;
    EXPECT_EQ(findChip(chip.name), &chip);
    EXPECT_TRUE(chip.name.starts_with("sm_" + std::to_string(chip.number))) << chip.name.str();
    EXPECT_LE(chip.staticSharedBytes(), chip.maxSharedBytes());
    EXPECT_LE(chip.maxSharedBytes(), chip.smSharedBytes());
    EXPECT_TRUE(chip.has(kLdmatrix));
  }
}

TEST(Chip, FeaturesByGeneration) {
  EXPECT_FALSE(findChip("sm_75")->has(kCpAsync));
  EXPECT_FALSE(findChip("sm_75")->has(kMmaF16K16));
  EXPECT_TRUE(findChip("sm_80")->has(kAmpere));
  EXPECT_FALSE(findChip("sm_80")->has(kMmaFp8));
  EXPECT_TRUE(findChip("sm_89")->has(kMmaFp8));
  EXPECT_FALSE(findChip("sm_89")->has(kTma));
  EXPECT_TRUE(findChip("sm_90a")->has(kWgmma));
  EXPECT_FALSE(findChip("sm_100a")->has(kWgmma));
  EXPECT_EQ(findChip("sm_80")->maxSharedBytes(), 163u * 1024);
  EXPECT_EQ(findChip("sm_90a")->maxSharedBytes(), 232448u);
}

TEST(Chip, UnknownNameIsAnsweredWithNearestAndList) {
  EXPECT_EQ(findChip("sm_91"), nullptr);
  EXPECT_EQ(findChip("sm_90"), nullptr);
  EXPECT_EQ(unknownChipMessage("sm_90"),
            "unknown chip 'sm_90'; did you mean 'sm_90a'? Supported: sm_75, sm_80, sm_86, sm_89, sm_90a, sm_100a, "
            "sm_103a, sm_120a");
  EXPECT_EQ(unknownChipMessage("gfx90a").substr(0, 34), "unknown chip 'gfx90a'; supported: ");
}
