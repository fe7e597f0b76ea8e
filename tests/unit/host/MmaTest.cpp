// mma.sync against a product written straight from the fragment layouts of the PTX ISA ("Matrix fragments for
// mma.m16n8k…").
#include "Kernels.h"

#include <bit>
#include <cmath>
#include <random>

namespace {

using namespace phobos::host;
using namespace phobos::host::test;

struct Shape {
  const char *name;
  WarpKind kind;
  int k, bits;
  Element element, sum;
  uint8_t flags = 0;
};

void PrintTo(const Shape &shape, std::ostream *out) { *out << shape.name << " flags " << int(shape.flags); }

const Shape kShapes[] = {
#define PHOBOS_WARP_MMA(name, k, element, accumulator, sentence)                                                       \
  {#name,                                                                                                              \
   WarpKind::name,                                                                                                     \
   k,                                                                                                                  \
   Element::element == Element::tf32 ? 32                                                                              \
   : Element::element == Element::s8 ? 8                                                                               \
                                     : 16,                                                                             \
   Element::element,                                                                                                   \
   Element::accumulator},
#include "phobos/host/HostCalls.def"
    {"unsigned A", WarpKind::MmaK32S8, 32, 8, Element::s8, Element::s32, kUnsignedA},
    {"unsigned B", WarpKind::MmaK32S8, 32, 8, Element::s8, Element::s32, kUnsignedB},
    {"saturating", WarpKind::MmaK16S8, 16, 8, Element::s8, Element::s32, kSaturate},
};

struct Problem {
  const WarpOp *op;
  uint32_t (*in)[32]; // by word
  uint32_t (*out)[32];
  int wordsIn, wordsOut;
};

void kernel(ThreadContext *t, void **argv) {
  auto &p = *pointer<Problem>(argv, 0);
  for (int i = 0; i < p.wordsIn; ++i) {
    t->column[static_cast<uint32_t>(i) * kWarpLanes] = p.in[i][t->lane];
  }
  calls::warpProgram(t, p.op, 1, ~0u);
  for (int i = 0; i < p.wordsOut; ++i) {
    p.out[i][t->lane] = t->column[static_cast<uint32_t>(p.op->out[i]) * kWarpLanes];
  }
}

class Mma : public testing::TestWithParam<Shape> {
protected:
  std::mt19937 random{42};

  uint32_t randomBits(const Shape &s) {
    std::uniform_real_distribution<float> real(-2, 2);
    switch (s.element) {
    case Element::f16:
      return std::bit_cast<uint16_t>(static_cast<_Float16>(real(random)));
    case Element::bf16:
      return std::bit_cast<uint32_t>(real(random)) >> 16;
    case Element::tf32:
      return std::bit_cast<uint32_t>(real(random)); // the low bits must not count
    default:
      return random() & 0xff;
    }
  }
  static double value(const Shape &s, uint32_t bits, bool isUnsigned) {
    switch (s.element) {
    case Element::f16:
      return static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
    case Element::bf16:
      return std::bit_cast<float>(bits << 16);
    case Element::tf32:
      return std::bit_cast<float>(bits & 0xffffe000);
    default:
      return isUnsigned ? static_cast<double>(bits & 0xff) : static_cast<double>(static_cast<int8_t>(bits));
    }
  }
};

TEST_P(Mma, AgreesWithTheFragmentLayouts) {
  const Shape &s = GetParam();
  int perWord = 32 / s.bits, wordsA = 16 * s.k / perWord / 32, wordsB = wordsA / 2;
  bool halfSums = s.sum == Element::f16, intSums = s.sum == Element::s32;
  int wordsC = halfSums ? 2 : 4;
  std::vector<std::vector<uint32_t>> a(16, std::vector<uint32_t>(s.k)), b(s.k, std::vector<uint32_t>(8));
  std::vector<std::vector<double>> c(16, std::vector<double>(8));
  for (auto &row : a) {
    for (uint32_t &x : row) {
      x = randomBits(s);
    }
  }
  for (auto &row : b) {
    for (uint32_t &x : row) {
      x = randomBits(s);
    }
  }
  for (auto &row : c) {
    for (double &x : row) {
      x = intSums ? (s.flags & kSaturate ? 2147480000.0 : static_cast<int32_t>(random()) / 2)
                  : static_cast<double>(static_cast<_Float16>(static_cast<int>(random() % 100) / 16.0f));
    }
  }
  // Fragments: groupID = lane >> 2, threadID_in_group = lane & 3.
  uint32_t in[12][32] = {}, out[4][32] = {};
  for (int lane = 0; lane < 32; ++lane) {
    int group = lane >> 2, thread = lane & 3;
    for (int word = 0; word < wordsA; ++word) {
      for (int i = 0; i < perWord; ++i) {
        int row = group + (word % 2 ? 8 : 0), k = thread * perWord + i + (word >= 2 ? 4 * perWord : 0);
        in[word][lane] |= (a[row][k] & (s.bits == 32 ? ~0u : (1u << s.bits) - 1)) << (i * s.bits);
      }
    }
    for (int word = 0; word < wordsB; ++word) {
      for (int i = 0; i < perWord; ++i) {
        int k = thread * perWord + i + word * 4 * perWord;
        in[wordsA + word][lane] |= (b[k][group] & (s.bits == 32 ? ~0u : (1u << s.bits) - 1)) << (i * s.bits);
      }
    }
    for (int i = 0; i < 4; ++i) {
      double x = c[group + (i >= 2 ? 8 : 0)][thread * 2 + (i & 1)];
      uint32_t bits = intSums    ? static_cast<uint32_t>(static_cast<int32_t>(x))
                      : halfSums ? std::bit_cast<uint16_t>(static_cast<_Float16>(x))
                                 : std::bit_cast<uint32_t>(static_cast<float>(x));
      if (halfSums) {
        in[wordsA + wordsB + i / 2][lane] |= bits << (i % 2 * 16);
      } else {
        in[wordsA + wordsB + i][lane] = bits;
      }
    }
  }
  WarpOp op{s.kind, 0, s.flags, 0, {}, {}};
  for (int i = 0; i < wordsA + wordsB + wordsC; ++i) {
    op.in[i] = static_cast<uint16_t>(i);
  }
  for (int i = 0; i < wordsC; ++i) {
    op.out[i] = static_cast<uint16_t>(20 + i);
  }
  Problem problem{&op, in, out, wordsA + wordsB + wordsC, wordsC};
  void *data = &problem, *argv[] = {&data};
  expectClean(simulate(requestFor(kernel, 1, 32, argv)));

  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      int row = (lane >> 2) + (i >= 2 ? 8 : 0), column = (lane & 3) * 2 + (i & 1);
      double want = c[row][column], size = std::fabs(want);
      for (int k = 0; k < s.k; ++k) {
        double product = value(s, a[row][k], s.flags & kUnsignedA) * value(s, b[k][column], s.flags & kUnsignedB);
        want += product;
        size += std::fabs(product);
      }
      if (intSums) {
        auto got = static_cast<int32_t>(out[i][lane]);
        auto exact = static_cast<int64_t>(want);
        int32_t expected = s.flags & kSaturate ? static_cast<int32_t>(std::min<int64_t>(exact, INT32_MAX))
                                               : static_cast<int32_t>(static_cast<uint32_t>(exact));
        ASSERT_EQ(got, expected) << "row " << row << " column " << column;
      } else {
        double got =
            halfSums
                ? static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(out[i / 2][lane] >> (i % 2 * 16))))
                : static_cast<double>(std::bit_cast<float>(out[i][lane]));
        double bound = size * s.k * 0x1p-24 + (halfSums ? std::fabs(want) * 0x1p-11 : 0);
        ASSERT_NEAR(got, want, bound) << "row " << row << " column " << column;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Mma, testing::ValuesIn(kShapes));

/// ldmatrix and stmatrix: matrices there and back, turned and not.
void matrices(ThreadContext *t, void **argv) {
  auto *out = pointer<uint32_t>(argv, 0);
  auto *halves = reinterpret_cast<uint16_t *>(t->shared);
  for (uint32_t i = t->index; i < 512; i += 32) {
    halves[i] = static_cast<uint16_t>(i);
  }
  calls::ctaBarrier(t, 0, 0, 1);
  static const WarpOp kProgram[] = {
      {WarpKind::LdMatrix, 4, 0, 0, {0}, {1, 2, 3, 4}},
      {WarpKind::LdMatrix, 2, kTransposed, 0, {0}, {5, 6}},
      {WarpKind::StMatrix, 2, kTransposed, 0, {7, 5, 6}, {}},
  };
  auto base = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(t->shared));
  t->column[0] = base + t->lane * 16;
  t->column[7 * kWarpLanes] = base + 512 + t->lane * 16;
  calls::warpProgram(t, kProgram, 3, ~0u);
  for (uint32_t word = 1; word <= 6; ++word) {
    out[(word - 1) * 32 + t->lane] = t->column[word * kWarpLanes];
  }
  calls::ctaBarrier(t, 0, 0, 2);
  for (uint32_t i = t->index; i < 128; i += 32) {
    out[6 * 32 + i] = halves[256 + i];
  }
}

TEST(LdMatrix, LanesHoldRowsOrColumns) {
  std::vector<uint32_t> out(6 * 32 + 128);
  void *data = out.data(), *argv[] = {&data};
  LaunchRequest request = requestFor(matrices, 1, 32, argv);
  request.staticSharedBytes = 1024;
  expectClean(simulate(request));
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t row = lane / 4, pair = lane % 4 * 2;
    for (uint32_t m = 0; m < 4; ++m) {
      uint32_t first = m * 64 + row * 8 + pair;
      EXPECT_EQ(out[m * 32 + lane], first | (first + 1) << 16);
    }
    for (uint32_t m = 0; m < 2; ++m) { // column `row`, rows pair and pair + 1
      uint32_t first = m * 64 + pair * 8 + row;
      EXPECT_EQ(out[(4 + m) * 32 + lane], first | (first + 8) << 16);
    }
  }
  for (uint32_t i = 0; i < 128; ++i) {
    EXPECT_EQ(out[6 * 32 + i], i); // turned twice
  }
}

} // namespace
