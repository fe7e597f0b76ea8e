// The tree of a kernel in its printed form, and what the tree says beyond Python's own. Trees as such are tested
// against CPython's, in tests/python/test_syntax_oracle.py.
#include "ParseTesting.h"
#include <gtest/gtest.h>

using namespace phobos;
using namespace phobos::syntax;
using namespace phobos::syntax::testing;

namespace {

TEST(Parse, DumpOfAKernel) {
  Parsed parsed("import phobos.lang as ph\n"
                "BLOCK = 128\n"
                "\n"
                "@ph.kernel\n"
                "@ph.launch(256)\n"
                "def scale(A: ph.tensor[ph.f32][N], /, alpha=2.0, *, n: ph.i32):\n"
                "    x: ph.let = A[i:+BLOCK, :, 1:2:3]\n"
                "    for k in range(n):\n"
                "        x *= alpha if k < n <= 3 and not x else -1\n"
                "    while True:\n"
                "        break\n"
                "    if n: pass\n"
                "    elif x:\n"
                "        a, b = f(\"s\", k=None), [...]\n"
                "    else:\n"
                "        return\n"
                "    return x\n");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(parsed.dump(), R"((module "k.py"
  (imports
    (import 1:1
      (phobos.lang as ph)))
  (assignments
    (assign 2:1
      (name BLOCK 2:1)
      (int 128 2:9)))
  (kernel scale 6:1
    (decorator ph.kernel 4:2
      (attribute kernel 4:2
        (name ph 4:2)))
    (decorator ph.launch 5:2
      (call 5:2
        (attribute launch 5:2
          (name ph 5:2))
        (int 256 5:12)))
    (param A positional-only 6:11
      (subscript 6:14
        (subscript 6:14
          (attribute tensor 6:14
            (name ph 6:14))
          (attribute f32 6:24
            (name ph 6:24)))
        (name N 6:32)))
    (param alpha 6:39
      (default
        (float 2.0 6:45)))
    (param n keyword-only 6:53
      (attribute i32 6:56
        (name ph 6:56)))
    (body
      (annotated-assign 7:5
        (name x 7:5)
        (annotation
          (attribute let 7:8
            (name ph 7:8)))
        (subscript 7:17
          (name A 7:17)
          (slice 7:19
            (start
              (name i 7:19))
            (length
              (name BLOCK 7:22)))
          (slice 7:29)
          (slice 7:32
            (start
              (int 1 7:32))
            (stop
              (int 2 7:34))
            (step
              (int 3 7:36)))))
      (for 8:5
        (name k 8:9)
        (call 8:14
          (name range 8:14)
          (name n 8:20))
        (body
          (assign *= 9:9
            (name x 9:9)
            (conditional 9:14
              (and 9:23
                (compare < <= 9:23
                  (name k 9:23)
                  (name n 9:27)
                  (int 3 9:32))
                (unary not 9:38
                  (name x 9:42)))
              (name alpha 9:14)
              (unary - 9:49
                (int 1 9:50))))))
      (while 10:5
        (bool True 10:11)
        (body
          (break 11:9)))
      (if 12:5
        (name n 12:8)
        (then
          (pass 12:11))
        (else
          (if 13:5
            (name x 13:10)
            (then
              (assign 14:9
                (tuple 14:9
                  (name a 14:9)
                  (name b 14:12))
                (tuple 14:16
                  (call 14:16
                    (name f 14:16)
                    (string "s" 14:18)
                    (keyword k 14:23
                      (none 14:25)))
                  (list 14:32
                    (ellipsis 14:33)))))
            (else
              (return 16:9)))))
      (return 17:5
        (name x 17:12)))))
)");
}

/// The slice in `A[<slice>]`, and what its span is as text; "none" if it has none.
std::string spanOf(llvm::StringRef slice) {
  Parsed parsed(("@ph.fn\ndef f(): A[" + slice + "]\n").str());
  EXPECT_EQ(parsed.errors(), "");
  auto *stmt = llvm::cast<ExprStmt>(parsed.module->functions[0]->body[0]);
  auto *item = llvm::cast<SliceExpr>(llvm::cast<SubscriptExpr>(stmt->value)->indices[0]);
  return item->spanLength() ? parsed.file.text(item->spanLength()->range).str() : "none";
}

TEST(Parse, SpansOfSlices) {
  EXPECT_EQ(spanOf("i:+H"), "H");
  EXPECT_EQ(spanOf("i : + H"), "H");
  EXPECT_EQ(spanOf(":+H"), "H");
  EXPECT_EQ(spanOf("i:+(H + 1)"), "H + 1");
  EXPECT_EQ(spanOf("i:+H[0]"), "H[0]");
  EXPECT_EQ(spanOf("i:+H**2"), "H**2");
  EXPECT_EQ(spanOf("i:(+H)"), "H");
  // The plus leads a product: the whole stop is the length, not an end.
  EXPECT_EQ(spanOf("i:+H * 2"), "+H * 2");
  EXPECT_EQ(spanOf("i:+H // 2 - 1:2"), "+H // 2 - 1");
  // Ends.
  EXPECT_EQ(spanOf("i:j"), "none");
  EXPECT_EQ(spanOf("i:i + H"), "none");
  EXPECT_EQ(spanOf("i:-H"), "none");
  EXPECT_EQ(spanOf("i:"), "none");
  EXPECT_EQ(spanOf("i::+H"), "none");
  EXPECT_EQ(spanOf("i:(+H) * 2"), "none");
  EXPECT_EQ(spanOf("+i:j"), "none");
}

TEST(Parse, IntegerLiterals) {
  auto literal = [](llvm::StringRef text) {
    Parsed parsed(("@ph.fn\ndef f(): " + text + "\n").str());
    EXPECT_EQ(parsed.errors(), "");
    auto *value = llvm::cast<IntLiteral>(llvm::cast<ExprStmt>(parsed.module->functions[0]->body[0])->value);
    return std::tuple(value->fits, value->value, value->decimal.str());
  };
  EXPECT_EQ(literal("0xFFFF_FFFF_FFFF_FFFF"), std::tuple(true, UINT64_MAX, "18446744073709551615"));
  EXPECT_EQ(literal("18446744073709551616"), std::tuple(false, 0, "18446744073709551616"));
  EXPECT_EQ(literal("0"), std::tuple(true, 0, "0"));
  EXPECT_EQ(literal("0b1000"), std::tuple(true, 8, "8"));
}

TEST(Parse, RangesOfTheParts) {
  Parsed parsed("@ph.fn\ndef f(a: b = c): a[i, j] += ph.dot(x, acc=(y)) * z\n");
  const FunctionDef &function = *parsed.module->functions[0];
  auto text = [&](SourceRange range) { return parsed.file.text(range); };
  EXPECT_EQ(text(function.params[0].range), "a: b");
  EXPECT_EQ(text(function.params[0].nameRange), "a");
  auto *assign = llvm::cast<AugAssignStmt>(function.body[0]);
  EXPECT_EQ(text(assign->range), "a[i, j] += ph.dot(x, acc=(y)) * z");
  EXPECT_EQ(text(assign->opRange), "+=");
  EXPECT_EQ(text(llvm::cast<SubscriptExpr>(assign->target)->indexRange), "i, j");
  auto *product = llvm::cast<BinaryExpr>(assign->value);
  EXPECT_EQ(text(product->opRange), "*");
  auto *call = llvm::cast<CallExpr>(product->lhs);
  EXPECT_EQ(text(call->range), "ph.dot(x, acc=(y))");
  EXPECT_EQ(text(call->keywords[0].nameRange), "acc");
  EXPECT_EQ(text(call->keywords[0].value->range), "y");
  EXPECT_EQ(text(llvm::cast<AttributeExpr>(call->callee)->nameRange), "dot");
}

} // namespace
