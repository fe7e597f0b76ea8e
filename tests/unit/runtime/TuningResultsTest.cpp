// Results of tuning on disk: each thing that a result holds for, and what is written there by others.
#include "Fakes.h"

#include "phobos/runtime/Specialise.h"
#include "phobos/runtime/TuningResults.h"

#include <gtest/gtest.h>

using namespace phobos;
using namespace phobos::fake;
using namespace phobos::runtime;

namespace {

Constants tile(int64_t n) { return {{"TILE", ConstantValue::ofInt(n)}}; }

class TuningResults : public ::testing::Test {
protected:
  void SetUp() override {
    ::setenv("PHOBOS_CACHE_DIR", folder.path().c_str(), 1);
    compiler().reset();
    source.text = kMatmulText;
    source.name = "matmul";
    TuningResult(source, device, key, candidates).store(tile(64));
  }
  void TearDown() override { ::unsetenv("PHOBOS_CACHE_DIR"); }

  std::optional<Constants> load() { return TuningResult(source, device, key, candidates).load(); }

  TemporaryFolder folder;
  FakeDevice device;
  KernelSource source;
  std::string key = "128 x 128";
  std::vector<Constants> candidates = {tile(32), tile(64)};
};

TEST_F(TuningResults, AreFoundAgain) { EXPECT_EQ(load(), tile(64)); }

TEST_F(TuningResults, HoldForTheModelOfADevice) {
  device.product = ", with fewer multiprocessors";
  EXPECT_EQ(load(), std::nullopt);
}

TEST_F(TuningResults, HoldForTheKernel) {
  source.text += "\n";
  EXPECT_EQ(load(), std::nullopt);
  source.text = kMatmulText;
  source.imports = "another file";
  EXPECT_EQ(load(), std::nullopt);
  source.imports.clear();
  source.name = "product";
  EXPECT_EQ(load(), std::nullopt);
}

TEST_F(TuningResults, HoldForTheArguments) {
  key = "128 x 129";
  EXPECT_EQ(load(), std::nullopt);
}

TEST_F(TuningResults, HoldForTheCompiler) {
  compiler().build = "another";
  EXPECT_EQ(load(), std::nullopt);
}

TEST_F(TuningResults, HoldForTheCandidates) {
  candidates.push_back(tile(128));
  EXPECT_EQ(load(), std::nullopt);
}

TEST_F(TuningResults, AreOneOfTheCandidates) {
  TuningResult(source, device, key, candidates).store(tile(48));
  EXPECT_EQ(load(), std::nullopt);
}

TEST_F(TuningResults, AreNotKeptWithoutACache) {
  ::setenv("PHOBOS_CACHE", "0", 1);
  EXPECT_EQ(load(), std::nullopt);
  ::unsetenv("PHOBOS_CACHE");
  EXPECT_EQ(load(), tile(64));
}

} // namespace
