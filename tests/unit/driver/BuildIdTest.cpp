// The build's identity: there, stable, and the one in the file.
#include "phobos/Driver/Compiler.h"

#include <gtest/gtest.h>

using namespace phobos;

TEST(BuildId, IsHexAndStable) {
  const std::string &id = buildId();
  EXPECT_GE(id.size(), 8u);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
  EXPECT_EQ(&id, &buildId());
}
