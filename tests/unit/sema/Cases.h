// The cases of cases/*.txt, read; see CasesTest.cpp for their form.
#pragma once

#include "SemaTesting.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace phobos::sema::testing {

inline constexpr const char *kHeader =
    "import phobos.lang as ph\n"
    "@ph.kernel\n"
    "def k(A: ph.tensor[ph.f16][M, N], B: ph.tensor[ph.f16][N, M], X: ph.tensor[ph.f32][N], Z: ph.tensor[ph.i32][N],\n"
    "      F: ph.tensor[ph.f8e4m3][N], S: ph.tensor[ph.f32][4, 8], n: ph.i32, u: ph.u8, s: ph.f32):\n";

struct Case {
  std::string file, name, source, expected;
};
inline void PrintTo(const Case &each, std::ostream *os) { *os << each.file << ": " << each.name; }

inline std::string readAll(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::vector<Case> readCases(const std::filesystem::path &path) {
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

inline std::string withHeader(const std::string &source) {
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

inline std::vector<std::filesystem::path> caseFiles() {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(PHOBOS_SEMA_CASES)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::vector<Case> allCases() {
  std::vector<Case> all;
  for (const auto &file : caseFiles()) {
    for (Case &each : readCases(file)) {
      all.push_back(std::move(each));
    }
  }
  return all;
}

} // namespace phobos::sema::testing
