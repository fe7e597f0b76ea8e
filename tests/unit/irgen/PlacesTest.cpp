// From a kernel's text: every op has the place of what it stands for, so that any later diagnostic finds the source.
#include "TreeMaker.h"

#include "phobos/Support/SourceFile.h"
#include "phobos/Syntax/Parser.h"
#include <gtest/gtest.h>

using namespace phobos;

namespace {

constexpr const char *kKernel = R"(from __future__ import annotations
import phobos.lang as ph

@ph.fn
def scaled(t, n):
    if n > 3:
        return t * 2.0
    return t

@ph.kernel
def kernel(A: ph.tensor[ph.f32][M, 64], B: ph.tensor[ph.f16][64, 64], n: ph.i32):
    acc: ph.var = ph.zeros((16, 64))
    for i in range(0, M, 16):
        if i == n:
            continue
        t = ph.load(A[i:+16, :], other=1.0)
        acc += ph.dot(ph.f16(scaled(t, n)), B[:, :])
    m: ph.var = n
    while m > 1 and n % m != 0:
        m //= 2
    s = ph.max(acc, axis=1, keepdims=True)
    A[0:+16, :] = ph.where(acc > s - 1.0, acc, ph.f32(m)) if n > 0 else acc
    A[n, 3] = ph.sum(acc)
)";

TEST(Places, EveryOpHasOne) {
  SourceFile file("k.py", kKernel);
  DiagnosticEngine diagnostics;
  syntax::ASTContext ast;
  syntax::Module *module = syntax::parseModule(file, ast, diagnostics);
  ASSERT_FALSE(diagnostics.hasErrors()) << diagnostics.render();
  auto kernel = sema::checkKernel(*module, *module->functions.back(), {}, {}, diagnostics);
  ASSERT_TRUE(kernel) << diagnostics.render();

  mlir::MLIRContext context;
  auto ir = irgen::generate(context, *kernel, Specialisation(), "sm_80", diagnostics);
  ASSERT_TRUE(ir) << diagnostics.render();
  ASSERT_TRUE(succeeded(mlir::verify(*ir)));
  unsigned inlined = 0;
  ir->walk([&](mlir::Operation *op) {
    mlir::Location loc = op->getLoc();
    if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(loc)) {
      EXPECT_EQ(llvm::cast<mlir::FileLineColLoc>(call.getCaller()).getLine(), 17u);
      loc = call.getCallee();
      ++inlined;
    }
    auto place = llvm::dyn_cast<mlir::FileLineColLoc>(loc);
    ASSERT_TRUE(place) << op->getName().getStringRef().str();
    EXPECT_EQ(place.getFilename(), "k.py");
    EXPECT_GT(place.getColumn(), 0u);
  });
  EXPECT_GT(inlined, 0u);
}

} // namespace
