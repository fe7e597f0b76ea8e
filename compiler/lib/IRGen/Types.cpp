// Types and constants of the tile phase: unsigned integers are signless (their ops say so), a bool is an i1 in a value
// and an i8 in memory.
#include "Generator.h"

#include <cmath>

using namespace mlir;

namespace phobos::irgen {

Type Generator::elementType(sema::Element element) {
  if (element.isIndex()) {
    return builder.getIndexType();
  }
  MLIRContext *context = builder.getContext();
  switch (element.dtype()) {
  case DType::boolean:
    return builder.getI1Type();
  case DType::i8:
  case DType::u8:
  case DType::i16:
  case DType::u16:
  case DType::i32:
  case DType::u32:
  case DType::i64:
  case DType::u64:
    return builder.getIntegerType(bitWidth(element.dtype()));
  case DType::f16:
    return builder.getF16Type();
  case DType::bf16:
    return builder.getBF16Type();
  case DType::f32:
    return builder.getF32Type();
  case DType::f64:
    return builder.getF64Type();
  case DType::f8e4m3:
    return Float8E4M3FNType::get(context);
  case DType::f8e5m2:
    return Float8E5M2Type::get(context);
  }
  llvm_unreachable("unknown dtype");
}

Type Generator::memoryType(DType dtype) {
  return dtype == DType::boolean ? Type(builder.getI8Type()) : elementType(dtype);
}

Type Generator::type(const sema::Type *type) {
  Type element = elementType(type->element());
  return type->isScalar() ? element : RankedTensorType::get(type->shape(), element);
}

Type Generator::withElement(Type like, Type element) {
  auto tile = dyn_cast<RankedTensorType>(like);
  return tile ? RankedTensorType::get(tile.getShape(), element) : element;
}

unsigned Generator::bits(sema::Element element) const {
  if (element.isIndex()) {
    return indexBits;
  }
  return element.isBool() ? 1 : bitWidth(element.dtype());
}

TypedAttr Generator::integerAttr(Type element, int64_t value) {
  unsigned width = element.isIndex() ? unsigned(IndexType::kInternalStorageBitWidth) : element.getIntOrFloatBitWidth();
  return IntegerAttr::get(element, APInt(width, value, /*isSigned=*/true, /*implicitTrunc=*/true));
}

TypedAttr Generator::floatAttr(Type element, double value) {
  auto type = cast<FloatType>(element);
  APFloat rounded(value);
  if (type.getWidth() == 8) {
    return FloatAttr::get(type, tile::toFloat8(rounded, type));
  }
  bool inexact;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
  return FloatAttr::get(element, rounded);
}

Value Generator::splat(Location loc, Type type, TypedAttr element) {
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(tile, Attribute(element)));
  }
  return arith::ConstantOp::create(builder, loc, element);
}

Value Generator::integer(Location loc, Type type, int64_t value) {
  return splat(loc, type, integerAttr(getElementTypeOrSelf(type), value));
}

Value Generator::real(Location loc, Type type, double value) {
  return splat(loc, type, floatAttr(getElementTypeOrSelf(type), value));
}

Value Generator::constant(Location loc, Type type, const sema::Constant &constant) {
  return constant.type->element().isFloat() ? real(loc, type, constant.real) : integer(loc, type, constant.integer);
}

} // namespace phobos::irgen
