// The promotion rules of LANGUAGE: mixed dtypes, literals, accumulators.
#include "Promote.h"
#include "ConstEval.h"
#include "llvm/ADT/APFloat.h"

namespace phobos::sema {
namespace {

unsigned bits(Element element) { return element.isIndex() ? 64 : bitWidth(element.dtype()); }

Element signedOfWidth(unsigned width) {
  switch (width) {
  case 8:
    return DType::i8;
  case 16:
    return DType::i16;
  case 32:
    return DType::i32;
  default:
    return DType::i64;
  }
}

std::optional<Element> joinFloats(Element a, Element b) {
  if (bits(a) == bits(b)) {
    return bits(a) == 8 ? DType::f16 : DType::f32; // f16 with bf16; two kinds of f8
  }
  return bits(a) > bits(b) ? a : b;
}

std::optional<Element> joinIntegers(Element a, Element b) {
  if (b.isIndex()) {
    std::swap(a, b);
  }
  if (a.isIndex()) {
    // An index holds everything up to i32; what may be wider wins.
    if (b == Element(DType::u64)) {
      return std::nullopt;
    }
    return b == Element(DType::u32) || b == Element(DType::i64) ? Element(DType::i64) : a;
  }
  if (a.isSigned() == b.isSigned()) {
    return bits(a) > bits(b) ? a : b;
  }
  unsigned signedWidth = bits(a.isSigned() ? a : b), unsignedWidth = bits(a.isSigned() ? b : a);
  if (unsignedWidth == 64) {
    return std::nullopt;
  }
  return signedOfWidth(std::max(signedWidth, 2 * unsignedWidth));
}

const llvm::fltSemantics &semantics(DType dtype) {
  switch (dtype) {
  case DType::f16:
    return llvm::APFloat::IEEEhalf();
  case DType::bf16:
    return llvm::APFloat::BFloat();
  case DType::f64:
    return llvm::APFloat::IEEEdouble();
  case DType::f8e4m3:
    return llvm::APFloat::Float8E4M3FN();
  case DType::f8e5m2:
    return llvm::APFloat::Float8E5M2();
  default:
    return llvm::APFloat::IEEEsingle();
  }
}

} // namespace

std::optional<Element> joinStrong(Element a, Element b) {
  if (a == b) {
    return a;
  }
  if (a.isBool() || b.isBool()) {
    return a.isBool() ? b : a;
  }
  if (a.isFloat() && b.isFloat()) {
    return joinFloats(a, b);
  }
  if (a.isFloat() || b.isFloat()) {
    return a.isFloat() ? a : b;
  }
  return joinIntegers(a, b);
}

std::optional<Element> join(Party a, Party b, bool comparing) {
  if (a.strength > b.strength) {
    std::swap(a, b); // b is the stronger
  }
  if (a.strength == Strength::Literal) {
    if (b.strength == Strength::Literal) {
      return joinStrong(a.element, b.element);
    }
    if (a.element.isFloat()) {
      return b.element.isFloat() ? b.element : Element(DType::f32);
    }
    if (a.element.isIndex() && b.element.isBool()) {
      return Element(DType::i32);
    }
    return b.element;
  }
  bool adapts = a.strength == Strength::Scalar && a.element.isIndex() && b.strength == Strength::Tile;
  if (adapts && !b.element.isBool() && !comparing) {
    return b.element;
  }
  return joinStrong(a.element, b.element);
}

Element elementOf(const ConstantValue &value) {
  switch (value.kind) {
  case ConstantValue::Kind::Bool:
    return DType::boolean;
  case ConstantValue::Kind::Float:
    return DType::f32;
  default:
    return Element::index();
  }
}

std::pair<int64_t, int64_t> integerRange(Element element) {
  unsigned width = element.isIndex() ? 32 : bits(element);
  if (!element.isSigned()) {
    return {0, width >= 63 ? INT64_MAX : (int64_t(1) << width) - 1};
  }
  return width == 64 ? std::pair<int64_t, int64_t>(INT64_MIN, INT64_MAX)
                     : std::pair<int64_t, int64_t>(-(int64_t(1) << (width - 1)), (int64_t(1) << (width - 1)) - 1);
}

std::string whyNotFits(const ConstantValue &value, Element element) {
  using Kind = ConstantValue::Kind;
  if (element.isBool()) {
    return "";
  }
  if (element.isFloat()) {
    double real = value.kind == Kind::Float ? value.real : static_cast<double>(value.integer);
    if (!std::isfinite(real)) {
      return "";
    }
    llvm::APFloat number(real);
    bool inexact;
    auto status = number.convert(semantics(element.dtype()), llvm::APFloat::rmNearestTiesToEven, &inexact);
    if (status & llvm::APFloat::opOverflow || !number.isFinite()) {
      llvm::APFloat largest = llvm::APFloat::getLargest(semantics(element.dtype()));
      largest.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &inexact);
      return toText(value) + " does not fit in " + elementName(element).str() + " (largest " +
             toText(ConstantValue::ofFloat(largest.convertToDouble())) + ")";
    }
    return "";
  }
  if (value.kind == Kind::Float) {
    return toText(value) + " is a float, " + elementName(element).str() + " holds integers";
  }
  auto [low, high] = integerRange(element);
  if (value.integer >= low && value.integer <= high) {
    return "";
  }
  return toText(value) + " does not fit in " + elementName(element).str() + " (" + std::to_string(low) + " to " +
         std::to_string(high) + ")";
}

Element accumulatorOf(Element element) {
  if (element.isBool() || (element.isInteger() && !element.isIndex() && bits(element) < 32)) {
    return DType::i32;
  }
  return element.isFloat() && bits(element) < 32 ? Element(DType::f32) : element;
}

std::optional<Element> dotResult(Element a, Element b) {
  if (a.isIndex() || b.isIndex() || (!(a == b) && !(a.isFloat8() && b.isFloat8()))) {
    return std::nullopt;
  }
  if (a.isFloat()) {
    return a == Element(DType::f64) ? a : Element(DType::f32);
  }
  if (a == Element(DType::i8) || a == Element(DType::u8)) {
    return Element(DType::i32);
  }
  return std::nullopt;
}

} // namespace phobos::sema
