// The compiler as its users see it: libphobos' public functions and nothing else.
#include "phobos/Driver/Compiler.h"

#include <gtest/gtest.h>
#include <thread>

using namespace phobos;

namespace {

const char *const kSource = R"(from __future__ import annotations
import phobos.lang as ph

BLOCK = 256


@ph.kernel
@ph.autotune(TILE=[64, 128, 512], threads=[128, 64], when="TILE >= threads")
def scale(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], alpha: ph.f32):
    start: ph.let = ph.ctx.block.x * TILE
    y[start:+TILE] = x[start:+TILE] * alpha


@ph.kernel
def copy(x: ph.tensor[ph.f16][M, N], y: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x
    y[row, 0:+BLOCK] = x[row, 0:+BLOCK]


def make():
    @ph.kernel
    def copy(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
        y[0:+BLOCK] = x[0:+BLOCK]

    return copy
)";

Constants tile(int64_t tile, int64_t threads) {
  return {{"TILE", ConstantValue::ofInt(tile)}, {"threads", ConstantValue::ofInt(threads)}};
}

std::shared_ptr<const SourceUnit> parse(const char *text = kSource) {
  auto unit = parseSource("kernels.py", text);
  EXPECT_TRUE(bool(unit)) << unit.failure().text;
  return unit ? *unit : nullptr;
}

std::shared_ptr<const PreparedKernel> prepare(const std::shared_ptr<const SourceUnit> &unit, const std::string &name,
                                              const Constants &constants, int line = 0) {
  auto kernel = prepareKernel(unit, name, line, constants, {});
  EXPECT_TRUE(bool(kernel)) << kernel.failure().text;
  return kernel ? *kernel : nullptr;
}

Expected<Artifact> compile(const PreparedKernel &kernel, const std::string &chip,
                           const std::string &stopAfter = "ptx") {
  CompileOptions options;
  options.chip = chip;
  options.stopAfter = stopAfter;
  return compileKernel(kernel, genericSpecialisation(kernel), options);
}

} // namespace

TEST(Compile, SourceTellsItsKernels) {
  auto unit = parse();
  ASSERT_EQ(unit->kernels().size(), 3u);
  EXPECT_EQ(unit->kernels()[0].name, "scale");
  EXPECT_EQ(unit->kernels()[0].space.size(), 2u);
  EXPECT_EQ(unit->kernels()[0].when, "TILE >= threads");
  EXPECT_EQ(unit->path(), "kernels.py");
}

TEST(Compile, KernelIsFoundByNameAndLine) {
  auto unit = parse();
  int first = unit->kernels()[1].line, second = unit->kernels()[2].line;
  EXPECT_EQ(prepare(unit, "copy", {}, first)->info().parameters[0].dims.size(), 2u);
  EXPECT_EQ(prepare(unit, "copy", {}, second)->info().parameters[0].dims.size(), 1u);
  auto none = prepareKernel(unit, "scal", 0, {}, {});
  ASSERT_FALSE(bool(none));
  EXPECT_EQ(none.failure().kind, Failure::Kind::User);
  EXPECT_NE(none.failure().text.find("did you mean 'scale'?"), std::string::npos) << none.failure().text;
}

TEST(Compile, WhenIsEvaluated) {
  auto unit = parse();
  EXPECT_TRUE(*satisfiesWhen(*unit, "scale", 0, tile(128, 128)));
  EXPECT_FALSE(*satisfiesWhen(*unit, "scale", 0, tile(64, 128)));
  EXPECT_TRUE(*satisfiesWhen(*unit, "copy", 0, {}));
}

TEST(Compile, ArtifactHasWhatALaunchNeeds) {
  auto unit = parse();
  auto kernel = prepare(unit, "scale", tile(512, 64));
  EXPECT_EQ(kernel->threads(), 64u);
  auto artifact = compile(*kernel, "sm_80");
  ASSERT_TRUE(bool(artifact)) << artifact.failure().text;
  const KernelContract &contract = artifact->contract;
  EXPECT_EQ(contract.threads, 64u);
  EXPECT_EQ(contract.chip, "sm_80");
  EXPECT_EQ(contract.constants, tile(512, 64));
  ASSERT_EQ(contract.parameters.size(), 4u); // two addresses, one extent, alpha
  EXPECT_EQ(contract.parameters[2].kind, EntryParameter::Kind::Extent);
  EXPECT_EQ(contract.parameters[2].bytes, 4u);
  EXPECT_EQ(contract.parameters[3].kind, EntryParameter::Kind::Scalar);
  EXPECT_EQ(contract.parameters[3].index, 2u);
  EXPECT_NE(artifact->ptx.find(".entry " + contract.entry + "("), std::string::npos);
  EXPECT_TRUE(artifact->cubin.empty()); // stopped before
}

TEST(Compile, WideOffsetsMakeWideExtents) {
  auto kernel = prepare(parse(), "scale", tile(128, 64));
  Specialisation facts = genericSpecialisation(*kernel);
  facts.index64 = true;
  CompileOptions options;
  options.stopAfter = "ptx";
  auto artifact = compileKernel(*kernel, facts, options);
  ASSERT_TRUE(bool(artifact)) << artifact.failure().text;
  EXPECT_EQ(artifact->contract.parameters[2].bytes, 8u);
}

TEST(Compile, SameInputSameOutputOnManyThreads) {
  auto unit = parse();
  const std::vector<std::string> chips = {"sm_80", "sm_90a", "sm_75", "sm_80"};
  std::vector<std::string> expected;
  for (const std::string &chip : chips) {
    expected.push_back(compile(*prepare(unit, "scale", tile(128, 64)), chip)->ptx);
  }
  EXPECT_NE(expected[0], expected[1]);
  EXPECT_EQ(expected[0], expected[3]);
  std::vector<std::string> wrong(chips.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < chips.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        auto kernel = prepareKernel(unit, "scale", 0, tile(128, 64), {});
        auto artifact = kernel ? compile(**kernel, chips[i]) : Expected<Artifact>(kernel.failure());
        if (!artifact || artifact->ptx != expected[i]) {
          wrong[i] = artifact ? artifact->ptx : artifact.failure().text;
        }
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (const std::string &text : wrong) {
    EXPECT_EQ(text, "");
  }
}

TEST(Compile, WrongOptionsAreTheUsers) {
  auto kernel = prepare(parse(), "copy", {});
  CompileOptions options;
  options.chip = "sm_9";
  auto artifact = compileKernel(*kernel, genericSpecialisation(*kernel), options);
  ASSERT_FALSE(bool(artifact));
  EXPECT_EQ(artifact.failure().kind, Failure::Kind::User);
  EXPECT_EQ(artifact.failure().text.find("error: unknown chip 'sm_9'"), 0u) << artifact.failure().text;
  options.chip = "sm_80";
  options.printAfter = {"tile-frob"};
  artifact = compileKernel(*kernel, genericSpecialisation(*kernel), options);
  ASSERT_FALSE(bool(artifact));
  EXPECT_NE(artifact.failure().text.find("unknown pass 'tile-frob'"), std::string::npos) << artifact.failure().text;
}

TEST(Compile, KeepsTheTextsAskedFor) {
  auto kernel = prepare(parse(), "copy", {});
  CompileOptions options;
  options.stopAfter = "tile";
  options.keep = {"ast", "tile", "nvvm"}; // the last one asked for counts
  options.timing = true;
  auto artifact = compileKernel(*kernel, genericSpecialisation(*kernel), options);
  ASSERT_TRUE(bool(artifact)) << artifact.failure().text;
  EXPECT_EQ(artifact->phases.size(), 3u);
  EXPECT_NE(artifact->phases["tile"].find("tile.kernel @copy"), std::string::npos);
  EXPECT_NE(artifact->phases["nvvm"].find("llvm.func @copy"), std::string::npos);
  EXPECT_TRUE(artifact->ptx.empty());
  EXPECT_FALSE(artifact->timings.empty());
}

TEST(Compile, ErrorsOfAllKernelsComeTogether) {
  auto unit =
      parseSource("k.py", "import phobos.lang as ph\n\n\n@ph.kernel\ndef f(x: ph.tensor[ph.f33][N]):\n    pass\n\n\n"
                          "@ph.kernel\n@ph.lunch(64)\ndef g(x: ph.tensor[ph.f32][N]):\n    pass\n");
  ASSERT_FALSE(bool(unit));
  EXPECT_EQ(unit.failure().kind, Failure::Kind::User);
  EXPECT_NE(unit.failure().text.find("k.py:5:"), std::string::npos) << unit.failure().text;
  EXPECT_NE(unit.failure().text.find("k.py:10:"), std::string::npos) << unit.failure().text;
}
