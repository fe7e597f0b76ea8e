// nvvm.convert.*: conversions that LLVM has no instruction for, bit for bit as the chip does them.
#include "KernelToHost.h"

using namespace mlir;

namespace phobos::tohost {
namespace {

Value bitAnd(KernelToHost &k, Value x, int64_t mask) { return LLVM::AndOp::create(k.b, k.loc, x, k.i32c(mask)); }
Value add(KernelToHost &k, Value x, Value y) { return LLVM::AddOp::create(k.b, k.loc, x, y); }

Value element(KernelToHost &k, Value vector, unsigned i) {
  return LLVM::ExtractElementOp::create(k.b, k.loc, vector, k.i32c(i));
}

LogicalResult lowerToTf32(KernelToHost &k, NVVM::ConvertFloatToTF32Op op) {
  constexpr int64_t kDropped = 0x1fff; // 13 bits
  if (op.getSat() != NVVM::SaturationMode::NONE || op.getRelu()) {
    return k.unknown(op, "saturation and relu");
  }
  Value bits = LLVM::BitcastOp::create(k.b, k.loc, k.i32(), op.getSrc());
  Value rounded = bits;
  switch (op.getRnd()) {
  case NVVM::FPRoundingMode::RNA: // ties away from zero
    rounded = add(k, bits, k.i32c((kDropped + 1) / 2));
    break;
  case NVVM::FPRoundingMode::RN: // ties to even
    rounded = add(k, bits, k.i32c(kDropped / 2));
    rounded = add(k, rounded, bitAnd(k, LLVM::LShrOp::create(k.b, k.loc, bits, k.i32c(13)), 1));
    break;
  case NVVM::FPRoundingMode::RZ:
    break;
  default:
    return k.unknown(op, "this rounding");
  }
  Value isNaN = k.icmp(LLVM::ICmpPredicate::ugt, bitAnd(k, bits, 0x7fffffff), k.i32c(0x7f800000));
  k.replace(op, k.select(isNaN, k.i32c(0x7fffffff), bitAnd(k, rounded, ~kDropped)));
  return success();
}

// --- 8-bit floats
/// e4m3 and e5m2 only.
std::optional<bool> isE5M2(Type type) {
  if (isa<Float8E5M2Type>(type)) {
    return true;
  }
  return isa<Float8E4M3FNType>(type) ? std::optional(false) : std::nullopt;
}

/// Two f32 to codes, as i16 or two bytes.
Value narrowPair(KernelToHost &k, Value low, Value high, bool e5m2, bool relu, Type type) {
  auto narrow = [&](Value x) { return k.call(HostCall::narrowF8, {x, k.i32c(e5m2), k.i32c(relu)}); };
  Value both = LLVM::ShlOp::create(k.b, k.loc, narrow(high), k.i32c(8));
  both = LLVM::OrOp::create(k.b, k.loc, both, narrow(low));
  both = LLVM::TruncOp::create(k.b, k.loc, k.b.getI16Type(), both);
  return type.isInteger(16) ? both : Value(LLVM::BitcastOp::create(k.b, k.loc, type, both));
}

LogicalResult lowerF32ToF8(KernelToHost &k, NVVM::ConvertF32x2ToF8x2Op op) {
  std::optional<bool> e5m2 = isE5M2(op.getDstTy());
  if (!e5m2 || op.getRnd() != NVVM::FPRoundingMode::RN || op.getSat() != NVVM::SaturationMode::SATFINITE) {
    return k.unknown(op, "only e4m3 and e5m2, to nearest, saturating");
  }
  k.replace(op, narrowPair(k, op.getB(), op.getA(), *e5m2, op.getRelu(), op.getDst().getType()));
  return success();
}

/// From pairs of f16 or bf16: exact in f32 first. The first element becomes the upper code of an i16, the lower byte of
/// a vector.
template <typename OpT> LogicalResult lowerHalfToF8(KernelToHost &k, OpT op) {
  std::optional<bool> e5m2 = isE5M2(op.getDstTy());
  if (!e5m2) {
    return k.unknown(op, "only e4m3 and e5m2");
  }
  bool relu = false;
  if constexpr (std::is_same_v<OpT, NVVM::ConvertF16x2ToF8x2Op>) {
    relu = op.getRelu();
  }
  auto wide = [&](unsigned i) -> Value {
    return LLVM::FPExtOp::create(k.b, k.loc, k.b.getF32Type(), element(k, op.getA(), i));
  };
  // cvt.f16x2 takes the upper half of its operand to the upper code; the op's elements lie as in that operand.
  k.replace(op, narrowPair(k, wide(0), wide(1), *e5m2, relu, op.getDst().getType()));
  return success();
}

LogicalResult lowerF8ToF16(KernelToHost &k, NVVM::ConvertF8x2ToF16x2Op op) {
  std::optional<bool> e5m2 = isE5M2(op.getSrcType());
  if (!e5m2) {
    return k.unknown(op, "only e4m3 and e5m2");
  }
  Value result = LLVM::UndefOp::create(k.b, k.loc, op.getDst().getType());
  Type f16 = k.b.getF16Type();
  for (unsigned i = 0; i < 2; ++i) {
    Value code = LLVM::ZExtOp::create(k.b, k.loc, k.i32(), element(k, op.getSrc(), i));
    Value bits = k.call(HostCall::widenF8, {code, k.i32c(*e5m2)});
    bits = LLVM::TruncOp::create(k.b, k.loc, k.b.getI16Type(), bits);
    Value half = LLVM::BitcastOp::create(k.b, k.loc, f16, bits);
    if (op.getRelu()) {
      Value zero = LLVM::ZeroOp::create(k.b, k.loc, f16);
      Value isNegative = LLVM::FCmpOp::create(k.b, k.loc, LLVM::FCmpPredicate::olt, half, zero);
      half = k.select(isNegative, zero, half);
    }
    result = LLVM::InsertElementOp::create(k.b, k.loc, result, half, k.i32c(i));
  }
  k.replace(op, result);
  return success();
}

// --- pairs of f32 to pairs of 16 bits
template <typename OpT> LogicalResult lowerF32ToHalf(KernelToHost &k, OpT op) {
  NVVM::FPRoundingMode rounding = op.getRnd();
  if ((rounding != NVVM::FPRoundingMode::RN && rounding != NVVM::FPRoundingMode::NONE) || op.getRandomBits() ||
      op.getSat() != NVVM::SaturationMode::NONE) {
    return k.unknown(op, "only to nearest, not saturating");
  }
  auto type = cast<VectorType>(op.getDst().getType());
  Value result = LLVM::UndefOp::create(k.b, k.loc, type);
  for (auto [i, source] : llvm::enumerate(SmallVector<Value>{op.getSrcLo(), op.getSrcHi()})) {
    Value narrow = LLVM::FPTruncOp::create(k.b, k.loc, type.getElementType(), source);
    if (op.getRelu()) {
      Value zero = LLVM::ZeroOp::create(k.b, k.loc, type.getElementType());
      Value isNegative = LLVM::FCmpOp::create(k.b, k.loc, LLVM::FCmpPredicate::olt, narrow, zero);
      narrow = k.select(isNegative, zero, narrow);
    }
    result = LLVM::InsertElementOp::create(k.b, k.loc, result, narrow, k.i32c(i));
  }
  k.replace(op, result);
  return success();
}

} // namespace

void registerConvert(HandlerTable &table) {
  addPure<NVVM::ConvertFloatToTF32Op, lowerToTf32>(table);
  addPure<NVVM::ConvertF32x2ToF8x2Op, lowerF32ToF8>(table);
  addPure<NVVM::ConvertF16x2ToF8x2Op, lowerHalfToF8<NVVM::ConvertF16x2ToF8x2Op>>(table);
  addPure<NVVM::ConvertBF16x2ToF8x2Op, lowerHalfToF8<NVVM::ConvertBF16x2ToF8x2Op>>(table);
  addPure<NVVM::ConvertF8x2ToF16x2Op, lowerF8ToF16>(table);
  addPure<NVVM::ConvertF32x2ToF16x2Op, lowerF32ToHalf<NVVM::ConvertF32x2ToF16x2Op>>(table);
  addPure<NVVM::ConvertF32x2ToBF16x2Op, lowerF32ToHalf<NVVM::ConvertF32x2ToBF16x2Op>>(table);
}

} // namespace phobos::tohost
