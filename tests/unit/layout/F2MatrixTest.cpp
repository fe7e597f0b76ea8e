// F2 matrices against truth tables of all inputs.
#include "Model.h"
#include <gtest/gtest.h>
#include <set>

using namespace phobos::layout;
using namespace phobos::layout::test;

static F2Matrix randomMatrix(Random &random, unsigned columns, unsigned outputs) {
  llvm::SmallVector<uint64_t, 24> out;
  for (unsigned i = 0; i < columns; ++i) {
    out.push_back(pick(random, 3) == 0 ? 0 : random() & ((1u << outputs) - 1));
  }
  return F2Matrix(out);
}

TEST(F2Matrix, RankKernelImageAndSolveAgreeWithTheTable) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    unsigned columns = pick(random, 9), outputs = 1 + pick(random, 8);
    F2Matrix m = randomMatrix(random, columns, outputs);
    std::set<uint64_t> image, kernel;
    for (uint64_t x = 0; x < 1u << columns; ++x) {
      image.insert(m.apply(x));
      if (m.apply(x) == 0) {
        kernel.insert(x);
      }
    }
    EXPECT_EQ(image.size(), size_t(1) << m.rank());
    auto basis = m.kernel();
    ASSERT_EQ(kernel.size(), size_t(1) << basis.size());
    std::set<uint64_t> spanned;
    for (uint64_t x = 0; x < 1u << basis.size(); ++x) {
      spanned.insert(F2Matrix(basis).apply(x));
    }
    EXPECT_EQ(spanned, kernel);
    EXPECT_EQ(m.image().size(), m.rank());
    for (uint64_t y = 0; y < 1u << outputs; ++y) {
      auto x = m.solve(y);
      EXPECT_EQ(x.has_value(), image.count(y) == 1);
      if (x) {
        EXPECT_EQ(m.apply(*x), y);
      }
    }
  }
}

TEST(F2Matrix, RightInverseIsOneExactlyWhenOnto) {
  Random random(2);
  int onto = 0;
  for (int round = 0; round < 300; ++round) {
    unsigned outputs = 1 + pick(random, 6), columns = outputs + pick(random, 4);
    F2Matrix m = randomMatrix(random, columns, outputs);
    auto inverse = m.rightInverse(outputs);
    EXPECT_EQ(inverse.has_value(), m.rank() == outputs);
    if (inverse) {
      ++onto;
      EXPECT_EQ(m.compose(*inverse), F2Matrix::identity(outputs));
    }
  }
  EXPECT_GT(onto, 30);
}

TEST(F2Matrix, ComposeConcatTranspose) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    F2Matrix inner = randomMatrix(random, 6, 5), outer = randomMatrix(random, 5, 7), other = randomMatrix(random, 4, 7);
    F2Matrix both = outer.compose(inner), side = outer.concat(other);
    for (uint64_t x = 0; x < 64; ++x) {
      EXPECT_EQ(both.apply(x), outer.apply(inner.apply(x)));
    }
    for (uint64_t x = 0; x < 512; ++x) {
      EXPECT_EQ(side.apply(x), outer.apply(x & 31) ^ other.apply(x >> 5));
    }
    F2Matrix t = outer.transposed(7);
    for (unsigned i = 0; i < 5; ++i) {
      for (unsigned j = 0; j < 7; ++j) {
        EXPECT_EQ(outer[i] >> j & 1, t[j] >> i & 1);
      }
    }
  }
}

TEST(F2Basis, ReducedHasDistinctLeadingBits) {
  Random random(4);
  for (int round = 0; round < 100; ++round) {
    F2Basis basis;
    for (int i = 0; i < 6; ++i) {
      basis.insert(random() & 0xff);
    }
    auto rows = basis.reduced();
    for (unsigned i = 0; i < rows.size(); ++i) {
      for (unsigned j = 0; j < rows.size(); ++j) {
        uint64_t lead = uint64_t(1) << (63 - __builtin_clzll(rows[i]));
        EXPECT_EQ((rows[j] & lead) != 0, i == j);
      }
      if (i > 0) {
        EXPECT_GT(rows[i - 1], rows[i]);
      }
    }
  }
}
