// The table of phases: names are found, order is the order of work, wrong names are answered.
#include "phobos/Driver/Phases.h"

#include <gtest/gtest.h>
#include <set>

using namespace phobos;

TEST(Phases, NamesAndSuffixesAreDistinct) {
  std::set<std::string> suffixes;
  for (const PhaseInfo &info : phases()) {
    EXPECT_EQ(findPhase(info.name), info.phase);
    EXPECT_EQ(phaseInfo(info.phase).name, std::string(info.name));
    EXPECT_TRUE(suffixes.insert(info.suffix).second) << info.suffix;
  }
  EXPECT_LT(Phase::tile, Phase::layout);
  EXPECT_LT(Phase::nvvm, Phase::ptx);
  EXPECT_LT(Phase::ptx, Phase::cubin);
}

TEST(Phases, WrongNameIsAnswered) {
  EXPECT_EQ(findPhase("PTX"), std::nullopt);
  EXPECT_EQ(unknownPhaseMessage("piplined").substr(0, 56), "unknown phase 'piplined'; did you mean 'pipelined'? Phas");
  EXPECT_EQ(unknownPhaseMessage("qqqqqqqq").substr(0, 42), "unknown phase 'qqqqqqqq'; phases: ast, til");
}
