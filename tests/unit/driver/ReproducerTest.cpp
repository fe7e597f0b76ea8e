// A reproducer holds the IR and the command that replays it.
#include "Reproducer.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

using namespace phobos::driver;

static std::string contents(const std::filesystem::path &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Reproducer, IsComplete) {
  Reproducer reproducer{"module {}\n", "--pass-pipeline='builtin.module(cse)'"};
  std::string folder = writeReproducer(reproducer, "error: internal: why\n");
  ASSERT_FALSE(folder.empty());
  EXPECT_EQ(contents(folder + "/kernel.mlir"), "module {}\n");
  EXPECT_EQ(contents(folder + "/command"),
            "phobos-opt --pass-pipeline='builtin.module(cse)' " + folder + "/kernel.mlir\n");
  EXPECT_EQ(contents(folder + "/failure").find("error: internal: why\n"), 0u);
  std::filesystem::remove_all(folder);
}
