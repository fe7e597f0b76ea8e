// The tuner on fakes: the fastest right variant wins, arrays are put back, bad candidates drop out, nothing is tuned
// twice.
#include "Fakes.h"

#include "phobos/runtime/Autotune.h"
#include <gtest/gtest.h>
#include <thread>

using namespace phobos;
using namespace phobos::fake;
using namespace phobos::runtime;

namespace {

int tileOf(const Image &image) { return std::atoi(image.binary.substr(image.binary.find("TILE_M=") + 7).c_str()); }

class AutotuneTest : public ::testing::Test {
protected:
  void SetUp() override {
    ::setenv("PHOBOS_CACHE", "0", 1);
    compiler().reset();
    info = matmulInfo();
    info.space = {{"TILE_M", {ConstantValue::ofInt(32), ConstantValue::ofInt(64), ConstantValue::ofInt(128)}}};
    compiler().kernels = {info};
    compiler().multiples = {{}, {}, {}};
    compiler().parameters = {{EntryParameter::Kind::Pointer, 2, 0, 8}};
    device.speed = [](const Image &image) { return image.binary.find("TILE_M=64") != std::string::npos ? 1.0 : 2.0; };
    // A kernel that adds one to the first element of C: running it twice shows.
    device.body = [](const Image &, void **parameters) { ++***reinterpret_cast<uint16_t ***>(parameters); };
    host.grid = [](const std::vector<int64_t> &dims, const Constants &) -> Result<Grid> {
      return Grid{dims[0] / 32, 1, 1};
    };
  }
  void TearDown() override { ::unsetenv("PHOBOS_CACHE"); }

  std::shared_ptr<Kernel> make() {
    compiler().kernels = {info};
    auto kernel = Kernel::create("kernel.py", kMatmulText + std::to_string(++serial), "matmul", 1, device.source());
    EXPECT_TRUE(kernel) << errorOf(kernel);
    return *kernel;
  }

  std::vector<Argument> arguments(int64_t m = 128) {
    return {Array(DType::f16, {m, 4}, a), Array(DType::f16, {4, 8}, b), Array(DType::f16, {m, 8}, c)};
  }

  Result<std::shared_ptr<const Plan>> plan(Kernel &kernel, int64_t m = 128) {
    auto args = arguments(m);
    return kernel.plan({args.data()}, host);
  }

  int64_t best(Kernel &kernel, int64_t m = 128) {
    auto made = plan(kernel, m);
    EXPECT_TRUE(made) << errorOf(made);
    return made ? findConstant((*made)->constants, "TILE_M")->integer : 0;
  }

  static inline int serial = 0;
  KernelInfo info;
  FakeDevice device;
  Host host;
  alignas(16) uint16_t a[4096] = {}, b[64] = {}, c[8192] = {};
};

TEST_F(AutotuneTest, TheFastestWinsAndArraysArePutBack) {
  auto kernel = make();
  c[0] = 7;
  EXPECT_EQ(best(*kernel), 64);
  EXPECT_EQ(c[0], 7);
  EXPECT_EQ(device.live, 0);
  EXPECT_EQ(compiler().compiled, 3);
  EXPECT_EQ(device.launches.size(), 3u);
}

TEST_F(AutotuneTest, NothingIsTunedTwice) {
  auto kernel = make();
  best(*kernel);
  best(*kernel);
  EXPECT_EQ(device.launches.size(), 3u);
  best(*kernel, 256); // by default, another shape is tuned on its own
  EXPECT_EQ(device.launches.size(), 6u);
}

TEST_F(AutotuneTest, TheKeyNamesWhatTunesAgain) {
  info.key = {"K"};
  auto kernel = make();
  best(*kernel, 128);
  best(*kernel, 256);
  EXPECT_EQ(device.launches.size(), 3u);
}

TEST_F(AutotuneTest, OneCandidateIsNotTimed) {
  info.space[0].candidates.resize(1);
  EXPECT_EQ(best(*make()), 32);
  EXPECT_TRUE(device.launches.empty());
}

TEST_F(AutotuneTest, WhenPrunesBeforeCompiling) {
  compiler().when = [](const Constants &constants) { return constants[0].second.integer != 64; };
  info.when = "TILE_M != 64";
  auto kernel = make();
  EXPECT_EQ(best(*kernel), 32);
  EXPECT_EQ(compiler().compiled, 2);
  compiler().when = [](const Constants &) { return false; };
  auto none = plan(*make());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, Error::Kind::Compile);
  EXPECT_NE(none.error().text.find("satisfies its `when`: TILE_M != 64"), std::string::npos) << none.error().text;
}

TEST_F(AutotuneTest, CandidatesThatBreakAPromiseOrDoNotCompileDropOut) {
  auto kernel = make();
  EXPECT_EQ(best(*kernel, 32), 32); // 64 and 128 do not divide 32
  compiler().refuse = [](const Constants &constants) {
    return constants[0].second.integer == 64 ? "kernel.py:1:1: error: shared memory\n" : std::string();
  };
  EXPECT_NE(best(*make()), 64);
  auto ragged = plan(*make(), 33);
  ASSERT_FALSE(ragged);
  EXPECT_NE(ragged.error().text.find("to be a multiple of 32 (`TILE_M`), got 33"), std::string::npos)
      << ragged.error().text;
  compiler().refuse = [](const Constants &) { return "kernel.py:1:1: error: shared memory\n"; };
  auto all = plan(*make());
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().text, "kernel.py:1:1: error: shared memory\n");
}

TEST_F(AutotuneTest, AVariantThatDiffersFromTheReferenceIsNotTimed) {
  device.body = [](const Image &image, void **parameters) {
    (**reinterpret_cast<uint16_t ***>(parameters))[0] = tileOf(image) == 64 ? 0x4000 : 0x3C00; // 2.0, 1.0
  };
  host.reference = [this]() -> Status {
    c[0] = 0x3C00;
    return {};
  };
  EXPECT_EQ(best(*make()), 32); // 64 is faster, and wrong
  EXPECT_EQ(c[0], 0);
  host.reference = [this]() -> Status {
    c[0] = 0x5000;
    return {};
  };
  auto none = plan(*make());
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text.find("kernel `matmul` with TILE_M = 32 leaves argument `C` different from the reference"),
            std::string::npos)
      << none.error().text;
}

TEST_F(AutotuneTest, NotWhileAGraphIsRecorded) {
  device.capturing = true;
  auto kernel = make();
  auto recorded = plan(*kernel);
  ASSERT_FALSE(recorded);
  EXPECT_NE(recorded.error().text.find("its stream is recording a graph"), std::string::npos);
  device.capturing = false;
  EXPECT_EQ(best(*kernel), 64);
  device.capturing = true;
  EXPECT_EQ(best(*kernel), 64); // tuned before
}

TEST_F(AutotuneTest, ThreadsTuneOnce) {
  auto kernel = make();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(best(*kernel), 64); });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(device.launches.size(), 3u);
}

TEST_F(AutotuneTest, ClearTunesAgain) {
  auto kernel = make();
  best(*kernel);
  kernel->clear();
  best(*kernel);
  EXPECT_EQ(device.launches.size(), 6u);
}

} // namespace
