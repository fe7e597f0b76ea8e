// Promotion: properties over every pair of dtypes, and the rules by example.
#include "Promote.h"
#include "gtest/gtest.h"

namespace phobos::sema {
namespace {

const std::vector<Element> kElements = {
#define PHOBOS_DTYPE(name, bits, kind, dlcode) Element(DType::name),
#include "phobos/Support/DTypes.def"
    Element::index(),
};

std::string show(std::optional<Element> element) { return element ? elementName(*element).str() : "none"; }

TEST(Promote, IsSymmetricAndIdempotent) {
  for (Element a : kElements) {
    EXPECT_EQ(show(joinStrong(a, a)), elementName(a));
    for (Element b : kElements) {
      EXPECT_EQ(show(joinStrong(a, b)), show(joinStrong(b, a))) << elementName(a).str() << " " << elementName(b).str();
    }
  }
}

TEST(Promote, HoldsBothSides) {
  for (Element a : kElements) {
    for (Element b : kElements) {
      std::optional<Element> joined = joinStrong(a, b);
      bool wide64 = (a == Element(DType::u64)) != (b == Element(DType::u64));
      if (!joined) {
        EXPECT_TRUE(wide64) << elementName(a).str() << " " << elementName(b).str();
        continue;
      }
      if (a.isInteger() && b.isInteger() && joined->isInteger()) {
        for (Element side : {a, b}) {
          auto [low, high] = integerRange(side);
          auto [joinedLow, joinedHigh] = integerRange(*joined);
          EXPECT_LE(joinedLow, low) << elementName(a).str() << " " << elementName(b).str();
          EXPECT_GE(joinedHigh, high) << elementName(a).str() << " " << elementName(b).str();
        }
      }
      EXPECT_EQ(joined->isFloat(), a.isFloat() || b.isFloat());
    }
  }
}

TEST(Promote, ByExample) {
  const std::tuple<Element, Element, const char *> kCases[] = {
      {DType::f16, DType::bf16, "f32"},       {DType::f16, DType::f32, "f32"},
      {DType::f32, DType::f64, "f64"},        {DType::i64, DType::f16, "f16"},
      {DType::boolean, DType::u8, "u8"},      {DType::i8, DType::u8, "i16"},
      {DType::i32, DType::u8, "i32"},         {DType::i8, DType::u32, "i64"},
      {DType::i64, DType::u64, "none"},       {DType::u8, DType::u16, "u16"},
      {DType::f8e4m3, DType::f16, "f16"},     {DType::f8e4m3, DType::f8e5m2, "f16"},
      {Element::index(), DType::i8, "index"}, {Element::index(), DType::i32, "index"},
      {Element::index(), DType::u32, "i64"},  {Element::index(), DType::i64, "i64"},
      {Element::index(), DType::f16, "f16"},  {Element::index(), DType::boolean, "index"},
  };
  for (const auto &[a, b, expected] : kCases) {
    EXPECT_EQ(show(joinStrong(a, b)), expected) << elementName(a).str() << " " << elementName(b).str();
  }
}

TEST(Promote, LiteralsNeverWiden) {
  for (Element element : kElements) {
    Party tile{element, Strength::Tile}, integer{Element::index(), Strength::Literal},
        real{DType::f32, Strength::Literal};
    EXPECT_EQ(show(join(tile, integer, false)), element.isBool() ? "i32" : elementName(element));
    EXPECT_EQ(show(join(real, tile, false)), element.isFloat() ? elementName(element) : "f32");
  }
}

TEST(Promote, IndexAdaptsToTilesOnly) {
  Party scalar{Element::index(), Strength::Scalar}, tile{DType::i8, Strength::Tile}, other{DType::i8, Strength::Scalar};
  EXPECT_EQ(show(join(scalar, tile, false)), "i8");
  EXPECT_EQ(show(join(scalar, tile, true)), "index");
  EXPECT_EQ(show(join(scalar, other, false)), "index");
}

TEST(Promote, Accumulators) {
  EXPECT_EQ(show(accumulatorOf(DType::boolean)), "i32");
  EXPECT_EQ(show(accumulatorOf(DType::u16)), "i32");
  EXPECT_EQ(show(accumulatorOf(DType::u32)), "u32");
  EXPECT_EQ(show(accumulatorOf(DType::i64)), "i64");
  EXPECT_EQ(show(accumulatorOf(DType::bf16)), "f32");
  EXPECT_EQ(show(accumulatorOf(DType::f64)), "f64");
  EXPECT_EQ(show(accumulatorOf(Element::index())), "index");
}

TEST(Promote, Dots) {
  EXPECT_EQ(show(dotResult(DType::f16, DType::f16)), "f32");
  EXPECT_EQ(show(dotResult(DType::bf16, DType::bf16)), "f32");
  EXPECT_EQ(show(dotResult(DType::f8e4m3, DType::f8e5m2)), "f32");
  EXPECT_EQ(show(dotResult(DType::f32, DType::f32)), "f32");
  EXPECT_EQ(show(dotResult(DType::f64, DType::f64)), "f64");
  EXPECT_EQ(show(dotResult(DType::i8, DType::i8)), "i32");
  EXPECT_EQ(show(dotResult(DType::f16, DType::bf16)), "none");
  EXPECT_EQ(show(dotResult(DType::i32, DType::i32)), "none");
  EXPECT_EQ(show(dotResult(DType::boolean, DType::boolean)), "none");
}

TEST(Promote, Fits) {
  auto fits = [](int64_t value, Element element) { return whyNotFits(ConstantValue::ofInt(value), element).empty(); };
  for (Element element : kElements) {
    if (!element.isInteger() || element == Element(DType::u64)) {
      continue;
    }
    auto [low, high] = integerRange(element);
    EXPECT_TRUE(fits(low, element) && fits(high, element));
    if (high < INT64_MAX) {
      EXPECT_FALSE(fits(high + 1, element)) << elementName(element).str();
      EXPECT_FALSE(fits(low - 1, element)) << elementName(element).str();
    }
  }
  EXPECT_TRUE(whyNotFits(ConstantValue::ofFloat(65504.0), DType::f16).empty());
  EXPECT_TRUE(whyNotFits(ConstantValue::ofFloat(65519.0), DType::f16).empty()); // rounds down to the largest
  EXPECT_EQ(whyNotFits(ConstantValue::ofFloat(65520.0), DType::f16), "65520.0 does not fit in f16 (largest 65504.0)");
  EXPECT_EQ(whyNotFits(ConstantValue::ofFloat(1e39), DType::f32),
            "1e+39 does not fit in f32 (largest 3.4028234663852886e+38)");
  EXPECT_EQ(whyNotFits(ConstantValue::ofFloat(500), DType::f8e4m3), "500.0 does not fit in f8e4m3 (largest 448.0)");
  EXPECT_EQ(whyNotFits(ConstantValue::ofFloat(0.5), DType::i8), "0.5 is a float, i8 holds integers");
}

} // namespace
} // namespace phobos::sema
