// Scalars to bytes, against the compiler's own conversions where it has them and known encodings where not.
#include "Fakes.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace phobos;
using namespace phobos::fake;
using namespace phobos::runtime;

namespace {

uint64_t pack(DType type, Argument argument) {
  uint64_t bits = 0;
  EXPECT_TRUE(tryPackScalar(type, argument.scalar, &bits)) << name(type);
  return bits;
}

bool fits(DType type, Argument argument) {
  uint64_t bits = 0;
  return tryPackScalar(type, argument.scalar, &bits);
}

// CASES 24: f16, bf16, f64, i8 and u64 arguments that arrived as 0 or garbage elsewhere.
TEST(Scalars, KnownEncodings) {
  EXPECT_EQ(pack(DType::f16, number(42.0)), 0x5140u);
  EXPECT_EQ(pack(DType::f16, number(65504.0)), 0x7BFFu);
  EXPECT_EQ(pack(DType::f16, number(-65504.0)), 0xFBFFu);
  EXPECT_EQ(pack(DType::f16, number(-INFINITY)), 0xFC00u);
  EXPECT_EQ(pack(DType::f16, number(65519.9)), 0x7BFFu);
  EXPECT_EQ(pack(DType::f16, number(5.9604644775390625e-8)), 1u); // least subnormal
  EXPECT_EQ(pack(DType::f16, number(2.98e-8)), 0u);
  EXPECT_EQ(pack(DType::f16, number(-0.0)), 0x8000u);
  EXPECT_EQ(pack(DType::bf16, number(42.0)), 0x4228u);
  EXPECT_EQ(pack(DType::bf16, number(65500.0)), 0x4780u);
  EXPECT_EQ(pack(DType::bf16, number(INFINITY)), 0x7F80u);
  EXPECT_EQ(pack(DType::f64, number(-65500.0)), 0xC0EFFB8000000000u);
  EXPECT_EQ(pack(DType::f32, integer(3)), 0x40400000u);
  EXPECT_EQ(pack(DType::f8e4m3, number(448.0)), 0x7Eu);
  EXPECT_EQ(pack(DType::f8e4m3, number(INFINITY)), 0x7Fu); // it has none: NaN
  EXPECT_EQ(pack(DType::f8e5m2, number(INFINITY)), 0x7Cu);
  EXPECT_EQ(pack(DType::i8, integer(-128)), 0x80u);
  EXPECT_EQ(pack(DType::boolean, boolean(true)), 1u);
  Argument big = integer(0);
  big.scalar.kind = ScalarArgument::Kind::Unsigned;
  big.scalar.unsignedInteger = UINT64_MAX;
  EXPECT_EQ(pack(DType::u64, big), UINT64_MAX);
  EXPECT_FALSE(fits(DType::i64, big));
}

TEST(Scalars, Ranges) {
  EXPECT_FALSE(fits(DType::i8, integer(128)));
  EXPECT_FALSE(fits(DType::u8, integer(-1)));
  EXPECT_TRUE(fits(DType::u8, integer(255)));
  EXPECT_FALSE(fits(DType::u32, integer(int64_t(1) << 32)));
  EXPECT_TRUE(fits(DType::i64, integer(INT64_MIN)));
  EXPECT_FALSE(fits(DType::i32, number(2.0)));
  EXPECT_FALSE(fits(DType::boolean, integer(2)));
  EXPECT_FALSE(fits(DType::boolean, number(1.0)));
  EXPECT_FALSE(fits(DType::f16, number(65520.0))); // half way to the next, which is infinity
  EXPECT_FALSE(fits(DType::f16, integer(100000)));
  EXPECT_FALSE(fits(DType::bf16, number(-3.4e38)));
  EXPECT_FALSE(fits(DType::f8e4m3, number(1000.0)));
  EXPECT_FALSE(fits(DType::f8e5m2, number(1e9)));
  EXPECT_FALSE(fits(DType::f32, number(1e300)));
  EXPECT_TRUE(fits(DType::f32, number(3.4e38)));
  EXPECT_TRUE(fits(DType::f64, number(1e300)));
}

TEST(Scalars, HalfRoundsAsTheCompilerDoes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (i % 2) { // where the interesting exponents are
      value = std::ldexp(double(random() >> 11) - double(uint64_t(1) << 52), int(random() % 60) - 80);
    }
    _Float16 half = static_cast<_Float16>(value);
    uint16_t want;
    std::memcpy(&want, &half, sizeof want);
    if (std::isnan(value)) {
      continue; // payloads differ
    }
    if (std::isfinite(value) && (want & 0x7FFF) == 0x7C00) {
      ASSERT_FALSE(fits(DType::f16, number(value))) << value;
    } else {
      ASSERT_EQ(pack(DType::f16, number(value)), want) << value;
    }
  }
}

} // namespace
