// What the ops IRGen writes compute, by folding them on constants: conversions, Python's // and %, shifts.
#include "TreeMaker.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace phobos;
using namespace phobos::irgen;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::optional<int64_t> toInteger(DType from, double value, DType to) {
  TreeMaker tree;
  return tree.evaluateInteger(to, tree.convert(tree.real(from, value), to));
}

std::optional<double> toReal(DType from, double value, DType to) {
  TreeMaker tree;
  return tree.evaluateReal(to, tree.convert(tree.real(from, value), to));
}

std::optional<int64_t> convertInteger(DType from, int64_t value, DType to) {
  TreeMaker tree;
  return tree.evaluateInteger(to, tree.convert(tree.number(from, value), to));
}

std::optional<int64_t> integers(sema::BinaryOp op, DType dtype, int64_t lhs, int64_t rhs) {
  TreeMaker tree;
  return tree.evaluateInteger(dtype, tree.binary(op, tree.number(dtype, lhs), tree.number(dtype, rhs)));
}

std::optional<double> reals(sema::BinaryOp op, double lhs, double rhs) {
  TreeMaker tree;
  return tree.evaluateReal(DType::f64, tree.binary(op, tree.real(DType::f64, lhs), tree.real(DType::f64, rhs)));
}

TEST(Convert, FloatToIntegerTruncates) {
  EXPECT_EQ(toInteger(DType::f32, 2.75, DType::i32), 2);
  EXPECT_EQ(toInteger(DType::f32, -2.75, DType::i32), -2);
  EXPECT_EQ(toInteger(DType::f16, -0.5, DType::u8), 0);
}

TEST(Convert, FloatToIntegerIsExactAtTheBounds) {
  EXPECT_EQ(toInteger(DType::f64, 2147483647.0, DType::i32), INT32_MAX);
  EXPECT_EQ(toInteger(DType::f64, -2147483648.0, DType::i32), INT32_MIN);
  // Read back as signed: all ones is the greatest unsigned.
  EXPECT_EQ(toInteger(DType::f64, 4294967295.0, DType::u32), -1);
  EXPECT_EQ(toInteger(DType::bf16, 200.0, DType::u8), 200 - 256);
}

/// What saturates must not fold to something else: the op is kept, and its lowering saturates.
TEST(Convert, FloatOutOfRangeDoesNotFold) {
  EXPECT_EQ(toInteger(DType::f32, 1e20, DType::i32), std::nullopt);
  EXPECT_EQ(toInteger(DType::f32, -200.0, DType::i8), std::nullopt);
  EXPECT_EQ(toInteger(DType::f32, -7.0, DType::u32), std::nullopt);
  EXPECT_EQ(toInteger(DType::f32, kNaN, DType::i32), std::nullopt);
}

/// Neither of two formats of one width holds the other. (What is rounded does not fold, so only exact values are here.)
TEST(Convert, FloatToFloat) {
  EXPECT_EQ(toReal(DType::f16, 2048.0, DType::bf16), 2048.0);
  EXPECT_EQ(toReal(DType::bf16, 256.0, DType::f16), 256.0);
  EXPECT_EQ(toReal(DType::f8e4m3, 448.0, DType::f64), 448.0);
  EXPECT_EQ(toReal(DType::f8e4m3, 0.5, DType::f8e5m2), 0.5);
  EXPECT_EQ(toReal(DType::f64, -0.375, DType::f16), -0.375);
}

TEST(Convert, IntegerToIntegerWrapsAndExtendsBySign) {
  EXPECT_EQ(convertInteger(DType::i32, 300, DType::i8), 44);
  EXPECT_EQ(convertInteger(DType::i8, -1, DType::i32), -1);
  EXPECT_EQ(convertInteger(DType::u8, 255, DType::i32), 255);
  EXPECT_EQ(convertInteger(DType::boolean, 1, DType::i32), 1);
  EXPECT_EQ(convertInteger(DType::u32, 0xffffffff, DType::i64), 0xffffffff);
}

TEST(Convert, ToIndexSaturatesWhereAnIndexIsNarrower) {
  auto through = [](DType from, int64_t value, bool index64) {
    TreeMaker tree;
    tree.specialisation.index64 = index64;
    sema::Expr *index = tree.convert(tree.number(from, value), sema::Element::index());
    return tree.evaluateInteger(DType::i64, tree.convert(index, DType::i64));
  };
  EXPECT_EQ(through(DType::i64, int64_t(1) << 40, false), INT32_MAX);
  EXPECT_EQ(through(DType::i64, -(int64_t(1) << 40), false), INT32_MIN);
  EXPECT_EQ(through(DType::i64, int64_t(1) << 40, true), int64_t(1) << 40);
  EXPECT_EQ(through(DType::u32, 0xffffffff, false), INT32_MAX);
  EXPECT_EQ(through(DType::u32, 0xffffffff, true), 0xffffffff);
  EXPECT_EQ(through(DType::u64, -1, true), INT64_MAX);
  EXPECT_EQ(through(DType::i8, -3, false), -3);
}

TEST(Convert, ToBoolIsNotZero) {
  auto toBool = [](double value) {
    TreeMaker tree;
    return tree.evaluateInteger(DType::boolean, tree.convert(tree.real(DType::f32, value), DType::boolean));
  };
  EXPECT_EQ(toBool(0.0), 0);
  EXPECT_EQ(toBool(-0.0), 0);
  EXPECT_EQ(toBool(0.25), 1);
  EXPECT_EQ(toBool(kNaN), 1);
}

TEST(Constant, Float8Saturates) {
  TreeMaker tree;
  EXPECT_EQ(tree.evaluateReal(DType::f8e4m3, tree.real(DType::f8e4m3, 1000.0)), 448.0);
  TreeMaker negative;
  EXPECT_EQ(negative.evaluateReal(DType::f8e5m2, negative.real(DType::f8e5m2, -1e9)), -57344.0);
  TreeMaker nan;
  EXPECT_TRUE(std::isnan(*nan.evaluateReal(DType::f8e4m3, nan.real(DType::f8e4m3, kNaN))));
}

TEST(Floor, IntegersAsPythons) {
  for (int64_t a : {-7, -6, -1, 0, 1, 6, 7}) {
    for (int64_t b : {-3, -2, 1, 3}) {
      int64_t quotient = static_cast<int64_t>(std::floor(double(a) / double(b)));
      EXPECT_EQ(integers(sema::BinaryOp::FloorDiv, DType::i32, a, b), quotient) << a << " // " << b;
      EXPECT_EQ(integers(sema::BinaryOp::Mod, DType::i32, a, b), a - b * quotient) << a << " % " << b;
    }
  }
  EXPECT_EQ(integers(sema::BinaryOp::FloorDiv, DType::u8, 250, 3), 83);
  EXPECT_EQ(integers(sema::BinaryOp::Mod, DType::u8, 250, 3), 1);
}

TEST(Floor, FloatsAsNumPys) {
  for (double a : {-7.5, -6.0, -0.5, 0.0, 0.5, 6.0, 7.5}) {
    for (double b : {-2.5, -2.0, 1.0, 2.5}) {
      double quotient = std::floor(a / b);
      EXPECT_EQ(reals(sema::BinaryOp::FloorDiv, a, b), quotient) << a << " // " << b;
      EXPECT_EQ(reals(sema::BinaryOp::Mod, a, b), a - b * quotient) << a << " % " << b;
    }
  }
  // a / b rounds up to 10 here, though b goes only 9 times.
  EXPECT_EQ(reals(sema::BinaryOp::FloorDiv, 1.0, 0.1), 9.0);
  EXPECT_EQ(reals(sema::BinaryOp::FloorDiv, -5.0, kInfinity), -1.0);
  EXPECT_EQ(reals(sema::BinaryOp::FloorDiv, 1.0, 0.0), kInfinity);
}

TEST(Shift, PastTheWidthLeavesOnlyTheSign) {
  EXPECT_EQ(integers(sema::BinaryOp::Shl, DType::i32, 3, 4), 48);
  EXPECT_EQ(integers(sema::BinaryOp::Shl, DType::i32, 3, 32), 0);
  EXPECT_EQ(integers(sema::BinaryOp::Shl, DType::i8, 1, 100), 0);
  EXPECT_EQ(integers(sema::BinaryOp::Shr, DType::i32, -8, 1), -4);
  EXPECT_EQ(integers(sema::BinaryOp::Shr, DType::i32, -8, 40), -1);
  EXPECT_EQ(integers(sema::BinaryOp::Shr, DType::u8, 255, 4), 15);
  EXPECT_EQ(integers(sema::BinaryOp::Shr, DType::u8, 255, 8), 0);
}

TEST(MinMax, NaNWinsAndSignsCount) {
  EXPECT_TRUE(std::isnan(*reals(sema::BinaryOp::Max, 1.0, kNaN)));
  EXPECT_TRUE(std::isnan(*reals(sema::BinaryOp::Min, kNaN, 1.0)));
  EXPECT_EQ(integers(sema::BinaryOp::Max, DType::i8, -1, 1), 1);
  EXPECT_EQ(integers(sema::BinaryOp::Min, DType::u8, 255, 1), 1);
}

} // namespace
