// Casts between element types, on scalars and tiles.
//
// Float to float rounds to nearest even; to f16 and bf16 two at a time, which is one instruction. Float to integer
// truncates and saturates, NaN becomes 0. To 8-bit floats: overflow and infinities become the largest finite value
// (PTX's satfinite), NaN becomes 0x7f; by instructions where the chip has them, else by the same arithmetic on
// integers, bit for bit.
#include "phobos/Conversion/Elementwise.h"

#include "phobos/Conversion/Registers.h"
#include "phobos/Target/Chip.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

bool isF8(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8; }

/// Elements of op's result from those of its operand, `n` at a time where there are as many, else one.
void convertGroups(Lowering &l, Operation *op, unsigned n,
                   llvm::function_ref<SmallVector<Value>(ArrayRef<Value>)> rule) {
  Value source = op->getOperand(0), result = op->getResult(0);
  if (!isa<RankedTensorType>(source.getType())) {
    l.setScalar(result, rule(l.scalar(source))[0]);
    return;
  }
  SmallVector<Value> elements = l.elements(source), results;
  for (size_t i = 0; i < elements.size();) {
    size_t take = elements.size() - i < n ? 1 : n;
    llvm::append_range(results, rule(ArrayRef(elements).slice(i, take)));
    i += take;
  }
  l.setElements(result, results);
}

SmallVector<Value> split(Lowering &l, Value vector, unsigned n) {
  SmallVector<Value> elements;
  for (unsigned i = 0; i < n; ++i) {
    elements.push_back(LLVM::ExtractElementOp::create(l.b, l.loc, vector, l.i32c(i)));
  }
  return elements;
}

Value pair(Lowering &l, Value low, Value high) { return RegisterReader(l, ArrayRef<Value>{low, high}).group({0, 1}); }

// --- 8-bit floats
/// What distinguishes e4m3 from e5m2.
struct F8Format {
  unsigned mantissaBits;
  unsigned bias;
  uint32_t largest; // code of the largest finite value
  static F8Format of(Type type) {
    return type.getIntOrFloatBitWidth() == 8 && isa<Float8E5M2Type>(type) ? F8Format{2, 15, 0x7b}
                                                                          : F8Format{3, 7, 0x7e};
  }
};

/// f32 to the code of an 8-bit float, i8.
Value narrowF8(Lowering &l, Value x, F8Format format) {
  constexpr unsigned kMantissaBits = 23, kBias = 127;
  unsigned dropped = kMantissaBits - format.mantissaBits;
  Value bits = l.bitcast(l.i32(), x);
  Value magnitude = l.bitAnd(bits, 0x7fffffff);
  // Normal: round away the low bits, to even, and shift the exponent's origin. Infinities and all that is too large end
  // above the largest.
  Value odd = l.bitAnd(l.lshr(magnitude, dropped), 1);
  Value rounded = l.add(l.add(magnitude, odd), (int64_t(1) << (dropped - 1)) - 1);
  Value normal = l.sub(l.lshr(rounded, dropped), l.i32c((kBias - format.bias) << format.mantissaBits));
  normal = LLVM::UMinOp::create(l.b, l.loc, normal, l.i32c(format.largest));
  // Subnormal: adding a number whose last place is the smallest subnormal rounds to it.
  int64_t anchor = int64_t(kBias - format.bias + dropped + 1) << kMantissaBits;
  Value anchored = LLVM::FAddOp::create(l.b, l.loc, l.bitcast(l.b.getF32Type(), magnitude),
                                        l.bitcast(l.b.getF32Type(), l.i32c(anchor)));
  Value subnormal = l.sub(l.bitcast(l.i32(), anchored), l.i32c(anchor));
  int64_t smallestNormal = int64_t(kBias - format.bias + 1) << kMantissaBits;
  Value code = l.select(l.icmp(LLVM::ICmpPredicate::ult, magnitude, l.i32c(smallestNormal)), subnormal, normal);
  code = LLVM::OrOp::create(l.b, l.loc, code, l.bitAnd(l.lshr(bits, 24), 0x80));
  Value isNaN = l.icmp(LLVM::ICmpPredicate::ugt, magnitude, l.i32c(0x7f800000));
  return LLVM::TruncOp::create(l.b, l.loc, l.b.getI8Type(), l.select(isNaN, l.i32c(0x7f), code));
}

/// The code of an 8-bit float to f16, exactly.
Value widenF8(Lowering &l, Value code, F8Format format) {
  Type i16 = l.b.getI16Type(), f16 = l.b.getF16Type();
  Value wide = LLVM::ZExtOp::create(l.b, l.loc, i16, code);
  if (format.mantissaBits == 2) {
    return l.bitcast(f16, l.shl(wide, 8)); // the upper half of an f16
  }
  // Exponent and mantissa in f16's places are too small by the difference of the biases, subnormals included.
  Value sign = l.bitAnd(l.shl(wide, 8), 0x8000);
  Value magnitude = l.shl(l.bitAnd(wide, 0x7f), 7);
  Value value = l.bitcast(f16, LLVM::OrOp::create(l.b, l.loc, sign, magnitude));
  value = LLVM::FMulOp::create(l.b, l.loc, value, l.constantF(f16, 256));
  Value isNaN = l.icmp(LLVM::ICmpPredicate::eq, l.bitAnd(wide, 0x7f), l.constant(i16, 0x7f));
  return l.select(isNaN, l.bitcast(f16, l.constant(i16, 0x7fff)), value);
}

/// One or two codes to f16.
SmallVector<Value> widenF8(Lowering &l, ArrayRef<Value> codes, Type type) {
  if (!l.chip.has(target::kMmaFp8)) {
    return llvm::map_to_vector(codes, [&](Value code) { return widenF8(l, code, F8Format::of(type)); });
  }
  Value both = pair(l, codes.front(), codes.back());
  Value wide =
      NVVM::ConvertF8x2ToF16x2Op::create(l.b, l.loc, VectorType::get(2, l.b.getF16Type()), both, /*relu=*/false, type);
  return split(l, wide, codes.size());
}

/// One or two f32 to codes.
SmallVector<Value> narrowF8(Lowering &l, ArrayRef<Value> values, Type type) {
  if (!l.chip.has(target::kMmaFp8)) {
    return llvm::map_to_vector(values, [&](Value value) { return narrowF8(l, value, F8Format::of(type)); });
  }
  // The first operand becomes the upper half.
  Value both = NVVM::ConvertF32x2ToF8x2Op::create(l.b, l.loc, VectorType::get(2, l.b.getI8Type()), values.back(),
                                                  values.front(), NVVM::FPRoundingMode::RN,
                                                  NVVM::SaturationMode::SATFINITE, /*relu=*/false, type);
  return split(l, both, values.size());
}

/// f64 to f32 so that rounding again, to at most 22 bits, is right: what is inexact gets an odd last bit.
Value roundToOdd(Lowering &l, Value x) {
  Value near = LLVM::FPTruncOp::create(l.b, l.loc, l.b.getF32Type(), x);
  Value back = LLVM::FPExtOp::create(l.b, l.loc, x.getType(), near);
  Value bits = l.bitcast(l.i32(), near);
  auto magnitude = [&](Value value) -> Value { return LLVM::FAbsOp::create(l.b, l.loc, value); };
  auto compare = [&](LLVM::FCmpPredicate predicate, Value a, Value c) -> Value {
    return LLVM::FCmpOp::create(l.b, l.loc, predicate, a, c);
  };
  Value grew = compare(LLVM::FCmpPredicate::ogt, magnitude(back), magnitude(x));
  Value truncated = l.select(grew, l.sub(bits, l.i32c(1)), bits);
  Value odd = LLVM::OrOp::create(l.b, l.loc, truncated, l.i32c(1));
  Value inexact = compare(LLVM::FCmpPredicate::one, back, x);
  return l.bitcast(l.b.getF32Type(), l.select(inexact, odd, bits));
}

/// An integer of more than 24 bits to f32 in the same sense.
template <typename LLVMOp> Value integerToOdd(Lowering &l, Value x) {
  Type f64 = l.b.getF64Type();
  if (x.getType().getIntOrFloatBitWidth() == 32) {
    return roundToOdd(l, LLVMOp::create(l.b, l.loc, f64, x)); // exact in f64
  }
  // Beyond 53 bits f64 rounds too: the lowest twelve are folded into one, far below the last bit that counts.
  constexpr int64_t kFolded = 0xfff;
  bool isSigned = std::is_same_v<LLVMOp, LLVM::SIToFPOp>;
  Value magnitude = isSigned ? Value(LLVM::AbsOp::create(l.b, l.loc, x.getType(), x, /*is_int_min_poison=*/false)) : x;
  Value rest = l.icmp(LLVM::ICmpPredicate::ne, l.bitAnd(magnitude, kFolded), l.i64c(0));
  Value sticky = l.shl(LLVM::ZExtOp::create(l.b, l.loc, x.getType(), rest), 11);
  Value folded = LLVM::OrOp::create(l.b, l.loc, l.bitAnd(magnitude, ~kFolded), sticky);
  Value isBig = l.icmp(LLVM::ICmpPredicate::uge, magnitude, l.i64c(int64_t(1) << 53));
  Value wide = roundToOdd(l, LLVM::UIToFPOp::create(l.b, l.loc, f64, l.select(isBig, folded, magnitude)));
  if (!isSigned) {
    return wide;
  }
  Value isNegative = l.icmp(LLVM::ICmpPredicate::slt, x, l.i64c(0));
  return l.select(isNegative, LLVM::FNegOp::create(l.b, l.loc, wide), wide);
}

/// A bf16 is the upper half of an f32.
Value widenBF16(Lowering &l, Value x) {
  Value bits = LLVM::ZExtOp::create(l.b, l.loc, l.i32(), l.bitcast(l.b.getI16Type(), x));
  return l.bitcast(l.b.getF32Type(), l.shl(bits, 16));
}

bool narrowsToHalf(tile::KernelOp kernel) {
  return kernel
      .walk([](arith::TruncFOp op) {
        return elementType(op.getOut()).isF16() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

// --- arith ops
/// Pairs of bfloat as f32 by their bits. LLVM would take a pair apart that was just rounded, and round each number of
/// it once more by a conversion of its own, of which a multiprocessor does a quarter as many.
LogicalResult widenPairs(Lowering &l, arith::ExtFOp op) {
  SmallVector<Value> wide;
  for (Value word : l.words(op.getIn())) {
    Value bits = l.bitcast(l.i32(), word);
    wide.push_back(l.bitcast(l.b.getF32Type(), l.shl(bits, 16)));
    wide.push_back(l.bitcast(l.b.getF32Type(), l.bitAnd(bits, 0xffff0000)));
  }
  l.setWords(op.getOut(), wide);
  return success();
}

LogicalResult lowerExtf(Lowering &l, arith::ExtFOp op) {
  Type from = elementType(op.getIn()), to = elementType(op.getOut());
  if (isF8(from)) {
    convertGroups(l, op, 2, [&](ArrayRef<Value> codes) {
      SmallVector<Value> halves = widenF8(l, codes, from);
      for (Value &x : halves) {
        if (to.isBF16()) { // exact by way of f32
          x = LLVM::FPExtOp::create(l.b, l.loc, l.b.getF32Type(), x);
          x = LLVM::FPTruncOp::create(l.b, l.loc, to, x);
        } else if (!to.isF16()) {
          x = LLVM::FPExtOp::create(l.b, l.loc, to, x);
        }
      }
      return halves;
    });
    return success();
  }
  auto tile = dyn_cast<RankedTensorType>(op.getIn().getType());
  if (tile && from.isBF16() && to.isF32() && l.pack(tile) == 2) {
    return widenPairs(l, op);
  }
  // Of `fptrunc half (op (fpext bfloat), …)` LLVM's instcombine (22) makes an operation in half, which does not hold
  // bfloat's exponents: where a kernel has both formats, it is not told of the extension.
  bool byBits = from.isBF16() && narrowsToHalf(l.kernel);
  mapRegisters(l, op, Packing::Elements, [&](ArrayRef<Value> x, Type type) -> Value {
    Value source = byBits ? widenBF16(l, x[0]) : x[0];
    return source.getType() == type ? source : Value(LLVM::FPExtOp::create(l.b, l.loc, type, source));
  });
  return success();
}

LogicalResult lowerTruncf(Lowering &l, arith::TruncFOp op) {
  Type from = elementType(op.getIn()), to = elementType(op.getOut());
  if (op.getRoundingmode() && *op.getRoundingmode() != arith::RoundingMode::to_nearest_even) {
    return op.emitError("internal: only rounding to nearest even is lowered");
  }
  if (isF8(to)) {
    return op.emitError("internal: to 8 bits rounds tile.to_float8");
  }
  convertGroups(l, op, 2, [&](ArrayRef<Value> values) -> SmallVector<Value> {
    if (values.size() == 2 && from.isF32()) {
      Value narrow = LLVM::FPTruncOp::create(l.b, l.loc, VectorType::get(2, to), pair(l, values[0], values[1]));
      return split(l, narrow, 2);
    }
    return llvm::map_to_vector(values, [&](Value x) -> Value { return LLVM::FPTruncOp::create(l.b, l.loc, to, x); });
  });
  return success();
}

LogicalResult lowerToFloat8(Lowering &l, tile::ToFloat8Op op) {
  Type from = elementType(op.getIn()), to = elementType(op.getOut());
  convertGroups(l, op, 2, [&](ArrayRef<Value> values) {
    SmallVector<Value> wide = llvm::map_to_vector(values, [&](Value x) -> Value {
      return from.isF32()   ? x
             : from.isF64() ? roundToOdd(l, x)
                            : Value(LLVM::FPExtOp::create(l.b, l.loc, l.b.getF32Type(), x));
    });
    return narrowF8(l, wide, to);
  });
  return success();
}

/// Words of four bytes as floats, exactly: a byte becomes the last bits of a float that is a power of two, which is
/// then taken off it. Conversions of single numbers are a quarter as fast as arithmetic, and bytes would have to be
/// unpacked.
class ByteWidener {
public:
  ByteWidener(Lowering &l, bool isSigned) : l(l), shift(isSigned ? 128 : 0) {}

  /// Two words of two halves: 0x64 before a byte is 1024 and the byte.
  void toF16(Value word, SmallVectorImpl<Value> &out) {
    auto halves = VectorType::get(2, l.b.getF16Type());
    for (int first : {0, 2}) {
      Value mixed = pick(biased(word), {0x64, 0x64, 0x64, 0x64}, {first, 4, first + 1, 4});
      Value origin = LLVM::ConstantOp::create(
          l.b, l.loc, halves, DenseElementsAttr::get(halves, l.b.getFloatAttr(l.b.getF16Type(), 1024 + shift)));
      out.push_back(LLVM::FSubOp::create(l.b, l.loc, l.bitcast(halves, mixed), origin));
    }
  }

  /// Four numbers: 0x4b0000 before a byte is 2^23 and the byte.
  SmallVector<Value, 4> toF32(Value word) {
    SmallVector<Value, 4> numbers;
    for (int i = 0; i < 4; ++i) {
      Value mixed = pick(biased(word), {0, 0, 0, 0x4b}, {i, 4, 4, 7});
      Value origin = l.constantF(l.b.getF32Type(), double((1 << 23) + shift));
      numbers.push_back(LLVM::FSubOp::create(l.b, l.loc, l.bitcast(l.b.getF32Type(), mixed), origin));
    }
    return numbers;
  }

  /// Two words of two: the upper halves of f32, which have room for eight bits.
  void toBF16(Value word, SmallVectorImpl<Value> &out) {
    auto parts = VectorType::get(2, l.b.getI16Type()), pairs = VectorType::get(2, l.b.getBF16Type());
    SmallVector<Value, 4> numbers = toF32(word);
    for (int first : {0, 2}) {
      Value low = l.bitcast(parts, numbers[first]), high = l.bitcast(parts, numbers[first + 1]);
      Value upper = LLVM::ShuffleVectorOp::create(l.b, l.loc, low, high, ArrayRef<int32_t>{1, 3});
      out.push_back(l.bitcast(pairs, upper));
    }
  }

private:
  /// Signed bytes moved by 128, so that none is negative.
  Value biased(Value word) {
    return shift ? l.bitcast(word.getType(), l.bitXor(l.bitcast(l.i32(), word), l.i32c(0x80808080))) : word;
  }

  /// Bytes of the word, numbers 0 to 3, and of `others`, 4 to 7.
  Value pick(Value word, ArrayRef<uint8_t> others, ArrayRef<int32_t> which) {
    auto type = cast<VectorType>(word.getType());
    auto bytes = llvm::map_to_vector(others, [](uint8_t byte) { return APInt(8, byte); });
    Value constants = LLVM::ConstantOp::create(l.b, l.loc, type, DenseElementsAttr::get(type, bytes));
    return LLVM::ShuffleVectorOp::create(l.b, l.loc, word, constants, which);
  }

  Lowering &l;
  int shift;
};

/// Tiles of bytes by words; false for anything else.
bool widenBytes(Lowering &l, Operation *op, bool isSigned) {
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!from || !from.getElementType().isInteger(8) || l.pack(from) != 4) {
    return false;
  }
  Type element = to.getElementType();
  ByteWidener widener(l, isSigned);
  SmallVector<Value> words;
  for (Value word : l.words(op->getOperand(0))) {
    if (element.isF16()) {
      widener.toF16(word, words);
    } else if (element.isBF16()) {
      widener.toBF16(word, words);
    } else if (element.isF32()) {
      llvm::append_range(words, widener.toF32(word));
    } else {
      return false;
    }
  }
  l.setWords(op->getResult(0), words);
  return true;
}

template <typename OpT, typename LLVMOp> LogicalResult lowerIntToFloat(Lowering &l, OpT op) {
  Type to = elementType(op.getOut());
  if (widenBytes(l, op, std::is_same_v<LLVMOp, LLVM::SIToFPOp>)) {
    return success();
  }
  if (isF8(to)) {
    convertGroups(l, op, 2, [&](ArrayRef<Value> values) {
      SmallVector<Value> wide = llvm::map_to_vector(
          values, [&](Value x) -> Value { return LLVMOp::create(l.b, l.loc, l.b.getF32Type(), x); });
      return narrowF8(l, wide, to); // what f32 rounds is too large for the result anyway
    });
    return success();
  }
  mapRegisters(l, op, Packing::Elements, [&](ArrayRef<Value> x, Type type) -> Value {
    if (!type.isBF16() || x[0].getType().getIntOrFloatBitWidth() <= 24) {
      return LLVMOp::create(l.b, l.loc, type, x[0]);
    }
    // A plain conversion by way of f32 would round twice.
    return LLVM::FPTruncOp::create(l.b, l.loc, type, integerToOdd<LLVMOp>(l, x[0]));
  });
  return success();
}

template <typename OpT> LogicalResult lowerFloatToInt(Lowering &l, OpT op) {
  Type from = elementType(op.getIn());
  constexpr bool isSigned = std::is_same_v<OpT, arith::FPToSIOp>;
  StringAttr intrinsic = l.b.getStringAttr(isSigned ? "llvm.fptosi.sat" : "llvm.fptoui.sat");
  mapRegisters(l, op, Packing::Elements, [&](ArrayRef<Value> x, Type type) -> Value {
    Value value = isF8(from) ? widenF8(l, x[0], from)[0] : x[0];
    return LLVM::CallIntrinsicOp::create(l.b, l.loc, type, intrinsic, value).getResult(0);
  });
  return success();
}

template <typename OpT, typename LLVMOp> LogicalResult lowerIntegerCast(Lowering &l, OpT op) {
  mapRegisters(l, op, Packing::Elements,
               [&](ArrayRef<Value> x, Type type) -> Value { return LLVMOp::create(l.b, l.loc, type, x[0]); });
  return success();
}

template <typename OpT, typename ExtendOp> LogicalResult lowerIndexCast(Lowering &l, OpT op) {
  mapRegisters(l, op, Packing::Elements, [&](ArrayRef<Value> x, Type type) -> Value {
    unsigned from = x[0].getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
    return from == to  ? x[0]
           : from < to ? Value(ExtendOp::create(l.b, l.loc, type, x[0]))
                       : Value(LLVM::TruncOp::create(l.b, l.loc, type, x[0]));
  });
  return success();
}

/// The same bits, of which LLVM does not see where they are from. Its instcombine (22) makes ill-typed code of a float
/// of 16 bits that was cast from the other format and is compared with zero.
Value withoutOrigin(Lowering &l, Value bits) {
  Type type = bits.getType();
  return l.inlineAsm(type, bits, "", type.isInteger(16) ? "=h,0" : "=r,0", /*effects=*/false).getResult(0);
}

LogicalResult lowerBitcast(Lowering &l, arith::BitcastOp op) {
  Type result = getElementTypeOrSelf(op.getType());
  mapRegisters(l, op, Packing::Words, [&](ArrayRef<Value> x, Type type) -> Value {
    if (!result.isF16() && !result.isBF16()) {
      return l.bitcast(type, x[0]);
    }
    unsigned width = isa<VectorType>(type) ? 32 : 16;
    return l.bitcast(type, withoutOrigin(l, l.bitcast(l.b.getIntegerType(width), x[0])));
  });
  return success();
}

} // namespace

Value widenFloat8(Lowering &l, Value code, Type type) { return widenF8(l, ArrayRef(code), type).front(); }

void registerConvert(Lowering::HandlerTable &table) {
  Lowering::add<arith::ExtFOp, lowerExtf>(table);
  Lowering::add<arith::TruncFOp, lowerTruncf>(table);
  Lowering::add<tile::ToFloat8Op, lowerToFloat8>(table);
  Lowering::add<arith::SIToFPOp, lowerIntToFloat<arith::SIToFPOp, LLVM::SIToFPOp>>(table);
  Lowering::add<arith::UIToFPOp, lowerIntToFloat<arith::UIToFPOp, LLVM::UIToFPOp>>(table);
  Lowering::add<arith::FPToSIOp, lowerFloatToInt<arith::FPToSIOp>>(table);
  Lowering::add<arith::FPToUIOp, lowerFloatToInt<arith::FPToUIOp>>(table);
  Lowering::add<arith::ExtSIOp, lowerIntegerCast<arith::ExtSIOp, LLVM::SExtOp>>(table);
  Lowering::add<arith::ExtUIOp, lowerIntegerCast<arith::ExtUIOp, LLVM::ZExtOp>>(table);
  Lowering::add<arith::TruncIOp, lowerIntegerCast<arith::TruncIOp, LLVM::TruncOp>>(table);
  Lowering::add<arith::IndexCastOp, lowerIndexCast<arith::IndexCastOp, LLVM::SExtOp>>(table);
  Lowering::add<arith::IndexCastUIOp, lowerIndexCast<arith::IndexCastUIOp, LLVM::ZExtOp>>(table);
  Lowering::add<arith::BitcastOp, lowerBitcast>(table);
}

} // namespace phobos::lowering
