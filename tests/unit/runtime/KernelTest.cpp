// The kernel object end to end on fakes: what is compiled when, what is launched with, what threads share.
#include "Fakes.h"

#include <gtest/gtest.h>
#include <thread>

using namespace phobos;
using namespace phobos::fake;
using namespace phobos::runtime;

namespace {

using Kind = EntryParameter::Kind;

class KernelTest : public ::testing::Test {
protected:
  void SetUp() override {
    ::setenv("PHOBOS_CACHE_DIR", folder.path().c_str(), 1);
    compiler().reset();
    compiler().kernels = {matmulInfo()};
    compiler().multiples = {{64}, {32}, {64}};
    compiler().parameters = {{Kind::Pointer, 0, 0, 8}, {Kind::Pointer, 1, 0, 8}, {Kind::Pointer, 2, 0, 8},
                             {Kind::Extent, 0, 0, 4},  {Kind::Extent, 1, 0, 4},  {Kind::Stride, 0, 0, 8}};
    host.grid = [this](const std::vector<int64_t> &dims, const Constants &) -> Result<Grid> {
      ++gridCalls;
      return Grid{dims[0] / 64, 1, 1};
    };
  }

  std::shared_ptr<Kernel> make() {
    auto kernel = Kernel::create("kernel.py", kMatmulText, "matmul", 1, device.source());
    EXPECT_TRUE(kernel) << errorOf(kernel);
    return *kernel;
  }

  static std::vector<Argument> arguments(int64_t m = 128, int64_t k = 32, void *address = (void *)0x1000) {
    return {Array(DType::f16, {m, k}, address), Array(DType::f16, {k, 64}), Array(DType::f16, {m, 64})};
  }

  /// A launch as a caller does it: the warm look-up first.
  Status launch(Kernel &kernel, const std::vector<Argument> &arguments, Grid grid = {2, 1, 1}, uint32_t captures = 0,
                uint32_t overrides = 0) {
    Call call{arguments.data(), captures, overrides};
    auto plan = kernel.find(call);
    warm += plan != nullptr;
    if (!plan) {
      auto made = kernel.plan(call, host);
      if (!made) {
        return made.error();
      }
      plan = *made;
    }
    return kernel.launch(*plan, call, grid, (void *)0x77);
  }

  template <typename T> T parameter(size_t launch, size_t index) {
    T value;
    std::memcpy(&value, device.launches[launch].parameters[index].data(), sizeof value);
    return value;
  }

  TemporaryFolder folder;
  FakeDevice device;
  Host host;
  int gridCalls = 0, warm = 0;
};

TEST_F(KernelTest, PacksParametersByTheContract) {
  auto kernel = make();
  ASSERT_TRUE(launch(*kernel, arguments(128, 32, (void *)0x4000), {2, 3, 1}));
  ASSERT_EQ(device.launches.size(), 1u);
  EXPECT_EQ(parameter<uint64_t>(0, 0), 0x4000u);
  EXPECT_EQ(parameter<int32_t>(0, 3), 128);
  EXPECT_EQ(parameter<int32_t>(0, 4), 32);
  EXPECT_EQ(parameter<int64_t>(0, 5), 32);
  EXPECT_EQ(device.launches[0].grid.y, 3);
  EXPECT_EQ(device.launches[0].stream, (void *)0x77);
  EXPECT_EQ(device.images[0].threads, 128u);
}

TEST_F(KernelTest, AnArrayWithoutElementsGetsAnAddressThatCanBeRead) {
  auto kernel = make();
  std::vector<Argument> given = arguments(128, 0, nullptr);
  given[1] = Array(DType::f16, {0, 64}, nullptr);
  given[2] = Array(DType::f16, {128, 64}, (void *)0x4008);
  ASSERT_TRUE(launch(*kernel, given));
  EXPECT_EQ(parameter<uint64_t>(0, 0), 0x4000u); // C's, aligned for the widest access
  EXPECT_EQ(parameter<uint64_t>(0, 1), 0x4000u);
  EXPECT_EQ(parameter<uint64_t>(0, 2), 0x4008u);
}

TEST_F(KernelTest, TensorMapsAreEncodedForEachAddress) {
  EntryParameter map{Kind::TensorMap, 0, 1, static_cast<unsigned>(kTensorMapBytes), {64, 32}, 64, true};
  compiler().parameters.insert(compiler().parameters.begin() + 1, map); // not where it happens to be aligned
  auto kernel = make();
  ASSERT_TRUE(launch(*kernel, arguments(128, 32, (void *)0x4000)));
  ASSERT_TRUE(launch(*kernel, arguments(128, 32, (void *)0x8000)));
  EXPECT_EQ(compiler().compiled, 1);
  ASSERT_EQ(device.maps.size(), 2u);
  // A is [M, K] in C order: K is the inner axis, rows are 64 bytes apart.
  EXPECT_EQ(device.maps[0].extents, (std::vector<uint64_t>{32, 128}));
  EXPECT_EQ(device.maps[0].strideBytes, (std::vector<uint64_t>{64}));
  EXPECT_EQ(device.maps[0].box, (std::vector<unsigned>{32, 64}));
  EXPECT_EQ(device.maps[0].swizzleBytes, 64u);
  EXPECT_TRUE(device.maps[0].tf32);
  EXPECT_EQ(parameter<uint64_t>(0, 1), 0x4000u);
  EXPECT_EQ(parameter<uint64_t>(1, 1), 0x8000u);
}

TEST_F(KernelTest, WarmLaunchesCompileNothingAndTakeNewAddresses) {
  auto kernel = make();
  ASSERT_TRUE(launch(*kernel, arguments()));
  ASSERT_TRUE(launch(*kernel, arguments(128, 32, (void *)0x8000)));
  EXPECT_EQ(warm, 1);
  EXPECT_EQ(compiler().compiled, 1);
  EXPECT_EQ(parameter<uint64_t>(1, 0), 0x8000u);
}

TEST_F(KernelTest, NewShapesOfTheSameKindCompileNothing) {
  auto kernel = make();
  for (int64_t m : {64, 128, 192, 640}) {
    ASSERT_TRUE(launch(*kernel, arguments(m)));
  }
  EXPECT_EQ(warm, 0);
  EXPECT_EQ(compiler().compiled, 1);
  EXPECT_EQ(device.loads, 1);
  ASSERT_TRUE(launch(*kernel, arguments(128, 40))); // K is no longer whole tiles
  EXPECT_EQ(compiler().compiled, 2);
}

TEST_F(KernelTest, BrokenPromiseIsALaunchError) {
  auto status = launch(*make(), arguments(100));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, Error::Kind::Launch);
  EXPECT_NE(status.error().text.find("expected dim `M` to be a multiple of 64 (`TILE_M`), got 100"), std::string::npos);
  EXPECT_TRUE(device.launches.empty());
}

TEST_F(KernelTest, EmptyGridsAndArraysLaunchNothing) {
  auto kernel = make();
  EXPECT_TRUE(launch(*kernel, arguments(0), {0, 1, 1}));
  EXPECT_TRUE(launch(*kernel, arguments(128), {1, 0, 1}));
  EXPECT_TRUE(device.launches.empty());
  std::vector<Argument> none{Array(DType::f16, {0, 0}, nullptr), Array(DType::f16, {0, 0}, nullptr),
                             Array(DType::f16, {0, 0}, nullptr)};
  EXPECT_TRUE(launch(*kernel, none, {4, 4, 1}));
  EXPECT_TRUE(device.launches.empty());
  // An empty k loop still stores: C has elements.
  EXPECT_TRUE(launch(*kernel, {Array(DType::f16, {128, 0}, nullptr), Array(DType::f16, {0, 64}, nullptr),
                               Array(DType::f16, {128, 64})}));
  EXPECT_EQ(device.launches.size(), 1u);
}

TEST_F(KernelTest, GridLimits) {
  auto kernel = make();
  auto text = [&](Grid grid) { return errorOf(launch(*kernel, arguments(), grid)); };
  EXPECT_TRUE(launch(*kernel, arguments(), {0x7FFFFFFF, 65535, 65535}));
  EXPECT_NE(text({int64_t(1) << 31, 1, 1}).find("expected 0 to 2147483647 blocks along x, got 2147483648"),
            std::string::npos);
  EXPECT_NE(text({1, 65536, 1}).find("grid of kernel `matmul`: expected 0 to 65535 blocks along y, got 65536"),
            std::string::npos);
  EXPECT_NE(text({1, 1, 70000}).find("blocks along z, got 70000"), std::string::npos);
  EXPECT_NE(text({-1, 1, 1}).find("blocks along x, got -1"), std::string::npos);
}

TEST_F(KernelTest, ChangedCapturesCompileAgainAndComeBack) {
  auto kernel = make();
  uint32_t one = kernel->captureSet({{"BLOCK", ConstantValue::ofInt(1)}});
  uint32_t two = kernel->captureSet({{"BLOCK", ConstantValue::ofInt(2)}});
  EXPECT_NE(one, two);
  EXPECT_EQ(kernel->captureSet({{"BLOCK", ConstantValue::ofInt(1)}}), one);
  for (uint32_t captures : {one, two, one, two}) {
    ASSERT_TRUE(launch(*kernel, arguments(), {1, 1, 1}, captures));
  }
  EXPECT_EQ(compiler().compiled, 2);
  EXPECT_NE(device.images[0].binary, device.images[1].binary);
}

TEST_F(KernelTest, OverridesFixTunedConstants) {
  auto kernel = make();
  auto set = kernel->overrideSet({{"TILE_M", ConstantValue::ofInt(32)}});
  ASSERT_TRUE(set);
  ASSERT_TRUE(launch(*kernel, arguments(96), {1, 1, 1}, 0, *set));
  EXPECT_EQ(device.images[0].binary, "cubin sm_80 TILE_M=32");
  EXPECT_NE(errorOf(kernel->overrideSet({{"TILE", ConstantValue::ofInt(1)}})).find("has no tuned constant `TILE`"),
            std::string::npos);
}

TEST_F(KernelTest, ASecondProcessCompilesNothing) {
  ASSERT_TRUE(launch(*make(), arguments()));
  EXPECT_EQ(compiler().compiled, 1);
  auto again = make();
  ASSERT_TRUE(launch(*again, arguments()));
  EXPECT_EQ(compiler().compiled, 1);
  EXPECT_TRUE(again->variants()[0].fromDisk);
  EXPECT_EQ(parameter<int32_t>(1, 3), 128); // the contract came back whole
  compiler().build = "build-2";
  ASSERT_TRUE(launch(*make(), arguments()));
  EXPECT_EQ(compiler().compiled, 2);
}

// CASES 48: one folder, two chips.
TEST_F(KernelTest, ChipsHaveEntriesOfTheirOwn) {
  ASSERT_TRUE(launch(*make(), arguments()));
  FakeDevice newer(0, "sm_90a");
  auto kernel = Kernel::create("kernel.py", kMatmulText, "matmul", 1, newer.source());
  ASSERT_TRUE(launch(**kernel, arguments()));
  EXPECT_EQ(newer.images[0].binary, "cubin sm_90a TILE_M=64");
  ASSERT_TRUE(launch(*make(), arguments()));
  EXPECT_EQ(device.images[1].binary, "cubin sm_80 TILE_M=64");
}

TEST_F(KernelTest, AForcedChipIsAssembledByTheDriver) {
  auto kernel = make();
  ASSERT_TRUE(launch(*kernel, arguments()));
  ASSERT_TRUE(setChipOverride("sm_86"));
  ASSERT_TRUE(launch(*kernel, arguments()));
  EXPECT_EQ(device.images[1].binary, "");
  EXPECT_EQ(device.images[1].text, "ptx sm_86 TILE_M=64");
  ASSERT_TRUE(setChipOverride(""));
  ASSERT_TRUE(launch(*kernel, arguments()));
  EXPECT_EQ(device.images.size(), 2u);
  EXPECT_NE(errorOf(setChipOverride("sm_9")).find("unknown chip 'sm_9'; expected one of sm_80"), std::string::npos);
}

TEST_F(KernelTest, WithoutAnAssemblerTheDriverTakesPtx) {
  compiler().noAssembler = true;
  ASSERT_TRUE(launch(*make(), arguments()));
  EXPECT_EQ(device.images[0].binary, "");
  EXPECT_EQ(device.images[0].text, "ptx sm_80 TILE_M=64");
}

TEST_F(KernelTest, CompileErrorsAreNotLaunchErrors) {
  compiler().refuse = [](const Constants &) { return "kernel.py:4:5: error: no\n"; };
  auto status = launch(*make(), arguments());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, Error::Kind::Compile);
  EXPECT_EQ(status.error().text, "kernel.py:4:5: error: no\n");
  auto broken = Kernel::create("kernel.py", "syntax error", "matmul", 1, device.source());
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().kind, Error::Kind::Compile);
  auto missing = Kernel::create("kernel.py", kMatmulText, "matmul", 4, device.source());
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text.find("no kernel `matmul` in the source at this line"), std::string::npos);
}

TEST_F(KernelTest, ClearForgetsAndOldPlansStayUsable) {
  auto kernel = make();
  auto args = arguments();
  Call call{args.data()};
  ASSERT_TRUE(launch(*kernel, args));
  auto plan = kernel->find(call);
  ASSERT_TRUE(plan);
  kernel->clear();
  EXPECT_FALSE(kernel->find(call));
  EXPECT_TRUE(kernel->variants().empty());
  EXPECT_TRUE(kernel->launch(*plan, call, {1, 1, 1}, nullptr));
  ASSERT_TRUE(launch(*kernel, args));
  EXPECT_EQ(device.loads, 2);
}

// CASES 49: many threads whose first launch is the same one.
TEST_F(KernelTest, ThreadsCompileOnce) {
  compiler().compileMilliseconds = 30;
  auto kernel = make();
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      auto args = arguments();
      Call call{args.data()};
      for (int round = 0; round < 100; ++round) {
        auto plan = kernel->find(call);
        if (!plan) {
          auto made = kernel->plan(call, host);
          failed += !made;
          plan = made ? *made : nullptr;
        }
        failed += !plan || !kernel->launch(*plan, call, {1, 1, 1}, nullptr);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(compiler().compiled, 1);
  EXPECT_EQ(device.loads, 1);
  EXPECT_EQ(device.launches.size(), 1600u);
}

TEST_F(KernelTest, CompileWithoutADevice) {
  auto none = Kernel::create("kernel.py", kMatmulText, "matmul", 1,
                             [](int) -> Result<Device *> { return Error::launch("error: no GPU to launch on\n"); });
  ASSERT_TRUE(none);
  auto compile = [&](const Argument *arguments, const char *chip) -> Result<Artifact> {
    auto request = (*none)->request({arguments}, {}, chip);
    return request ? (*none)->compile(*request, {}) : Result<Artifact>(request.error());
  };
  auto generic = compile(nullptr, "sm_90a");
  ASSERT_TRUE(generic) << errorOf(generic);
  EXPECT_EQ(generic->cubin, "cubin sm_90a TILE_M=64");
  auto args = arguments();
  args[0].tensor.deviceType = DeviceType::Cpu; // only its shape is wanted
  EXPECT_TRUE(compile(args.data(), "sm_80"));
  auto ragged = arguments(100);
  EXPECT_NE(errorOf(compile(ragged.data(), "sm_80")).find("multiple of 64"), std::string::npos);
  auto unknown = compile(nullptr, "sm_999");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, Error::Kind::Compile);
  auto launched = launch(**none, arguments());
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().text, "error: no GPU to launch on\n");
}

} // namespace
