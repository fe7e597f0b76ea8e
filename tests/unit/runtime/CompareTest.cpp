// What counts as equal to the reference.
#include "phobos/runtime/Autotune.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace phobos;
using namespace phobos::runtime;

namespace {

TEST(Compare, FloatsWithinTheirDtype) {
  std::vector<float> want{1.0f, -100.0f, 0.0f}, got{1.0f, -100.05f, 0.01f}, wrong{1.0f, -100.0f, 1.0f};
  EXPECT_TRUE(matches(DType::f32, got.data(), want.data(), 3));
  EXPECT_FALSE(matches(DType::f32, wrong.data(), want.data(), 3));
  EXPECT_FALSE(matches(DType::f64, std::vector<double>{1.0 + 1e-6}.data(), std::vector<double>{1.0}.data(), 1));
}

TEST(Compare, NarrowFloats) {
  uint16_t one = 0x3C00, near = 0x3C05, far = 0x3D00;
  EXPECT_TRUE(matches(DType::f16, &near, &one, 1));
  EXPECT_FALSE(matches(DType::f16, &far, &one, 1));
  uint16_t bOne = 0x3F80, bFar = 0x3F90;
  EXPECT_TRUE(matches(DType::bf16, &bOne, &bOne, 1));
  EXPECT_FALSE(matches(DType::bf16, &bFar, &bOne, 1));
  uint8_t e = 0x38, f = 0x40; // 1 and 2 in e4m3
  EXPECT_FALSE(matches(DType::f8e4m3, &e, &f, 1));
}

TEST(Compare, NotANumberAndInfinity) {
  float nan = NAN, inf = INFINITY, one = 1.0f, minus = -INFINITY;
  EXPECT_TRUE(matches(DType::f32, &nan, &nan, 1));
  EXPECT_TRUE(matches(DType::f32, &inf, &inf, 1));
  EXPECT_FALSE(matches(DType::f32, &nan, &one, 1));
  EXPECT_FALSE(matches(DType::f32, &one, &nan, 1));
  EXPECT_FALSE(matches(DType::f32, &minus, &inf, 1));
}

TEST(Compare, IntegersExactly) {
  int32_t a[] = {1, 2}, b[] = {1, 3};
  EXPECT_TRUE(matches(DType::i32, a, a, 2));
  EXPECT_FALSE(matches(DType::i32, a, b, 2));
}

} // namespace
