// Changes of element, as sema::Convert says: to a float rounds to nearest even, float to integer truncates and
// saturates, integer to integer wraps.
#include "Generator.h"

using namespace mlir;

namespace phobos::irgen {

Value Generator::convert(Location loc, Value value, sema::Element from, sema::Element to) {
  if (from == to) {
    return value;
  }
  if (to.isBool()) {
    return isNotZero(loc, value);
  }
  if (from.isFloat()) {
    return to.isFloat() ? convertFloat(loc, value, elementType(to)) : floatToInteger(loc, value, to);
  }
  return to.isFloat() ? integerToFloat(loc, value, from, elementType(to)) : convertInteger(loc, value, from, to);
}

Value Generator::isNotZero(Location loc, Value value) {
  Type type = value.getType();
  if (isa<FloatType>(getElementTypeOrSelf(type))) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, value, real(loc, type, 0.0));
  }
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, integer(loc, type, 0));
}

Value Generator::convertFloat(Location loc, Value value, Type to) {
  Type from = getElementTypeOrSelf(value.getType());
  unsigned fromBits = from.getIntOrFloatBitWidth(), toBits = to.getIntOrFloatBitWidth();
  // Neither of two formats of one width holds the other, and what instructions there are for 8 bits go by f32 or f16.
  bool sameWidth = fromBits == toBits && from != to;
  bool from8 = fromBits == 8 && toBits > 8 && !to.isF16() && !to.isF32();
  bool bf16To8 = from.isBF16() && toBits == 8;
  if (sameWidth || from8 || bf16To8) {
    return convertFloat(loc, convertFloat(loc, value, builder.getF32Type()), to);
  }
  Type result = withElement(value.getType(), to);
  if (fromBits < toBits) {
    return arith::ExtFOp::create(builder, loc, result, value);
  }
  if (fromBits > toBits && toBits == 8) {
    return tile::ToFloat8Op::create(builder, loc, result, value);
  }
  if (fromBits > toBits) {
    return arith::TruncFOp::create(builder, loc, result, value);
  }
  return value;
}

Value Generator::convertInteger(Location loc, Value value, sema::Element from, sema::Element to) {
  if (to.isIndex()) {
    return toIndex(loc, value, from);
  }
  Type result = withElement(value.getType(), elementType(to));
  if (from.isIndex()) {
    return arith::IndexCastOp::create(builder, loc, result, value);
  }
  if (bits(from) > bits(to)) {
    return arith::TruncIOp::create(builder, loc, result, value);
  }
  if (bits(from) == bits(to)) {
    return value;
  }
  if (from.isSigned()) {
    return arith::ExtSIOp::create(builder, loc, result, value);
  }
  return arith::ExtUIOp::create(builder, loc, result, value);
}

/// Saturates where an index is narrower, so that a far start stays out of range.
Value Generator::toIndex(Location loc, Value value, sema::Element from) {
  Type type = value.getType();
  Type result = withElement(type, builder.getIndexType());
  int64_t max = indexBits == 64 ? INT64_MAX : INT32_MAX;
  if (from.isSigned()) {
    if (bits(from) > indexBits) {
      value = arith::MinSIOp::create(builder, loc, value, integer(loc, type, max));
      value = arith::MaxSIOp::create(builder, loc, value, integer(loc, type, INT32_MIN));
    }
    return arith::IndexCastOp::create(builder, loc, result, value);
  }
  if (bits(from) >= indexBits) {
    value = arith::MinUIOp::create(builder, loc, value, integer(loc, type, max));
  }
  return arith::IndexCastUIOp::create(builder, loc, result, value);
}

/// In the tile phase these ops saturate, and make NaN 0: see the dialect's page.
Value Generator::floatToInteger(Location loc, Value value, sema::Element to) {
  if (getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() < 32) {
    value = convertFloat(loc, value, builder.getF32Type());
  }
  Type integers = withElement(value.getType(), builder.getIntegerType(bits(to)));
  Value result = to.isSigned() ? Value(arith::FPToSIOp::create(builder, loc, integers, value))
                               : Value(arith::FPToUIOp::create(builder, loc, integers, value));
  if (to.isIndex()) {
    result = arith::IndexCastOp::create(builder, loc, withElement(integers, builder.getIndexType()), result);
  }
  return result;
}

Value Generator::integerToFloat(Location loc, Value value, sema::Element from, Type to) {
  if (from.isIndex()) {
    Type fixed = withElement(value.getType(), builder.getIntegerType(indexBits));
    value = arith::IndexCastOp::create(builder, loc, fixed, value);
  }
  // By f32 to 8 bits: integers past f32's 24 bits saturate either way.
  Type through = to.getIntOrFloatBitWidth() == 8 ? Type(builder.getF32Type()) : to;
  Type result = withElement(value.getType(), through);
  if (from.isSigned()) {
    value = arith::SIToFPOp::create(builder, loc, result, value);
  } else {
    value = arith::UIToFPOp::create(builder, loc, result, value);
  }
  return convertFloat(loc, value, to);
}

/// Of one width in memory, where a bool is a byte.
Value Generator::bitcast(Location loc, Value value, sema::Element from, sema::Element to) {
  if (to.isBool()) {
    Type bytes = withElement(value.getType(), builder.getI8Type());
    return isNotZero(loc, from.isFloat() ? Value(arith::BitcastOp::create(builder, loc, bytes, value)) : value);
  }
  if (from.isBool()) {
    Type bytes = withElement(value.getType(), builder.getI8Type());
    value = arith::ExtUIOp::create(builder, loc, bytes, value);
  }
  Type result = withElement(value.getType(), elementType(to));
  return value.getType() == result ? value : Value(arith::BitcastOp::create(builder, loc, result, value));
}

} // namespace phobos::irgen
