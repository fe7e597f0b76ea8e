// What a diagnostic looks like, to the character: users and tests read it.
#include "phobos/Support/Diagnostic.h"
#include "phobos/Support/SourceFile.h"
#include <gtest/gtest.h>

using namespace phobos;

namespace {

TEST(Diagnostic, PositionLineAndUnderline) {
  SourceFile file("k.py", "x = 1\ny = abc + 2\n");
  DiagnosticEngine engine;
  engine.error({&file, 10, 13}, "unknown name `abc`");
  EXPECT_EQ(engine.render(), "k.py:2:5: error: unknown name `abc`\n"
                             "    y = abc + 2\n"
                             "        ^~~\n");
  EXPECT_EQ(engine.errorCount(), 1u);
}

TEST(Diagnostic, NotesCallChainAndHintFollow) {
  SourceFile file("k.py", "f(a)\ng(b)\nh(c)\n");
  DiagnosticEngine engine;
  engine.error({&file, 2, 3}, "wrong")
      .hint("write `b`")
      .note({&file, 5, 6}, "declared here")
      .note("the limit is 5")
      .calledFrom({&file, 10, 14}, "helper");
  EXPECT_EQ(engine.render(), "k.py:1:3: error: wrong\n"
                             "    f(a)\n"
                             "      ^\n"
                             "k.py:2:1: note: declared here\n"
                             "    g(b)\n"
                             "    ^\n"
                             "note: the limit is 5\n"
                             "k.py:3:1: note: in `helper`, called from here\n"
                             "    h(c)\n"
                             "    ^~~~\n"
                             "hint: write `b`\n");
}

TEST(Diagnostic, NotesMayLieInOtherFiles) {
  SourceFile file("k.py", "f(a)\n");
  SourceFile other("lib.py", "def f(): pass\n");
  DiagnosticEngine engine;
  engine.error({&file, 0, 1}, "wrong").note({&other, 4, 5}, "defined here");
  EXPECT_EQ(engine.render(), "k.py:1:1: error: wrong\n    f(a)\n    ^\n"
                             "lib.py:1:5: note: defined here\n    def f(): pass\n        ^\n");
}

TEST(Diagnostic, WithoutAPlace) {
  DiagnosticEngine engine;
  engine.error({}, "no kernel `f`").hint("the file has `g`");
  EXPECT_EQ(engine.render(), "error: no kernel `f`\nhint: the file has `g`\n");
}

TEST(Diagnostic, CaretStandsUnderItsCharacter) {
  SourceFile tabs("k.py", "\tif x:\ty\n");
  EXPECT_EQ(DiagnosticEngine::render(Diagnostic(Severity::Warning, {&tabs, 6, 8}, "w")), "k.py:1:7: warning: w\n"
                                                                                         "            if x:   y\n"
                                                                                         "                 ^~~~\n");
  SourceFile wide("k.py", "好 = é + x\n");
  EXPECT_EQ(DiagnosticEngine::render(Diagnostic(Severity::Remark, {&wide, 0, 3}, "r")), "k.py:1:1: remark: r\n"
                                                                                        "    好 = é + x\n"
                                                                                        "    ^~\n");
  EXPECT_EQ(DiagnosticEngine::render(Diagnostic(Severity::Error, {&wide, 11, 12}, "e")), "k.py:1:9: error: e\n"
                                                                                         "    好 = é + x\n"
                                                                                         "             ^\n");
}

TEST(Diagnostic, SeveralLinesAreUnderlinedToTheEndOfTheFirst) {
  SourceFile file("k.py", "f(a,\n  b)\n");
  EXPECT_EQ(DiagnosticEngine::render(Diagnostic(Severity::Error, {&file, 1, 9}, "e")), "k.py:1:2: error: e\n"
                                                                                       "    f(a,\n"
                                                                                       "     ^~~\n");
}

TEST(Diagnostic, EndOfFileAndEmptyRanges) {
  SourceFile file("k.py", "x =\n");
  EXPECT_EQ(DiagnosticEngine::render(Diagnostic(Severity::Error, {&file, 3, 3}, "e")),
            "k.py:1:4: error: e\n    x =\n       ^\n");
  EXPECT_EQ(DiagnosticEngine::render(Diagnostic(Severity::Error, {&file, 4, 4}, "e")),
            "k.py:2:1: error: e\n    \n    ^\n");
}

TEST(Diagnostic, AGeneratedLineIsNotShown) {
  SourceFile file("k.py", std::string(5000, 'x') + "\n");
  EXPECT_EQ(DiagnosticEngine::render(Diagnostic(Severity::Error, {&file, 4000, 4001}, "e")), "k.py:1:4001: error: e\n");
}

TEST(DiagnosticEngine, OnlyErrorsCountAsErrors) {
  SourceFile file("k.py", "x\n");
  DiagnosticEngine engine;
  engine.warning({&file, 0, 1}, "w");
  engine.remark({&file, 0, 1}, "r");
  EXPECT_FALSE(engine.hasErrors());
  engine.error({&file, 0, 1}, "e");
  EXPECT_TRUE(engine.hasErrors());
  EXPECT_EQ(engine.diagnostics().size(), 3u);
}

TEST(DiagnosticEngine, AFloodIsCountedNotKept) {
  DiagnosticEngine engine;
  Diagnostic &first = engine.error({}, "first");
  for (unsigned i = 0; i < 2 * DiagnosticEngine::kMaxErrorsKept; ++i) {
    engine.error({}, "again").note("a note").hint("a hint");
  }
  engine.warning({}, "a warning after it");
  EXPECT_EQ(first.message, "first");
  EXPECT_EQ(engine.errorCount(), 2 * DiagnosticEngine::kMaxErrorsKept + 1);
  EXPECT_EQ(engine.diagnostics().size(), DiagnosticEngine::kMaxErrorsKept + 1);
  EXPECT_TRUE(llvm::StringRef(engine.render()).ends_with("error: 101 more errors, not shown\n"));
}

TEST(NearestName, FindsMisspellings) {
  llvm::StringRef names[] = {"kernel", "launch", "tensorcore", "aligned", "autotune", "fn", "M", "N", "float"};
  EXPECT_EQ(nearestName("kernal", names), "kernel");
  EXPECT_EQ(nearestName("tensor_core", names), "tensorcore");
  EXPECT_EQ(nearestName("TensorCore", names), "tensorcore");
  EXPECT_EQ(nearestName("autotun", names), "autotune");
  EXPECT_EQ(nearestName("Fn", names), "fn");
  EXPECT_EQ(nearestName("kenrel", names), "kernel");
  EXPECT_EQ(nearestName("nf", names), "fn");
  EXPECT_EQ(nearestName("m", names), "M");
  EXPECT_EQ(nearestName("K", names), "");
  EXPECT_EQ(nearestName("swizzle", names), "");
  EXPECT_EQ(nearestName("", names), "");
  EXPECT_EQ(nearestName("x", {}), "");
}

} // namespace
