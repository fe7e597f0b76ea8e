// What the lexer says of text that is no Python, and that it goes on. What it makes of Python is tested against
// CPython's own tokenizer, in tests/python/test_syntax_oracle.py.
#include "phobos/Syntax/Lexer.h"
#include <gtest/gtest.h>
#include <random>

using namespace phobos;
using namespace phobos::syntax;

namespace {

struct Lexed {
  explicit Lexed(std::string text) : file("k.py", std::move(text)), tokens(tokenize(file, diagnostics)) {}

  std::string errors() const { return diagnostics.render(); }
  /// Kinds in order, for those without a spelling their description.
  std::string kinds() const {
    std::string out;
    for (const Token &token : tokens) {
      out += (out.empty() ? "" : " ") + tokenKindName(token.kind).str();
    }
    return out;
  }

  SourceFile file;
  DiagnosticEngine diagnostics;
  std::vector<Token> tokens;
};

TEST(Lexer, UnclosedBracketIsReportedWhereItOpens) {
  EXPECT_EQ(Lexed("x = f(a,\n  b\n").errors(), "k.py:1:6: error: `(` was never closed\n"
                                               "    x = f(a,\n"
                                               "         ^\n");
}

TEST(Lexer, UnclosedBracketEndsAtTheNextStatement) {
  Lexed lexed("x = (a\ndef f():\n  pass\ny = [1]\n");
  EXPECT_EQ(lexed.errors(), "k.py:1:5: error: `(` was never closed\n    x = (a\n        ^\n");
  EXPECT_EQ(lexed.kinds(),
            "name = ( name malformed token end of line def name ( ) : end of line indentation pass end of line "
            "end of block name = [ number ] end of line end of file");
}

TEST(Lexer, KeywordsThatMayStandInBracketsDoNotEndThem) {
  EXPECT_EQ(Lexed("x = [a\n for a in b\n if a\n else c]\nf(\npass_fds=1,\n import_=2)\n").errors(), "");
}

TEST(Lexer, ClosingBracketsMustMatch) {
  EXPECT_EQ(Lexed("x = (a]\n").errors(), "k.py:1:7: error: closing `]` does not match opening `(`\n"
                                         "    x = (a]\n"
                                         "          ^\n"
                                         "k.py:1:5: note: opened here\n"
                                         "    x = (a]\n"
                                         "        ^\n");
  EXPECT_EQ(Lexed("x = a)\n").errors(), "k.py:1:6: error: unmatched `)`\n    x = a)\n         ^\n");
}

TEST(Lexer, Indentation) {
  EXPECT_EQ(Lexed("if x:\n    y\n  z\n").errors(),
            "k.py:3:1: error: unindent does not match any outer indentation level\n"
            "      z\n"
            "    ^~\n");
  EXPECT_EQ(Lexed("if x:\n\ty\n        z\n").errors(),
            "k.py:3:1: error: tabs and spaces are mixed so that the indentation depends on the width of a tab\n"
            "            z\n"
            "    ^~~~~~~~\n"
            "hint: indent with spaces only\n");
  EXPECT_EQ(Lexed("if x:\n        y\n\tz\n").diagnostics.errorCount(), 1u);
  EXPECT_EQ(Lexed("if x:\n        if y:\n\t        z\n").errors(), "");
}

TEST(Lexer, EveryIndentHasItsDedent) {
  EXPECT_EQ(Lexed("if x:\n  if y:\n      z").kinds(),
            "if name : end of line indentation if name : end of line indentation name "
            "end of line end of block end of block end of file");
}

TEST(Lexer, Strings) {
  EXPECT_EQ(Lexed("x = 'abc\ny\n").errors(), "k.py:1:5: error: unterminated string\n"
                                             "    x = 'abc\n"
                                             "        ^\n"
                                             "hint: close it with '\n");
  EXPECT_EQ(Lexed("x = rb\"\"\"abc\n").errors(), "k.py:1:5: error: unterminated triple-quoted string\n"
                                                 "    x = rb\"\"\"abc\n"
                                                 "        ^~~~~\n"
                                                 "hint: close it with \"\"\"\n");
  EXPECT_EQ(Lexed("x = 'abc\ny\n").kinds(), "name = malformed token end of line name end of line end of file");
}

TEST(Lexer, FStringsOfPython312) {
  // The enclosing quote inside a field, line breaks and comments inside a field, and fields in the format.
  EXPECT_EQ(Lexed("f\"{a[\"b\"]} {f\"{c}\"}\" x\n").kinds(), "string name end of line end of file");
  EXPECT_EQ(Lexed("f'{\n  a # }\n}' x\n").kinds(), "string name end of line end of file");
  EXPECT_EQ(Lexed("f'{a:{b}>{'c'}}' x\n").kinds(), "string name end of line end of file");
  EXPECT_EQ(Lexed("f'{{' x\n").kinds(), "string name end of line end of file");
  EXPECT_EQ(Lexed("f'\\N{BULLET}\\{a}' x\n").kinds(), "string name end of line end of file");
  // No f-string of 3.12, yet a token of 3.11: its end is the next quote, here and in what follows.
  EXPECT_EQ(Lexed("f'{' x f'{a['c']}'\n").kinds(), "string name string name string end of line end of file");
}

TEST(Lexer, Numbers) {
  auto errors = [](llvm::StringRef number) { return Lexed((number + "\n").str()).errors(); };
  EXPECT_EQ(errors("0777"),
            "k.py:1:1: error: leading zeros in an integer literal are not permitted; an octal number is written 0o17\n"
            "    0777\n"
            "    ^~~~\n");
  EXPECT_EQ(errors("12ab"), "k.py:1:1: error: invalid decimal literal\n    12ab\n    ^~~~\n");
  EXPECT_EQ(errors("0xG"), "k.py:1:1: error: invalid hexadecimal literal\n    0xG\n    ^~~\n");
  EXPECT_EQ(errors("0b12"), "k.py:1:1: error: invalid binary literal\n    0b12\n    ^~~~\n");
  EXPECT_EQ(errors("0o8"), "k.py:1:1: error: invalid octal literal\n    0o8\n    ^~~\n");
  for (llvm::StringRef bad : {"1_", "1__0", "0x_", "0x", "1e", "1e+", "1.e_1", "1_j2", "08", "1é"}) {
    // `1e+` is `1e` and `+`; every one has exactly one error.
    EXPECT_EQ(Lexed((bad + "\n").str()).diagnostics.errorCount(), 1u) << bad.str();
  }
  for (llvm::StringRef good :
       {"1or 2", "0x1for x in y", "1if x else 2", "1.is 2", "00", "0_0", "08.5", "09j", "1_0e1_0"}) {
    EXPECT_EQ(errors(good), "") << good.str();
  }
}

TEST(Lexer, StrayCharacters) {
  EXPECT_EQ(Lexed("x = $y\n").errors(), "k.py:1:5: error: invalid character `$` (U+0024)\n    x = $y\n        ^\n");
  EXPECT_EQ(Lexed("x = ‘y’\n").diagnostics.errorCount(), 2u);
  EXPECT_EQ(Lexed("x = !y\n").errors(),
            "k.py:1:5: error: unexpected `!`\n    x = !y\n        ^\nhint: `not` negates; `!=` compares\n");
  EXPECT_EQ(Lexed(std::string("x\0y\n", 4)).errors(),
            "k.py:1:2: error: invalid control character U+0000\n    x\uFFFDy\n     ^\n");
  EXPECT_EQ(Lexed("x = 1 \\ \n").errors(),
            "k.py:1:7: error: unexpected character after a line continuation: nothing may follow "
            "the backslash\n    x = 1 \\ \n          ^\n");
  EXPECT_EQ(Lexed("x = 1 \\").errors(),
            "k.py:1:7: error: unexpected end of file after a line continuation\n    x = 1 \\\n          ^\n");
}

TEST(Lexer, BytesThatAreNotUtf8AreReportedOnce) {
  EXPECT_EQ(Lexed("# \xE9t\xE9\nx = \xFF\n").errors(), "k.py:1:3: error: invalid UTF-8 byte 0xE9\n"
                                                       "    # \uFFFDt\uFFFD\n"
                                                       "      ^\n"
                                                       "hint: save the file as UTF-8\n");
}

/// Tokens in order, not overlapping, inside the file; indents and dedents balanced; one EndMarker, last.
void checkInvariants(const Lexed &lexed) {
  int depth = 0;
  uint32_t position = 0;
  for (const Token &token : lexed.tokens) {
    if (!token.is(TokenKind::Error)) { // one marks an unclosed bracket, where it opened
      ASSERT_GE(token.begin, position);
      position = token.end;
    }
    ASSERT_LE(token.begin, token.end);
    ASSERT_LE(token.end, lexed.file.size());
    depth += token.is(TokenKind::Indent);
    depth -= token.is(TokenKind::Dedent);
    ASSERT_GE(depth, 0);
    ASSERT_EQ(token.is(TokenKind::EndMarker), &token == &lexed.tokens.back());
  }
  ASSERT_EQ(depth, 0);
}

TEST(Lexer, AnyBytesGiveTokens) {
  std::mt19937 random(1);
  static constexpr llvm::StringLiteral kPieces[] = {
      "(", ")",  "[",    "]",  "{", "}",  "'",  "\"",  "\"\"\"", "'''", "f'", "{{",   ":", "\n",  "\r",     "\r\n",
      " ", "\t", "\x0c", "\\", "#", "0x", "1_", "def", "pass",   "x",   "é",  "\\N{", "@", "...", "lambda", "e1"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (unsigned i = random() % 60; i > 0; --i) {
      if (random() % 6 == 0) {
        text.push_back(static_cast<char>(random() % 256));
      } else {
        text += kPieces[random() % std::size(kPieces)];
      }
    }
    Lexed lexed(text);
    checkInvariants(lexed);
    if (HasFatalFailure()) {
      FAIL() << text;
    }
  }
}

TEST(Lexer, DeepAndLongInputsAreFast) {
  checkInvariants(Lexed(std::string(200000, '(')));
  std::string fields;
  for (int i = 0; i < 100000; ++i) {
    fields += "f'{' ";
  }
  checkInvariants(Lexed(fields));
  std::string nested;
  for (int i = 0; i < 20000; ++i) {
    nested += "f'{x:{";
  }
  checkInvariants(Lexed(nested));
}

} // namespace
