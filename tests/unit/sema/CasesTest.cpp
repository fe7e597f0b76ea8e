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
#include "SemaTesting.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace phobos::sema::testing {
namespace {

constexpr const char *kHeader =
    "import phobos.lang as ph\n"
    "@ph.kernel\n"
    "def k(A: ph.tensor[ph.f16][M, N], B: ph.tensor[ph.f16][N, M], X: ph.tensor[ph.f32][N], Z: ph.tensor[ph.i32][N],\n"
    "      F: ph.tensor[ph.f8e4m3][N], S: ph.tensor[ph.f32][4, 8], n: ph.i32, u: ph.u8, s: ph.f32):\n";

struct Case {
  std::string file, name, source, expected;
};

std::string readAll(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<Case> readCases(const std::filesystem::path &path) {
  std::vector<Case> cases;
  std::istringstream in(readAll(path));
  std::string line;
  bool inSource = false;
  while (std::getline(in, line)) {
    if (line.rfind("=== ", 0) == 0) {
      cases.push_back({path.filename().string(), line.substr(4), "", ""});
      inSource = true;
    } else if (line == ">>>" && inSource) {
      inSource = false;
    } else if (!cases.empty()) {
      (inSource ? cases.back().source : cases.back().expected) += line + "\n";
    }
  }
  return cases;
}

std::string withHeader(const std::string &source) {
  if (source.find("@ph.kernel") != std::string::npos) {
    return "import phobos.lang as ph\n" + source;
  }
  std::string text = kHeader;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    text += "    " + line + "\n";
  }
  return text;
}

std::vector<std::filesystem::path> caseFiles() {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(PHOBOS_SEMA_CASES)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Case> allCases() {
  std::vector<Case> all;
  for (const auto &file : caseFiles()) {
    for (Case &each : readCases(file)) {
      all.push_back(std::move(each));
    }
  }
  return all;
}

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
