// Kernels with a token or a line lost, doubled or replaced: whatever is left of them is either checked into a tree that
// keeps its promises (Sema/Verify.h) or refused with an error of the programmer's, in every case without a crash.
#include "Cases.h"
#include "gtest/gtest.h"
#include <random>

namespace phobos::sema::testing {
namespace {

constexpr unsigned kMutationsPerCase = 60;

std::vector<std::string> pieces(const std::string &text) {
  std::vector<std::string> result;
  auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    while (end < text.size() && isWord(text[i]) && isWord(text[end])) {
      ++end;
    }
    result.push_back(text.substr(i, end - i));
    i = end;
  }
  return result;
}

std::string mutated(const std::string &source, std::mt19937 &random) {
  static const char *const kTokens[] = {
      "0",     "1.5",        "-1",      "n",        "X",    "ph.f16", "None",   "(1, 2)", "X[0:+4]",
      "if ",   "else",       "for ",    "break",    "[",    "]",      ":",      "+",      "*",
      ",",     "and ",       "not ",    "=",        "x",    "ph",     "ph.dot", "N",      "A[0:+4, 0:+4]",
      "\"s\"", "ph.iota(4)", "return ", "continue", "True", "n > 0",  "ph.sum"};
  std::vector<std::string> tokens = pieces(source);
  for (unsigned edits = 1 + random() % 2; edits > 0 && !tokens.empty(); --edits) {
    size_t at = random() % tokens.size(), other = random() % tokens.size();
    switch (random() % 5) {
    case 0:
      tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), tokens[other]);
      break;
    case 2:
      std::swap(tokens[at], tokens[other]);
      break;
    default:
      tokens[at] = kTokens[random() % std::size(kTokens)];
      break;
    }
  }
  std::string text;
  for (const std::string &token : tokens) {
    text += token;
  }
  return text;
}

TEST(Mutations, AreRefusedOrSound) {
  std::mt19937 random(20240611);
  size_t accepted = 0, total = 0;
  for (const Case &each : allCases()) {
    for (unsigned i = 0; i < kMutationsPerCase; ++i) {
      std::string source = withHeader(mutated(each.source, random));
      std::string result = checked(source);
      accepted += result.rfind("kernel ", 0) == 0;
      ++total;
      ASSERT_EQ(result.find("internal error"), std::string::npos) << source << result;
      ASSERT_EQ(result.find("null without an error"), std::string::npos) << source;
    }
  }
  EXPECT_GT(accepted, total / 40); // else this would test the parser only
}

} // namespace
} // namespace phobos::sema::testing
