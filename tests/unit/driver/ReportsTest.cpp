// Diagnostics of passes in our form: the Python line with its caret, notes and hints, and whose fault it is.
#include "Reports.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace phobos;
using namespace phobos::driver;

namespace {

class ReportsTest : public testing::Test {
protected:
  ReportsTest()
      : file_("k.py", "def f(a):\n    ü = load(a)\n    b = g(ü)\n"), context_(mlir::MLIRContext::Threading::DISABLED),
        reports(context_, file_) {}

  mlir::Location at(unsigned line, unsigned column) {
    return mlir::FileLineColLoc::get(&context_, "k.py", line, column);
  }
  mlir::Location call(mlir::Location callee, mlir::Location caller) { return mlir::CallSiteLoc::get(callee, caller); }

private:
  SourceFile file_;

protected:
  mlir::MLIRContext context_;
  Reports reports;
};

} // namespace

TEST_F(ReportsTest, ErrorIsDrawnOnTheSource) {
  mlir::InFlightDiagnostic error = mlir::emitError(at(2, 9)) << "expected less";
  error.attachNote(at(1, 7)) << "of this";
  error.attachNote() << "hint: take less";
  error.report();
  EXPECT_EQ(reports.render(), "k.py:2:9: error: expected less\n"
                              "        ü = load(a)\n"
                              "            ^~~~\n"
                              "k.py:1:7: note: of this\n"
                              "    def f(a):\n"
                              "          ^\n"
                              "hint: take less\n");
  EXPECT_TRUE(reports.engine().hasErrors());
  EXPECT_FALSE(reports.hasInternalErrors());
}

TEST_F(ReportsTest, CallChainIsShown) {
  mlir::emitError(call(at(2, 9), call(at(3, 9), at(1, 1)))) << "inside";
  std::string text = reports.render();
  EXPECT_EQ(text.find("k.py:2:9: error: inside\n"), 0u) << text;
  size_t first = text.find("k.py:3:9: note: called from here\n"),
         second = text.find("k.py:1:1: note: called from here\n");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_NE(second, std::string::npos) << text;
  EXPECT_LT(first, second);
}

TEST_F(ReportsTest, VerifierAndInternalErrorsAreOurs) {
  mlir::emitError(at(1, 1)) << "kernel needs too much";
  EXPECT_FALSE(reports.hasInternalErrors());
  mlir::emitError(at(1, 1)) << "'tile.load' op expected rank 2, got 1";
  EXPECT_TRUE(reports.hasInternalErrors());
}

TEST_F(ReportsTest, InternalPrefixIsOurs) {
  mlir::emitError(at(1, 1)) << "internal: no lowering for tile.frob";
  EXPECT_TRUE(reports.hasInternalErrors());
}

TEST_F(ReportsTest, RemarksAreKeptApart) {
  mlir::emitRemark(at(3, 5)) << "not pipelined";
  mlir::emitWarning(at(3, 5)) << "slow";
  EXPECT_EQ(reports.render(), "k.py:3:5: warning: slow\n        b = g(ü)\n        ^\n");
  ASSERT_EQ(reports.remarks().size(), 1u);
  EXPECT_EQ(reports.remarks()[0].find("k.py:3:5: remark: not pipelined\n"), 0u);
  EXPECT_FALSE(reports.engine().hasErrors());
}

TEST_F(ReportsTest, PlacesOutsideTheFileAreLeftOut) {
  mlir::emitError(at(99, 1)) << "nowhere";
  mlir::emitError(mlir::FileLineColLoc::get(&context_, "other.py", 1, 1)) << "elsewhere";
  mlir::emitError(at(3, 400)) << "past the end";
  std::string text = reports.render();
  EXPECT_NE(text.find("error: nowhere\n"), std::string::npos) << text;
  EXPECT_NE(text.find("error: elsewhere\n"), std::string::npos) << text;
  EXPECT_NE(text.find("error: past the end\n"), std::string::npos) << text;
}
