// Runs every case of cases/*.txt: a kernel, or the body of one, and what sema makes of it, which is its typed tree or
// the rendered errors. A case is
//
//     === name
//     source
//     >>>
//     expected
//
// Source without a decorator is the body of the kernel kHeader. With PHOBOS_UPDATE_CASES set in the environment the
// files are rewritten with what sema says now: read the difference before it is committed.
#include "Cases.h"
#include "gtest/gtest.h"
#include <cstdlib>

namespace phobos::sema::testing {
namespace {

class Cases : public ::testing::TestWithParam<Case> {};

TEST_P(Cases, IsAsExpected) {
  const Case &each = GetParam();
  EXPECT_FALSE(each.expected.empty()) << "no expectation";
  EXPECT_EQ(checked(withHeader(each.source)), each.expected) << each.file << ": " << each.name << "\n" << each.source;
}

std::string testName(const ::testing::TestParamInfo<Case> &info) {
  std::string name = std::filesystem::path(info.param.file).stem().string() + "_" + info.param.name;
  for (char &c : name) {
    c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Cases, ::testing::ValuesIn(allCases()), testName);

void rewriteCases() {
  for (const auto &file : caseFiles()) {
    std::vector<Case> cases = readCases(file);
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    for (const Case &each : cases) {
      out << "=== " << each.name << "\n" << each.source << ">>>\n" << checked(withHeader(each.source));
    }
  }
}

TEST(CaseFiles, AreFoundAndManyAreOfErrors) {
  if (std::getenv("PHOBOS_UPDATE_CASES")) {
    rewriteCases();
  }
  size_t errors = 0;
  for (const Case &each : allCases()) {
    errors += each.expected.find(": error: ") != std::string::npos;
  }
  EXPECT_GE(errors, 150u);
}

} // namespace
} // namespace phobos::sema::testing
