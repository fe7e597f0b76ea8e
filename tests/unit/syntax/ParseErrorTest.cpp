// The text of every error of the parser, its caret and its hint, and that one mistake is one error.
#include "ParseTesting.h"
#include <gtest/gtest.h>

using namespace phobos;
using namespace phobos::syntax;
using namespace phobos::syntax::testing;

namespace {

/// Diagnostics of one statement, without the echo of its line: "column: message | carets | hint".
std::string brief(llvm::StringRef statement) {
  std::string rendered = errorsInKernel(statement);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(rendered).split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].consume_front("k.py:")) {
      auto [place, message] = lines[i].split(": error: ");
      out += (out.empty() ? "" : "\n") + (place + ": " + message).str();
      i += 2; // the source line and the caret
      out += " | " + lines[i].trim().str();
    } else if (lines[i].consume_front("hint: ")) {
      out += (" | " + lines[i]).str();
    } else {
      ADD_FAILURE() << lines[i].str();
    }
  }
  return out;
}

constexpr llvm::StringLiteral kNot = " is not part of the kernel language";

TEST(ParseError, ExpressionsOutsideTheSubset) {
  auto outside = [&](llvm::StringRef place, llvm::StringRef what, llvm::StringRef rest) {
    return (place + ": " + what + kNot + " | " + rest).str();
  };
  EXPECT_EQ(brief("f = lambda a: a"), outside("3:9", "a lambda", "^~~~~~ | write a function with `@ph.fn`"));
  EXPECT_EQ(brief("x = [a for a in b]"),
            outside("3:12", "a list comprehension", "^~~ | write the elements out, or fill a tile in a loop"));
  EXPECT_EQ(brief("x = ph.sum(a for a in b)"),
            outside("3:18", "a generator expression", "^~~ | write the elements out, or fill a tile in a loop"));
  EXPECT_EQ(brief("x = (a for a in b)"),
            outside("3:12", "a generator expression", "^~~ | write the elements out, or fill a tile in a loop"));
  EXPECT_EQ(brief("x = {1: 2}"), outside("3:9", "a dict", "^"));
  EXPECT_EQ(brief("x = {}"), outside("3:9", "a dict", "^"));
  EXPECT_EQ(brief("x = {1, 2}"), outside("3:9", "a set or dict", "^"));
  EXPECT_EQ(brief("x = (y := 1)"),
            outside("3:12", "an assignment inside an expression (`:=`)", "^~ | assign on a line of its own"));
  EXPECT_EQ(brief("f(*a)"), outside("3:7", "unpacking with `*`", "^ | write the elements out"));
  EXPECT_EQ(brief("f(**a)"), outside("3:7", "unpacking with `**`", "^~ | write the elements out"));
  EXPECT_EQ(brief("*a, b = c"), outside("3:5", "unpacking with `*`", "^ | write the elements out"));
  EXPECT_EQ(brief("a, *b = c"), outside("3:8", "unpacking with `*`", "^ | write the elements out"));
  EXPECT_EQ(brief("for *a, b in c: pass"), outside("3:9", "unpacking with `*`", "^ | write the elements out"));
  EXPECT_EQ(brief("x = await y"), outside("3:9", "`await`", "^~~~~"));
  EXPECT_EQ(brief("yield x"), outside("3:5", "`yield`", "^~~~~ | a device function gives its values with `return`"));
  EXPECT_EQ(brief("x = 2j"), outside("3:9", "a complex number", "^~"));
  EXPECT_EQ(brief("x = b'a'"), outside("3:9", "a bytes literal", "^~~~ | use a string without the `b` prefix"));
  EXPECT_EQ(brief("x = 'a' f'{b}'"),
            outside("3:13", "an f-string", "^~~~~~ | `ph.print` and `ph.assert_` take values as further arguments"));
  EXPECT_EQ(brief("x = '\\N{BULLET}'"), outside("3:10", "a character by name (`\\N{...}`)",
                                                "^~ | write the character itself, or `\\u` and its number"));
}

TEST(ParseError, StatementsOutsideTheSubset) {
  auto outside = [&](llvm::StringRef what, llvm::StringRef rest) {
    return ("3:5: " + what + kNot + " | " + rest).str();
  };
  EXPECT_EQ(brief("assert x"), outside("`assert`", "^~~~~~ | use `ph.assert_(condition, \"message\")`"));
  EXPECT_EQ(brief("import numpy"), outside("`import`", "^~~~~~ | import at the top of the file"));
  EXPECT_EQ(brief("from a import b"), outside("`from`", "^~~~ | import at the top of the file"));
  EXPECT_EQ(brief("global x"),
            outside("`global`", "^~~~~~ | outer names are constants here; store results through a tensor parameter"));
  EXPECT_EQ(
      brief("nonlocal x"),
      outside("`nonlocal`", "^~~~~~~~ | outer names are constants here; store results through a tensor parameter"));
  EXPECT_EQ(brief("raise x"), outside("`raise`", "^~~~~ | a kernel cannot raise; `ph.assert_` checks"));
  EXPECT_EQ(brief("try:\n    x\nexcept E:\n    y\nexcept:\n    z\nelse:\n    x\nfinally:\n    y"),
            outside("`try`", "^~~ | a kernel cannot raise; `ph.assert_` checks"));
  EXPECT_EQ(brief("with a as b:\n    c\n    d"), outside("`with`", "^~~~"));
  EXPECT_EQ(brief("del x"), outside("`del`", "^~~"));
  EXPECT_EQ(brief("async for x in y: z"), outside("`async`", "^~~~~"));
  EXPECT_EQ(brief("class C:\n    x = 1"), outside("a class", "^~~~~"));
  EXPECT_EQ(brief("def f(a):\n    return {a: 1}"),
            outside("a function inside a kernel", "^~~ | define it outside, with `@ph.fn`"));
  EXPECT_EQ(brief("match x:\n    case 1:\n        y"), outside("`match`", "^~~~~ | use `if` and `elif`"));
  EXPECT_EQ(brief("print x"), "3:5: `print` is a function | ^~~~~ | write `ph.print(...)`");
  std::string loopElse =
      std::string("`else` on a loop") + kNot.str() + " | ^~~~ | set a flag before `break` and test it after the loop";
  EXPECT_EQ(brief("while x:\n    y\nelse:\n    z"), "5:5: " + loopElse);
  EXPECT_EQ(brief("for i in x:\n    y\nelse:\n    z"), "5:5: " + loopElse);
}

TEST(ParseError, MissingPieces) {
  EXPECT_EQ(brief("x = "), "3:8: expected an expression, got the end of line | ^");
  EXPECT_EQ(brief("x = +"), "3:10: expected an expression, got the end of line | ^");
  EXPECT_EQ(brief("x = a b"), "3:11: expected the end of the statement, got `b` | ^");
  EXPECT_EQ(brief("x = a 'b'"), "3:11: expected the end of the statement, got a string | ^~~");
  EXPECT_EQ(brief("x = (a b)"), "3:12: expected `)` to close the parenthesis, got `b` | ^");
  EXPECT_EQ(brief("x = (a, b c)"), "3:15: expected `)` to close the tuple, got `c` | ^");
  EXPECT_EQ(brief("x = [a b]"), "3:12: expected `]` to close the list, got `b` | ^");
  EXPECT_EQ(brief("x = f(a b)"), "3:13: expected `)` to close the call, got `b` | ^");
  EXPECT_EQ(brief("x = a[b c]"), "3:13: expected `]` to close the subscript, got `c` | ^");
  EXPECT_EQ(brief("x = a[]"), "3:11: expected an expression, got `]` | ^");
  EXPECT_EQ(brief("x = a[i:+]"), "3:14: expected an expression, got `]` | ^");
  EXPECT_EQ(brief("x = a.1"), "3:10: expected the end of the statement, got `.1` | ^~");
  EXPECT_EQ(brief("x = a.if"), "3:11: expected a name after `.`, got `if` | ^~ | `if` is a keyword of Python");
  EXPECT_EQ(brief("x = a if b"), "3:15: expected `else` in a conditional expression, got the end of line | ^");
  EXPECT_EQ(brief("if a\n    b"), "3:9: expected `:` after the condition of `if`, got the end of line | ^");
  EXPECT_EQ(brief("if a = b:\n    c"), "3:10: expected `:` after the condition of `if`, got `=` | ^ | `==` compares");
  EXPECT_EQ(brief("while a\n    b"), "3:12: expected `:` after the condition of `while`, got the end of line | ^");
  EXPECT_EQ(brief("for a b: c"), "3:11: expected `in` after the target of `for`, got `b` | ^");
  EXPECT_EQ(brief("for a in b c: d"), "3:16: expected `:` after the range of `for`, got `c` | ^");
  EXPECT_EQ(brief("if a:\nb"),
            "4:5: expected an indented block after the condition of `if`, got `b` | ^ | `pass` is the empty block");
  EXPECT_EQ(brief("x ="), "3:8: expected an expression, got the end of line | ^");
  EXPECT_EQ(brief("x = == 1"), "3:9: expected an expression, got `==` | ^~");
  EXPECT_EQ(brief("x = not in y"), "3:13: expected an expression, got `in` | ^~");
}

TEST(ParseError, Misplaced) {
  EXPECT_EQ(brief("x\n    y"), "4:9: unexpected indentation | ^");
  EXPECT_EQ(brief("else:\n    x"), "3:5: `else` without an `if` before it | ^~~~");
  EXPECT_EQ(brief("except:\n    x"), "3:5: `except` without a `try` before it | ^~~~~~");
  EXPECT_EQ(brief("elif x:\n    x"), "3:5: `elif` without an `if` before it | ^~~~");
  EXPECT_EQ(brief("x; if y: z"), "3:8: `if` must start a line of its own | ^~");
  EXPECT_EQ(brief("if x: while y: z"), "3:11: `while` must start a line of its own | ^~~~~");
  EXPECT_EQ(brief("f(a=1, b)"), "3:12: a positional argument follows a keyword argument | ^");
}

TEST(ParseError, AKeywordGivenTwice) {
  EXPECT_EQ(errorsInKernel("f(aa=1, b=2, aa=3)"), "k.py:3:18: error: keyword argument `aa` is given twice\n"
                                                  "        f(aa=1, b=2, aa=3)\n"
                                                  "                     ^~\n"
                                                  "k.py:3:7: note: first given here\n"
                                                  "        f(aa=1, b=2, aa=3)\n"
                                                  "          ^~\n");
}

TEST(ParseError, Targets) {
  std::string hint = " | a name, `a[...]` or a tuple of them stands left of the `=`";
  EXPECT_EQ(brief("f(x) = 1"), "3:5: cannot assign to the result of a call | ^~~~" + hint);
  EXPECT_EQ(brief("a + b = 1"), "3:5: cannot assign to an expression | ^~~~~" + hint);
  EXPECT_EQ(brief("a < b = 1"), "3:5: cannot assign to a comparison | ^~~~~" + hint);
  EXPECT_EQ(brief("a if b else c = 1"), "3:5: cannot assign to a conditional expression | ^~~~~~~~~~~~~" + hint);
  EXPECT_EQ(brief("1 = a"), "3:5: cannot assign to a literal | ^" + hint);
  EXPECT_EQ(brief("None = a"), "3:5: cannot assign to a literal | ^~~~" + hint);
  EXPECT_EQ(brief("a, f() = b"), "3:8: cannot assign to the result of a call | ^~~" + hint);
  EXPECT_EQ(brief("a = 1 = b"), "3:9: cannot assign to a literal | ^" + hint);
  EXPECT_EQ(brief("a, b += c"),
            "3:5: cannot assign to several targets at once with an augmented assignment | ^~~~" + hint);
  EXPECT_EQ(brief("for f() in b: pass"), "3:9: cannot assign to the result of a call | ^~~" + hint);
  EXPECT_EQ(
      brief("a, b: ph.let = c"),
      "3:5: only a single name can be annotated, not several | ^~~~ | bind and annotate each name on its own line");
}

TEST(ParseError, Literals) {
  EXPECT_EQ(brief("x = 'a\\xg0'"), "3:11: expected 2 hexadecimal digits after `\\x` | ^~~~");
  EXPECT_EQ(brief("x = '\\u12'"), "3:10: expected 4 hexadecimal digits after `\\u` | ^~~~");
  EXPECT_EQ(brief("x = '\\UFFFFFFFF'"), "3:10: no character has a number above `\\U0010FFFF` | ^~~~~~~~~~");
  std::string digits(4301, '9');
  EXPECT_EQ(errorsInKernel("x = " + digits), "k.py:3:9: error: integer literal has more than 4300 digits\n");
}

TEST(ParseError, Headers) {
  auto errors = [](llvm::StringRef header) {
    return Parsed(("@ph.kernel\n" + header + "\n    pass\n").str()).errors();
  };
  EXPECT_EQ(errors("def k(*args):"),
            "k.py:2:7: error: a variable number of parameters is not part of the kernel language\n"
            "    def k(*args):\n"
            "          ^\n"
            "hint: name each parameter\n");
  EXPECT_EQ(errors("def k(a, a):"), "k.py:2:10: error: parameter `a` is named twice\n"
                                    "    def k(a, a):\n"
                                    "             ^\n"
                                    "k.py:2:7: note: first here\n"
                                    "    def k(a, a):\n"
                                    "          ^\n");
  EXPECT_EQ(errors("def k(a=1, b: c):"), "k.py:2:12: error: a parameter without a default follows one with a default\n"
                                         "    def k(a=1, b: c):\n"
                                         "               ^~~~\n");
  EXPECT_EQ(errors("def k(1):"), "k.py:2:7: error: expected a parameter, got `1`\n    def k(1):\n          ^\n");
  EXPECT_EQ(errors("def k(/, a):"),
            "k.py:2:7: error: misplaced `/` among the parameters\n    def k(/, a):\n          ^\n");
  EXPECT_EQ(errors("def k(*, a, *, b):"), "k.py:2:13: error: a second `*` among the parameters\n"
                                          "    def k(*, a, *, b):\n"
                                          "                ^\n");
  EXPECT_EQ(errors("def k(a, *,):"),
            "k.py:2:10: error: a parameter must follow `*`\n    def k(a, *,):\n             ^\n");
  EXPECT_EQ(errors("def k(a, *):"),
            "k.py:2:10: error: a parameter must follow `*`\n    def k(a, *):\n             ^\n");
  EXPECT_EQ(errors("def k(a: {}):"),
            "k.py:2:10: error: a dict is not part of the kernel language\n    def k(a: {}):\n             ^\n");
  EXPECT_EQ(errors("def k(a)"), "k.py:2:9: error: expected `:` after the function's header, got the end of line\n"
                                "    def k(a)\n"
                                "            ^\n");
  EXPECT_EQ(errors("def k[T](a):"), "k.py:2:6: error: expected `(` after the function's name, got `[`\n"
                                    "    def k[T](a):\n"
                                    "         ^\n");
  EXPECT_EQ(errors("async def k(a):"), "k.py:1:2: error: `@ph.kernel` decorates a plain function, got an async one\n"
                                       "    @ph.kernel\n"
                                       "     ^~~~~~~~~\n");
  EXPECT_EQ(errors("class k:"), "k.py:1:2: error: `@ph.kernel` decorates a plain function, got `class`\n"
                                "    @ph.kernel\n"
                                "     ^~~~~~~~~\n");
  EXPECT_EQ(errors("@ph.fn\ndef k(a):"),
            "k.py:2:2: error: a function is decorated once as a kernel or device function\n"
            "    @ph.fn\n"
            "     ^~~~~\n"
            "k.py:1:2: note: decorated here already\n"
            "    @ph.kernel\n"
            "     ^~~~~~~~~\n");
  EXPECT_EQ(errors("@[launch][0]\ndef k(a):"), "k.py:2:2: error: expected a decorator such as `ph.launch(128)`\n"
                                               "    @[launch][0]\n"
                                               "     ^~~~~~~~~~~\n");
}

TEST(ParseError, EachStatementHasItsOwn) {
  Parsed parsed("@ph.kernel\n"
                "def k(x):\n"
                "    a = lambda: 1\n"
                "    if x:\n"
                "        b = {}\n"
                "        c = 1\n"
                "    else:\n"
                "        d = = 2\n"
                "    with x:\n"
                "        e = {}\n"
                "    return x\n"
                "\n"
                "@ph.kernel\n"
                "def good(x):\n"
                "    return x\n");
  EXPECT_EQ(parsed.diagnostics.errorCount(), 4u) << parsed.errors();
  ASSERT_EQ(parsed.module->functions.size(), 2u);
  EXPECT_TRUE(parsed.module->functions[0]->hasErrors);
  EXPECT_FALSE(parsed.module->functions[1]->hasErrors);
  // What did parse is there.
  ASSERT_EQ(parsed.module->functions[0]->body.size(), 2u);
  auto *branch = llvm::cast<IfStmt>(parsed.module->functions[0]->body[0]);
  EXPECT_EQ(branch->body.size(), 1u);
  EXPECT_EQ(branch->orElse.size(), 0u);
  EXPECT_TRUE(llvm::isa<ReturnStmt>(parsed.module->functions[0]->body[1]));
}

TEST(ParseError, WhatTheLexerReportedIsNotReportedAgain) {
  EXPECT_EQ(brief("x = $"), "3:9: invalid character `$` (U+0024) | ^");
  EXPECT_EQ(brief("x = 'a"), "3:9: unterminated string | ^ | close it with '");
  EXPECT_EQ(brief("x = 0777"),
            "3:9: leading zeros in an integer literal are not permitted; an octal number is written 0o17 | ^~~~");
  EXPECT_EQ(brief("x = f(a\nreturn x"), "3:10: `(` was never closed | ^");
  EXPECT_EQ(brief("x = f(a\n"), "3:10: `(` was never closed | ^");
}

TEST(ParseError, DepthIsBounded) {
  auto nested = [](llvm::StringRef open, llvm::StringRef close, unsigned count) {
    std::string text = "x = ";
    for (unsigned i = 0; i < count; ++i) {
      text += open;
    }
    text += "a";
    for (unsigned i = 0; i < count; ++i) {
      text += close;
    }
    return errorsInKernel(text);
  };
  llvm::StringRef tooDeep = "error: the expression is nested more than 200 deep\n";
  EXPECT_EQ(nested("(", ")", 190), "");
  for (llvm::StringRef open : {"(", "[", "f(", "a[", "-", "not ", "a ** -", "a if ("}) {
    llvm::StringRef close = open.ends_with("[") ? "]" : open == "a if (" ? ") else b" : open.ends_with("(") ? ")" : "";
    std::string errors = nested(open, close, 30000);
    EXPECT_TRUE(llvm::StringRef(errors).contains(tooDeep)) << open.str() << errors;
    EXPECT_EQ(llvm::StringRef(errors).count("error:"), 1u) << open.str();
  }
  // Chains nest in the tree, not in the parser.
  for (llvm::StringRef link : {" + a", ".b", "[0]", "(0)", " if a else a"}) {
    std::string errors = nested("", link, 30000);
    EXPECT_EQ(llvm::StringRef(errors).count("error:"), 1u) << link.str() << errors.substr(0, 500);
  }
  EXPECT_EQ(nested("", " + a", 400), "");
  EXPECT_EQ(nested("", " and a", 30000), "");
  EXPECT_EQ(nested("", " < a", 30000), "");
  EXPECT_EQ(nested("", ", a", 30000), "");
}

TEST(ParseError, BlocksAreBounded) {
  std::string deep = "@ph.kernel\ndef k(x):\n";
  for (unsigned i = 1; i < 1000; ++i) {
    deep += std::string(i, ' ') + "if x:\n";
  }
  deep += std::string(1000, ' ') + "x\n";
  Parsed parsed(deep);
  EXPECT_EQ(parsed.diagnostics.errorCount(), 1u) << parsed.errors();
  EXPECT_TRUE(llvm::StringRef(parsed.errors()).contains("blocks are nested more than 200 deep"));

  std::string arms = "if x: y\n";
  for (unsigned i = 0; i < 100000; ++i) {
    arms += "elif x: y\n";
  }
  EXPECT_TRUE(llvm::StringRef(errorsInKernel(arms)).contains("more than 200 nested blocks and `elif` arms"));

  // Outside kernels nothing is bounded but the work.
  std::string host;
  for (unsigned i = 0; i < 3000; ++i) {
    host += std::string(i, ' ') + "if x:\n";
  }
  EXPECT_EQ(Parsed(host + std::string(3000, ' ') + "x\n").errors(), "");
  std::string async;
  for (unsigned i = 0; i < 200000; ++i) {
    async += "async ";
  }
  EXPECT_EQ(Parsed(async).errors(), "");
}

TEST(ParseExpression, WholeTextOnly) {
  SourceFile good("when", "TILE_M * TILE_N <= 32768");
  SourceFile bad("when", "TILE_M * = 2");
  SourceFile trailing("when", "TILE_M 2");
  ASTContext context;
  DiagnosticEngine diagnostics;
  ASSERT_NE(parseExpression(good, context, diagnostics), nullptr);
  EXPECT_EQ(diagnostics.render(), "");
  EXPECT_EQ(parseExpression(bad, context, diagnostics), nullptr);
  EXPECT_EQ(parseExpression(trailing, context, diagnostics), nullptr);
  EXPECT_EQ(diagnostics.render(), "when:1:10: error: expected an expression, got `=`\n"
                                  "    TILE_M * = 2\n"
                                  "             ^\n"
                                  "when:1:8: error: expected the end of the expression, got `2`\n"
                                  "    TILE_M 2\n"
                                  "           ^\n");
}

} // namespace
