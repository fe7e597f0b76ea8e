// What is found in a file: kernels wherever they stand, and the imports and assignments that they may see.
#include "ParseTesting.h"
#include <gtest/gtest.h>

using namespace phobos;
using namespace phobos::syntax;
using namespace phobos::syntax::testing;

namespace {

/// "kernel a, fn b, other c": every decorated function by role and qualified name.
std::string functionsOf(const Parsed &parsed) {
  std::string out;
  for (const FunctionDef *function : parsed.module->functions) {
    llvm::StringRef role = function->role == FunctionRole::Kernel   ? "kernel "
                           : function->role == FunctionRole::Device ? "fn "
                                                                    : "other ";
    out += (out.empty() ? "" : ", ") + (role + function->qualifiedName).str();
  }
  return out;
}

std::string functionsOf(llvm::StringRef text) {
  Parsed parsed(text.str());
  EXPECT_EQ(parsed.errors(), "");
  return functionsOf(parsed);
}

TEST(ParseModule, KernelsAtAnyDepth) {
  EXPECT_EQ(functionsOf("import os\n"
                        "@ph.kernel\n"
                        "def a(x): return x\n"
                        "class C:\n"
                        "    @ph.fn\n"
                        "    def b(x): return x\n"
                        "    def host(self):\n"
                        "        try:\n"
                        "            pass\n"
                        "        except E:\n"
                        "            with x:\n"
                        "                @kernel\n"
                        "                def c(x):\n"
                        "                    return x\n"
                        "        finally:\n"
                        "            pass\n"
                        "        @property\n"
                        "        def d(self):\n"
                        "            @ph.kernel\n"
                        "            def e(x): return x\n"
                        "            return {e: [x for x in self]}\n"
                        "async def f():\n"
                        "    @ph.kernel\n"
                        "    def g(x): return x\n"
                        "if 1: pass\n"
                        "else:\n"
                        "    @ph.kernel\n"
                        "    def h(x): return x\n"
                        "match x:\n"
                        "    case {'a': 1}:\n"
                        "        @ph.kernel\n"
                        "        def i(x): return x\n"),
            "kernel a, fn C.b, kernel C.host.<locals>.c, other C.host.<locals>.d, kernel C.host.<locals>.d.<locals>.e, "
            "kernel f.<locals>.g, kernel h, kernel i");
}

TEST(ParseModule, AnythingMayStandOutsideKernels) {
  EXPECT_EQ(functionsOf("x = lambda a, b=1: {a: b}\n"
                        "@decorator(lambda x: x)[0](*a, **b)\n"
                        "async def f(*a, **b): yield [await c async for c in d]\n"
                        "@a.b\n"
                        "def g(a, /, b: 'c' = {}, *d) -> lambda: 1: global h; del h\n"
                        "with a as b, c: assert d, f'{e!r:>{f}}'\n"
                        "print(x := 1j, b'', sep='')\n"
                        "def h[T](x: T): pass\n"
                        "type A[T] = list[T]\n"
                        "@ph.kernel\n"
                        "def k(x): return x\n"),
            "other f, other g, kernel k");
}

TEST(ParseModule, WhoseDecoratorItIs) {
  auto role = [](llvm::StringRef imports, llvm::StringRef decorator) {
    return functionsOf((imports + "\n@" + decorator + "\ndef f(x): return x\n").str());
  };
  EXPECT_EQ(role("", "ph.kernel"), "kernel f");
  EXPECT_EQ(role("", "ph.kernel(key=['N'])"), "kernel f");
  EXPECT_EQ(role("", "phobos.lang.fn"), "fn f");
  EXPECT_EQ(role("", "anything.kernel"), "kernel f");
  EXPECT_EQ(role("", "kernel"), "kernel f");
  EXPECT_EQ(role("", "fn"), "other f");
  EXPECT_EQ(role("", "ph.launch(128)"), "other f");
  EXPECT_EQ(role("", "kernel.other"), "other f");
  EXPECT_EQ(role("import phobos.lang as ph", "ph.kernel"), "kernel f");
  EXPECT_EQ(role("import phobos.lang", "phobos.lang.kernel"), "kernel f");
  EXPECT_EQ(role("from phobos import lang as L", "L.fn"), "fn f");
  EXPECT_EQ(role("from phobos.lang import fn", "fn"), "fn f");
  EXPECT_EQ(role("from phobos.lang import fn as device", "device"), "fn f");
  EXPECT_EQ(role("from phobos.lang import kernel as k", "k(key=[])"), "kernel f");
  EXPECT_EQ(role("from phobos.lang import *", "fn"), "fn f");
  EXPECT_EQ(role("from .common import ph", "ph.kernel"), "kernel f");
  EXPECT_EQ(role("from mine import ph", "ph.kernel"), "kernel f");
  EXPECT_EQ(role("import cutlass.cute as cute", "cute.kernel"), "other f");
  EXPECT_EQ(role("from cutlass import cute", "cute.kernel"), "other f");
  EXPECT_EQ(role("from elsewhere import kernel", "kernel"), "other f");
  EXPECT_EQ(role("import cute\ntry:\n  import phobos.lang as cute\nexcept E: pass", "cute.kernel"), "kernel f");
}

TEST(ParseModule, OtherPeoplesKernelsAreNotRead) {
  EXPECT_EQ(functionsOf("import cutlass.cute as cute\n@cute.kernel\ndef f(*a):\n    with x: yield {}\n"), "other f");
}

TEST(ParseModule, ExtentOfAFunctionThatIsNotRead) {
  Parsed parsed("@a\ndef f(x):\n    return x # c\n\n# d\n@b\ndef g(x): return x\n");
  ASSERT_EQ(parsed.module->functions.size(), 2u);
  EXPECT_EQ(parsed.file.text(parsed.module->functions[0]->range), "def f(x):\n    return x");
  EXPECT_EQ(parsed.file.text(parsed.module->functions[1]->range), "def g(x): return x");
  EXPECT_EQ(parsed.file.text(parsed.module->functions[0]->nameRange), "f");
  EXPECT_EQ(parsed.module->functions[0]->decorators[0].name, "a");
  EXPECT_EQ(parsed.module->functions[0]->decorators[0].expr, nullptr);
}

/// The assignments of a scope as source text, conditional ones after a question mark, opaque values after a tilde.
std::string assignmentsOf(const LexicalScope &scope, const SourceFile &file) {
  std::string out;
  for (const LexicalScope::Assignment &assignment : scope.assignments) {
    const Expr *value = nullptr;
    if (auto *assign = llvm::dyn_cast<AssignStmt>(assignment.stmt)) {
      value = assign->value;
    } else if (auto *annotated = llvm::dyn_cast<AnnAssignStmt>(assignment.stmt)) {
      value = annotated->value;
    } else {
      value = llvm::cast<AugAssignStmt>(assignment.stmt)->value;
    }
    out += assignment.conditional ? "?" : "";
    out += llvm::isa<OpaqueExpr>(value) ? "~" : "";
    out += file.text(assignment.stmt->range).str() + "\n";
  }
  return out;
}

TEST(ParseModule, AssignmentsOfTheFile) {
  Parsed parsed("A = 1\n"
                "B, (C, D) = 1, (2, 3)\n"
                "E: int = 4; F = G = 5\n"
                "H += 1\n"
                "I = lambda x, y=1: x\n"
                "J = {**a}\n"
                "K: dict[str, int] = {}\n"
                "L: int\n"
                "m.n = 1\n"
                "o[0] = 1\n"
                "p(q=1)\n"
                "R == 1\n"
                "S = m.n = 1\n"
                "if x: T = 1\n"
                "else:\n"
                "    U = 2\n"
                "for V in range(3): W = V\n"
                "for x.y in z: pass\n"
                "with a as b:\n"
                "    X = 1\n"
                "def f(): Y = 1\n"
                "class G: Z = 1\n"
                "AA = f(1)[2]\n"
                "BB = \\\n"
                "  1 +\\\n"
                "  2\n"
                "CC = (yield)\n"
                "DD = [\n"
                "  1]\n"
                "await EE\n");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(assignmentsOf(*parsed.module->scope, parsed.file), "A = 1\n"
                                                               "B, (C, D) = 1, (2, 3)\n"
                                                               "E: int = 4\n"
                                                               "F = G = 5\n"
                                                               "H += 1\n"
                                                               "~I = lambda x, y=1: x\n"
                                                               "~J = {**a}\n"
                                                               "~K: dict[str, int] = {}\n"
                                                               "S = m.n = 1\n"
                                                               "?T = 1\n"
                                                               "?U = 2\n"
                                                               "?~for V\n"
                                                               "?W = V\n"
                                                               "?X = 1\n"
                                                               "AA = f(1)[2]\n"
                                                               "BB = \\\n  1 +\\\n  2\n"
                                                               "~CC = (yield)\n"
                                                               "DD = [\n  1]\n");
}

TEST(ParseModule, ScopesAroundAKernel) {
  Parsed parsed("A = 1\n"
                "import phobos.lang as ph\n"
                "def make(B, C: int = D, *E, F=lambda G: G, **H):\n"
                "    import numpy\n"
                "    I = 2\n"
                "    class J:\n"
                "        K = 3\n"
                "        @ph.kernel\n"
                "        def k(x): return x\n");
  EXPECT_EQ(parsed.errors(), "");
  ASSERT_EQ(parsed.module->functions.size(), 1u);
  const LexicalScope *inner = parsed.module->functions[0]->enclosing;
  EXPECT_EQ(inner->kind, LexicalScope::Kind::Class);
  EXPECT_EQ(inner->name, "J");
  EXPECT_EQ(assignmentsOf(*inner, parsed.file), "K = 3\n");
  EXPECT_EQ(inner->functions.size(), 1u);
  const LexicalScope *make = inner->parent;
  EXPECT_EQ(make->kind, LexicalScope::Kind::Function);
  EXPECT_EQ(make->name, "make");
  EXPECT_EQ(make->params.vec(), (std::vector<llvm::StringRef>{"B", "C", "E", "F", "H"}));
  EXPECT_EQ(assignmentsOf(*make, parsed.file), "I = 2\n");
  ASSERT_EQ(make->imports.size(), 1u);
  EXPECT_EQ(make->parent, parsed.module->scope);
  EXPECT_EQ(make->parent->parent, nullptr);
  EXPECT_EQ(make->parent->imports.size(), 1u);
}

TEST(ParseModule, Imports) {
  Parsed parsed("import a, b.c as d\n"
                "from e.f import g, h as i\n"
                "from ..j import (k,\n  l as m,)\n"
                "from ... import n\n"
                "from o import *\n"
                "import p . q\n");
  EXPECT_EQ(parsed.dump(), "(module \"k.py\"\n"
                           "  (imports\n"
                           "    (import 1:1\n"
                           "      (a)\n"
                           "      (b.c as d))\n"
                           "    (import-from e.f 2:1\n"
                           "      (g)\n"
                           "      (h as i))\n"
                           "    (import-from ..j 3:1\n"
                           "      (k)\n"
                           "      (l as m))\n"
                           "    (import-from ... 5:1\n"
                           "      (n))\n"
                           "    (import-from o 6:1\n"
                           "      (*))\n"
                           "    (import 7:1\n"
                           "      (p.q))))\n");
}

TEST(ParseModule, DecoratorsOfAKernel) {
  Parsed parsed("@ph.kernel(key=['N'], reference=lambda a, b: a @ b)\n"
                "@ph.autotune(TILE=[64, 128], when=\"TILE > 1\", prune={1: 2})\n"
                "@ph.launch\n"
                "@functools.wraps(f, *a)\n"
                "def k(x): return x\n");
  EXPECT_EQ(parsed.errors(), "");
  ASSERT_EQ(parsed.module->functions.size(), 1u);
  llvm::ArrayRef<Decorator> decorators = parsed.module->functions[0]->decorators;
  ASSERT_EQ(decorators.size(), 4u);
  EXPECT_EQ(decorators[0].name, "ph.kernel");
  auto *kernel = llvm::cast<CallExpr>(decorators[0].expr);
  ASSERT_EQ(kernel->keywords.size(), 2u);
  EXPECT_TRUE(llvm::isa<ListExpr>(kernel->keywords[0].value));
  auto *reference = llvm::cast<OpaqueExpr>(kernel->keywords[1].value);
  EXPECT_EQ(reference->what, "a lambda");
  EXPECT_EQ(parsed.file.text(reference->range), "lambda a, b: a @ b");
  auto *autotune = llvm::cast<CallExpr>(decorators[1].expr);
  ASSERT_EQ(autotune->keywords.size(), 3u);
  EXPECT_EQ(llvm::cast<StringLiteral>(autotune->keywords[1].value)->value, "TILE > 1");
  EXPECT_EQ(llvm::cast<OpaqueExpr>(autotune->keywords[2].value)->what, "a dict");
  EXPECT_TRUE(llvm::isa<AttributeExpr>(decorators[2].expr));
  auto *wraps = llvm::cast<CallExpr>(decorators[3].expr);
  ASSERT_EQ(wraps->args.size(), 2u);
  EXPECT_EQ(parsed.file.text(wraps->args[1]->range), "*a");
}

TEST(ParseModule, Docstrings) {
  Parsed parsed("\"\"\"About the file.\"\"\"\n@ph.kernel\ndef k(x):\n    'About ' 'it.'\n    return x\n");
  ASSERT_NE(parsed.module->docstring, nullptr);
  EXPECT_EQ(parsed.module->docstring->value, "About the file.");
  ASSERT_NE(parsed.module->functions[0]->docstring, nullptr);
  EXPECT_EQ(parsed.module->functions[0]->docstring->value, "About it.");
  EXPECT_EQ(Parsed("'a' + 'b'\n").module->docstring, nullptr);
}

TEST(ParseModule, EmptyFiles) {
  for (llvm::StringRef text :
       {"", "\n", "# c", "   ", "\\", "@", "@a", "def", "class", "async", "for", "import", "from", "@ph.kernel"}) {
    EXPECT_EQ(Parsed(text.str()).module->functions.size(), 0u) << text.str();
  }
}

} // namespace
