// PTX to a cubin by whichever tool is there: resources read back, refusals that keep the evidence.
#include "phobos/Target/PTXToCubin.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

using namespace phobos::target;

namespace {

// 48 values live at once, so that the register count is not a default; 4,096 bytes of static shared memory.
std::string kernel(llvm::StringRef target, llvm::StringRef version) {
  std::string text = (".version " + version + "\n.target " + target + "\n.address_size 64\n").str();
  text += ".visible .entry k(.param .u64 p)\n{\n.shared .align 4 .b8 s[4096];\n.reg .b64 %rd<3>;\n.reg .b32 %r<64>;\n"
          "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n";
  for (int i = 0; i < 48; ++i) {
    text += "ld.volatile.global.u32 %r" + std::to_string(i) + ", [%rd2+" + std::to_string(4 * i) + "];\n";
  }
  text += "st.volatile.shared.u32 [s], %r0;\n";
  for (int i = 47; i >= 0; --i) {
    text += "st.volatile.global.u32 [%rd2+" + std::to_string(400 + 4 * (47 - i)) + "], %r" + std::to_string(i) + ";\n";
  }
  return text + "ret;\n}\n";
}

class CubinTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override { setenv("PHOBOS_ASSEMBLER", GetParam(), 1); }
  void TearDown() override { unsetenv("PHOBOS_ASSEMBLER"); }

  static bool absent(llvm::StringRef message) { return message.contains("was found"); }
};

} // namespace

TEST_P(CubinTest, ResourcesOnEveryChip) {
  for (const Chip &chip : chips()) {
    std::string version = std::to_string(chip.ptxVersion / 10) + "." + std::to_string(chip.ptxVersion % 10);
    llvm::Expected<Cubin> cubin = assemble(kernel(chip.name, version), {&chip, "k"});
    if (!cubin) {
      std::string text = llvm::toString(cubin.takeError());
      if (absent(text)) {
        GTEST_SKIP() << text;
      }
      FAIL() << chip.name.str() << ": " << text;
    }
    EXPECT_GE(cubin->resources.registers, 48u) << chip.name.str();
    EXPECT_LE(cubin->resources.registers, 80u) << chip.name.str();
    EXPECT_EQ(cubin->resources.staticSharedBytes, 4096u) << chip.name.str();
    EXPECT_EQ(cubin->resources.stackBytes, 0u);
    EXPECT_EQ(cubin->resources.spillStoreBytes, 0u);
    EXPECT_EQ(cubin->log, "");
  }
}

TEST_P(CubinTest, SpillsAreCounted) {
  const Chip &chip = *findChip("sm_80");
  std::string text = kernel("sm_80", "7.4");
  text.replace(text.find("\n{"), 2, "\n.maxnreg 24\n{");
  llvm::Expected<Cubin> cubin = assemble(text, {&chip, "k"});
  if (!cubin) {
    std::string message = llvm::toString(cubin.takeError());
    ASSERT_TRUE(absent(message)) << message;
    GTEST_SKIP() << message;
  }
  EXPECT_LE(cubin->resources.registers, 24u);
  EXPECT_GT(cubin->resources.spillStoreBytes, 0u);
  EXPECT_GT(cubin->resources.spillLoadBytes, 0u);
  EXPECT_GT(cubin->resources.stackBytes, 0u);
}

TEST_P(CubinTest, RefusalKeepsTheEvidence) {
  llvm::Expected<Cubin> cubin =
      assemble(".version 7.4\n.target sm_80\n.address_size 64\n.visible .entry k() { frob.u32 %r1; }\n",
               {findChip("sm_80"), "k"});
  ASSERT_FALSE(bool(cubin));
  std::string text = llvm::toString(cubin.takeError());
  if (absent(text)) {
    GTEST_SKIP() << text;
  }
  EXPECT_NE(text.find("refused the PTX"), std::string::npos) << text;
  EXPECT_NE(text.find("frob"), std::string::npos) << text;
  std::string marker = "are kept in ";
  size_t at = text.find(marker);
  ASSERT_NE(at, std::string::npos) << text;
  std::filesystem::path folder = text.substr(at + marker.size(), text.find('\n', at) - at - marker.size());
  for (const char *name : {"kernel.ptx", "command", "log"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  }
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Tools, CubinTest, testing::Values("nvjitlink", "ptxas"),
                         [](const auto &info) { return std::string(info.param); });

TEST(Resources, DamagedCubinIsAnError) {
  llvm::Expected<phobos::Resources> resources = readResources("not an ELF file", "k", *findChip("sm_80"));
  ASSERT_FALSE(bool(resources));
  EXPECT_NE(llvm::toString(resources.takeError()).find("not an ELF file as expected"), std::string::npos);
}
