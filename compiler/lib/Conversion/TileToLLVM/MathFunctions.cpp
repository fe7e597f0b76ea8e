// Elementary functions of f32. Coefficients are minimax fits in the stated range (Remez, relative error of the whole
// function), rounded to f32. Bounds in units of the last place, measured on sm_90 over every float (pow: over samples):
//   exp2 2.4, exp 2.1 + 1.2 |x|, log 1, log2 2, log10 3, log1p 1.5, rsqrt 2, sin and cos 2 (3 for |x| > 65536), tan 5,
//   tanh 2.1, erf 1.2, pow 5.
#include "MathFunctions.h"

#include "phobos/Conversion/Elementwise.h"

#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace phobos::lowering {

using Predicate = LLVM::FCmpPredicate;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
static constexpr double kSmallestNormal = 0x1p-126;
static constexpr unsigned kMantissaBits = 23;
// Constants in one piece or two.
static constexpr double kLog2E[] = {0x1.715476p+0, 0x1.4ae0cp-26};
static constexpr double kLn2 = 0x1.62e430p-1;
static constexpr double kLog10Of2[] = {0x1.344136p-2, -0x1.ec10cp-27};
static constexpr double kLog10E[] = {0x1.bcb7b2p-2, -0x1.5b235ep-27};

static Real fromBits(Lowering &l, Value bits) { return {l, l.bitcast(l.b.getF32Type(), bits)}; }
static Real toReal(Lowering &l, Value integer) {
  return {l, LLVM::SIToFPOp::create(l.b, l.loc, l.b.getF32Type(), integer)};
}
/// Of an integral number in range.
static Value toInteger(Lowering &l, Real x) { return LLVM::FPToSIOp::create(l.b, l.loc, l.i32(), x); }
static Value shiftRightSigned(Lowering &l, Value x, unsigned by) {
  return LLVM::AShrOp::create(l.b, l.loc, x, l.i32c(by));
}

// --- exponentials
Value emitExp2(Lowering &l, Value x) { return LLVM::Exp2Op::create(l.b, l.loc, TypeRange(x.getType()), x); }

Value emitExp2Flushed(Lowering &l, Value x) {
  auto intrinsic = l.b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32");
  return LLVM::CallIntrinsicOp::create(l.b, l.loc, x.getType(), intrinsic, x).getResult(0);
}

Value emitExp(Lowering &l, Value x) { return emitExp2(l, Real(l, x) * kLog2E[0]); }

Value emitRsqrt(Lowering &l, Value x) {
  // With both flags this is one rsqrt.approx.
  auto root = LLVM::SqrtOp::create(l.b, l.loc, TypeRange(x.getType()), x);
  root.setFastmathFlags(LLVM::FastmathFlags::afn);
  return divideApproximately(Real(l, x).number(1), Real(l, root));
}

// --- logarithms
namespace {
/// x = 2^exponent * mantissa, mantissa from `lowest` (a bit pattern) to twice that.
struct Parts {
  Value exponent; // i32
  Real mantissa;
};
} // namespace

static Parts takeApart(Lowering &l, Real x, int64_t lowest) {
  Value bits = x.bits();
  Value exponent = shiftRightSigned(l, l.sub(bits, l.i32c(lowest)), kMantissaBits);
  return {exponent, fromBits(l, l.sub(bits, l.shl(exponent, kMantissaBits)))};
}

static constexpr int64_t kTwoThirds = 0x3f2aaaab;

/// log(1 + f) for |f| <= 1/3: f - f^2/2 + f^3 P(f); fit 2^-26.9.
static Real logOnePlus(Real f) {
  Real p = polynomial(f, {-0x1.04cba2p-3, 0x1.20822cp-3, -0x1.f4ded6p-4, 0x1.1e848ep-3, -0x1.5589b4p-3, 0x1.99d28ep-3,
                          -0x1.ffff78p-3, 0x1.55550cp-2, -0.5});
  return fma(p, f * f, f);
}

/// log(x) = exponent * ln 2 + log(mantissa), and what x = 0, infinity, NaN and negative x give.
static Value logarithm(Lowering &l, Value value, llvm::function_ref<Real(Real exponent, Real logMantissa)> join) {
  Real x(l, value);
  Value isSubnormal = compare(Predicate::olt, x, kSmallestNormal);
  Parts parts = takeApart(l, choose(isSubnormal, x * 0x1p23, x), kTwoThirds);
  Real exponent = toReal(l, parts.exponent) + choose(isSubnormal, x.number(-23), x.number(0));
  Real result = join(exponent, logOnePlus(parts.mantissa - 1));
  result = choose(compare(Predicate::olt, x, kInfinity), result, x); // infinity and NaN stay
  result = choose(compare(Predicate::olt, x, 0), x.number(kNaN), result);
  return choose(compare(Predicate::oeq, x, 0), x.number(-kInfinity), result);
}

Value emitLog(Lowering &l, Value x) {
  return logarithm(l, x, [](Real exponent, Real log) { return fma(exponent, kLn2, log); });
}

Value emitLog2(Lowering &l, Value x) {
  return logarithm(l, x, [](Real exponent, Real log) { return fma(log, kLog2E[0], fma(log, kLog2E[1], exponent)); });
}

Value emitLog10(Lowering &l, Value x) {
  return logarithm(l, x, [](Real exponent, Real log) {
    Real low = fma(exponent, kLog10Of2[1], log * kLog10E[1]);
    return fma(exponent, kLog10Of2[0], fma(log, kLog10E[0], low));
  });
}

Value emitLog1p(Lowering &l, Value value) {
  Real x(l, value), sum = x + 1;
  Parts parts = takeApart(l, sum, kTwoThirds);
  // 1 + x = 2^e (1 + f) with f from x itself, which loses nothing to the sum's rounding; where x is long above 2^24 the
  // sum is x.
  Real scale = fromBits(l, l.sub(l.i32c(0x3f800000), l.shl(parts.exponent, kMantissaBits)));
  Real f = fma(x, scale, scale - 1);
  f = choose(l.icmp(LLVM::ICmpPredicate::sgt, parts.exponent, l.i32c(24)), parts.mantissa - 1, f);
  Real result = fma(toReal(l, parts.exponent), kLn2, logOnePlus(f));
  result = choose(compare(Predicate::olt, x, kInfinity), result, x);
  result = choose(compare(Predicate::olt, x, -1), x.number(kNaN), result);
  result = choose(compare(Predicate::oeq, x, -1), x.number(-kInfinity), result);
  return choose(compare(Predicate::oeq, x, 0), x, result); // the zero's sign
}

// --- trigonometry
namespace {
/// x = quadrant * pi/2 + rest, |rest| <= pi/4.
struct Reduced {
  Real rest;
  Value quadrant; // i32, modulo 4
};
} // namespace

/// For large x: the product of x's mantissa and 96 bits of 2/pi, from the bit that is worth 2 on, in 64 + 32 bits. The
/// rest and, in its two lowest bits, the quadrant, in one i64: { rest's bits, quadrant }.
static Value reduceLarge(Lowering &l, Value x) {
  return callHelper(l, "phobos_reduce_trig", l.i64(), x, [&](ArrayRef<Value> arguments) -> Value {
    static constexpr uint32_t kTwoOverPi[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                              0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
    constexpr unsigned kWindows = 5; // where the first of four words can lie
    Value bits = Real(l, arguments[0]).bits();
    Value exponent = l.bitAnd(l.lshr(bits, kMantissaBits), 0xff); // x = mantissa * 2^(exponent - 150)
    Value mantissa = LLVM::OrOp::create(l.b, l.loc, l.bitAnd(bits, 0x7fffff), l.i32c(0x800000));
    Value first =
        l.add(exponent, -120); // the bit whose product with 2^(exponent - 150) is worth 2; bit 0 is worth 2^31
    Value window = l.lshr(first, 5), shift = l.bitAnd(first, 31);
    SmallVector<Value> words;
    for (unsigned i = 0; i < 4; ++i) {
      Value word = l.i32c(kTwoOverPi[i]);
      for (unsigned w = 1; w < kWindows && i + w < std::size(kTwoOverPi); ++w) {
        word = l.select(l.icmp(LLVM::ICmpPredicate::eq, window, l.i32c(w)), l.i32c(kTwoOverPi[i + w]), word);
      }
      words.push_back(word);
    }
    auto wide = [&](Value y) -> Value { return LLVM::ZExtOp::create(l.b, l.loc, l.i64(), y); };
    Value factor = wide(mantissa);
    SmallVector<Value> products;
    for (unsigned i = 0; i < 3; ++i) {
      Value word = LLVM::FshlOp::create(l.b, l.loc, l.i32(), words[i], words[i + 1], shift);
      products.push_back(l.mul(factor, wide(word)));
    }
    Value product = l.add(l.add(l.shl(products[0], 32), products[1]), l.lshr(products[2], 32));
    // The top two bits count quadrants; what follows is the rest, as a fraction that is negative from 1/2 on.
    Value fraction = l.shl(product, 2);
    Value quadrant = l.add(l.lshr(product, 62), l.lshr(fraction, 63));
    constexpr double kHalfPi = 0x1.921fb6p+0;
    Real rest = Real(l, LLVM::SIToFPOp::create(l.b, l.loc, l.b.getF32Type(), fraction)) * (kHalfPi * 0x1p-64);
    Value isNegative = l.icmp(LLVM::ICmpPredicate::slt, bits, l.i32c(0));
    rest = choose(isNegative, -rest, rest);
    quadrant = l.select(isNegative, l.sub(l.i64c(0), quadrant), quadrant);
    return LLVM::OrOp::create(l.b, l.loc, l.shl(wide(rest.bits()), 32), l.bitAnd(quadrant, 3));
  });
}

/// Is x an integer of 32 bits times a constant, and so within the limit, as the angle of a random number is? Then the
/// way of large arguments, a branch for each element that keeps ptxas from reordering them, can be left out.
static bool isKnownSmall(Value x, double limit) {
  auto product = x.getDefiningOp<LLVM::FMulOp>();
  auto integer = product ? product.getLhs().getDefiningOp<LLVM::SIToFPOp>() : nullptr;
  FloatAttr factor;
  return integer && integer.getArg().getType().isInteger(32) && matchPattern(product.getRhs(), m_Constant(&factor)) &&
         std::abs(factor.getValueAsDouble()) * 0x1p31 <= limit;
}

static Reduced reduceTrig(Lowering &l, Value value) {
  constexpr double kTwoOverPi = 0x1.45f306p-1, kHalfPi[] = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};
  constexpr double kLarge = 65536; // up to here the first subtraction is exact and three pieces are enough
  Real x(l, value);
  bool small = isKnownSmall(value, kLarge);
  Real inRange = small ? x : choose(compare(Predicate::ole, abs(x), kLarge), x, x.number(0));
  Real n = rounded(inRange * kTwoOverPi);
  Real rest = inRange;
  for (double piece : kHalfPi) {
    rest = fma(n, -piece, rest);
  }
  if (small) {
    return {rest, toInteger(l, n)};
  }
  Value isLarge = compare(Predicate::ogt, abs(x), kLarge);
  auto result = seldom(l, isLarge, {rest, toInteger(l, n)}, [&]() -> SmallVector<Value> {
    Value both = reduceLarge(l, x);
    return {fromBits(l, LLVM::TruncOp::create(l.b, l.loc, l.i32(), l.lshr(both, 32))),
            LLVM::TruncOp::create(l.b, l.loc, l.i32(), l.bitAnd(both, 3))};
  });
  // Infinities have no sine.
  Real reduced = choose(compare(Predicate::olt, abs(x), kInfinity), Real(l, result[0]), x.number(kNaN));
  return {reduced, result[1]};
}

/// sin(rest + quadrant * pi/2): one polynomial, with the coefficients of the sine (fit 2^-37) or the cosine (2^-33).
static Real sine(Lowering &l, Real rest, Value quadrant) {
  static constexpr double kSine[] = {0x1.6cd1bp-19, -0x1.a00f7ep-13, 0x1.111108p-7, -0x1.555556p-3};
  static constexpr double kCosine[] = {0x1.99eb4ap-16, -0x1.6c0c32p-10, 0x1.55554ap-5, -0.5};
  Value isCosine = l.icmp(LLVM::ICmpPredicate::ne, l.bitAnd(quadrant, 1), l.i32c(0));
  Real square = rest * rest, first = choose(isCosine, rest.number(1), rest);
  auto coefficient = [&](unsigned i) { return choose(isCosine, rest.number(kCosine[i]), rest.number(kSine[i])); };
  Real p = coefficient(0);
  for (unsigned i = 1; i < std::size(kSine); ++i) {
    p = fma(p, square, coefficient(i));
  }
  Real result = fma(p * square, first, first);
  return choose(l.icmp(LLVM::ICmpPredicate::ne, l.bitAnd(quadrant, 2), l.i32c(0)), -result, result);
}

Value emitSin(Lowering &l, Value x) {
  Reduced reduced = reduceTrig(l, x);
  return sine(l, reduced.rest, reduced.quadrant);
}

Value emitCos(Lowering &l, Value x) {
  Reduced reduced = reduceTrig(l, x);
  return sine(l, reduced.rest, l.add(reduced.quadrant, 1));
}

Value emitTan(Lowering &l, Value x) {
  Reduced reduced = reduceTrig(l, x);
  return divide(sine(l, reduced.rest, reduced.quadrant), sine(l, reduced.rest, l.add(reduced.quadrant, 1)));
}

// --- sigmoids
Value emitTanh(Lowering &l, Value value) {
  Real x(l, value), magnitude = abs(x);
  // Below 0.55 an odd polynomial, fit 2^-29.8; above, 1 - 2 / (exp(2x) + 1).
  Real square = x * x;
  Real p = polynomial(square, {-0x1.9b3068p-8, 0x1.593d0cp-6, -0x1.b9287cp-5, 0x1.110d26p-3, -0x1.55554ap-2});
  Real small = fma(p * square, x, x);
  Real power(l, emitExp2(l, magnitude * (2 * kLog2E[0])));
  Real large = divideApproximately(power.number(-2), power + 1) + 1; // a negated quotient would lose its flag
  return choose(compare(Predicate::olt, magnitude, 0.55), small, copySign(large, x));
}

Value emitErf(Lowering &l, Value value) {
  Real x(l, value), magnitude = abs(x);
  // Below 1 x + x P(x^2), fit 2^-29.6; above, 1 - 2^Q(x), the absolute error of that fit 2^-29.9, until nothing is
  // missing to 1.
  Real p = polynomial(x * x, {0x1.496a06p-14, -0x1.a3f6eep-11, 0x1.5405bp-8, -0x1.b7f90cp-6, 0x1.ce2cf8p-4,
                              -0x1.81273ep-2, 0x1.06eba8p-3});
  Real small = fma(p, x, x);
  Real q = polynomial(
      minimum(magnitude, magnitude.number(4)),
      {0x1.18b946p-12, -0x1.15ee26p-8, 0x1.01b46ep-5, -0x1.306fd6p-3, -0x1.d76e9ep-1, -0x1.a03fdep+0, -0x1.0b9d3ep-11});
  Real large = copySign(-Real(l, emitExp2(l, q)) + 1, x);
  large = choose(compare(Predicate::uno, x, x), x, large);
  return choose(compare(Predicate::olt, magnitude, 1), small, large);
}

// --- powers
/// |x|^y for finite |x| > 0: 2^(y log2 |x|) with the logarithm in two pieces.
static Real powMagnitude(Lowering &l, Real x, Real y) {
  constexpr int64_t kRootHalf = 0x3f3504f3;
  constexpr double kTwoLog2E[] = {2 * kLog2E[0], 2 * kLog2E[1]};
  Value isSubnormal = compare(Predicate::olt, x, kSmallestNormal);
  Parts parts = takeApart(l, choose(isSubnormal, x * 0x1p24, x), kRootHalf);
  Real exponent = toReal(l, parts.exponent) + choose(isSubnormal, x.number(-24), x.number(0));
  Real m = parts.mantissa;

  // s = (m - 1) / (m + 1) as s + sLow; log2(m) = 2 log2(e) (s + s^3/3 + ...), the sum from s^3 on fit to 2^-37 of the
  // whole.
  Real f = m - 1, d = m + 1, dLow = m - (d - 1);
  Real reciprocal = divide(d.number(1), d);
  Real s = f * reciprocal;
  Real sLow = fma(-s, dLow, fma(-s, d, f)) * reciprocal;
  Real sum = s + sLow;
  sLow = sLow - (sum - s);
  s = sum;
  Real square = s * s;
  Real p = polynomial(square, {0x1.5c6cf6p-2, 0x1.a595dp-2, 0x1.277768p-1, 0x1.ec709ep-1});
  Real high = s * kTwoLog2E[0];
  Real low = fma(s, kTwoLog2E[0], -high);
  low = fma(s, kTwoLog2E[1], low);
  low = fma(sLow, kTwoLog2E[0], low);
  low = fma(p * square, s, low);

  // Plus the exponent, which is the larger or zero.
  Real top = exponent + high;
  low = (high - (top - exponent)) + low;
  Real log = top + low;
  Real logLow = low - (log - top);

  // Times y; beyond 2^±252 the result is 0 or infinity whatever the rest.
  constexpr double kFar = 252;
  Real power = y * log;
  Real powerLow = fma(y, logLow, fma(y, log, -power));
  powerLow = choose(compare(Predicate::olt, abs(power), kFar), powerLow, power.number(0));
  power = maximum(minimum(power, power.number(kFar)), power.number(-kFar));
  Real n = rounded(power);
  Real fraction(l, emitExp2(l, (power - n) + powerLow));
  Value whole = toInteger(l, n), half = shiftRightSigned(l, whole, 1);
  auto powerOf2 = [&](Value k) { return fromBits(l, l.shl(l.add(k, 127), kMantissaBits)); };
  return (fraction * powerOf2(half)) * powerOf2(l.sub(whole, half));
}

Value emitPow(Lowering &l, Value base, Value power) {
  return callHelper(l, "phobos_powf", base.getType(), {base, power}, [&](ArrayRef<Value> arguments) -> Value {
    Real x(l, arguments[0]), y(l, arguments[1]), magnitude = abs(x);
    auto isOne = [&](Real value) { return compare(Predicate::oeq, value, 1); };
    auto either = [&](Value a, Value c) -> Value { return LLVM::OrOp::create(l.b, l.loc, a, c); };
    Real result = powMagnitude(l, magnitude, y);

    // |x| of 0 or infinity, or y infinite: 0 or infinity, by which side of 1 x is and y's sign.
    Value isExtreme =
        either(either(compare(Predicate::oeq, magnitude, 0), compare(Predicate::oeq, magnitude, kInfinity)),
               compare(Predicate::oeq, abs(y), kInfinity));
    Value grows = l.icmp(LLVM::ICmpPredicate::eq, compare(Predicate::ogt, magnitude, 1), compare(Predicate::ogt, y, 0));
    Real extreme = choose(grows, x.number(kInfinity), x.number(0));
    extreme = choose(isOne(magnitude), x.number(1), extreme);
    result = choose(isExtreme, extreme, result);

    // Negative x: the sign of an odd y; NaN for a finite y that is not whole.
    Value isNegative = l.icmp(LLVM::ICmpPredicate::slt, x.bits(), l.i32c(0));
    Real halved = y * 0.5;
    Value isWhole = compare(Predicate::oeq, truncated(y), y);
    Value isOdd = l.logicalAnd(isWhole, compare(Predicate::one, truncated(halved), halved));
    result = choose(l.logicalAnd(isNegative, isOdd), -result, result);
    Value hasNone = l.logicalAnd(compare(Predicate::olt, x, 0), compare(Predicate::one, truncated(y), y));
    hasNone = l.logicalAnd(hasNone, compare(Predicate::olt, magnitude, kInfinity));
    result = choose(hasNone, x.number(kNaN), result);
    result = choose(compare(Predicate::uno, x, y), x.number(kNaN), result);
    return choose(either(isOne(x), compare(Predicate::oeq, y, 0)), x.number(1), result);
  });
}

// --- remainder
/// |x| mod |y| where the quotient is large: long division on the mantissas, 40 bits of quotient a turn.
static Value fmodLarge(Lowering &l, Value x, Value y) {
  return callHelper(l, "phobos_fmodf_large", x.getType(), {x, y}, [&](ArrayRef<Value> arguments) -> Value {
    auto apart = [&](Value value)
        -> std::pair<Value, Value> { // mantissa i64, exponent i32: value = mantissa * 2^(exponent - 150)
      Value bits = Real(l, value).bits();
      Value exponent = l.lshr(bits, kMantissaBits), mantissa = l.bitAnd(bits, 0x7fffff);
      Value isSubnormal = l.icmp(LLVM::ICmpPredicate::eq, exponent, l.i32c(0));
      mantissa = l.select(isSubnormal, mantissa, l.add(mantissa, 0x800000));
      exponent = l.select(isSubnormal, l.i32c(1), exponent);
      return {LLVM::ZExtOp::create(l.b, l.loc, l.i64(), mantissa), exponent};
    };
    auto [mx, ex] = apart(arguments[0]);
    auto [my, ey] = apart(arguments[1]);
    Block *before = l.b.getInsertionBlock();
    Region *region = before->getParent();
    Block *loop = l.b.createBlock(region, region->end(), {l.i64(), l.i32()}, {l.loc, l.loc});
    Block *done = l.b.createBlock(region, region->end(), {l.i64()}, {l.loc});
    l.b.setInsertionPointToEnd(before);
    Value start = LLVM::URemOp::create(l.b, l.loc, mx, my);
    LLVM::BrOp::create(l.b, l.loc, ValueRange{start, l.sub(ex, ey)}, loop);

    l.b.setInsertionPointToEnd(loop);
    Value rest = loop->getArgument(0), left = loop->getArgument(1);
    Value step = LLVM::SMinOp::create(l.b, l.loc, left, l.i32c(40));
    Value shifted = LLVM::ShlOp::create(l.b, l.loc, rest, LLVM::ZExtOp::create(l.b, l.loc, l.i64(), step));
    Value next = LLVM::URemOp::create(l.b, l.loc, shifted, my);
    Value stillLeft = l.sub(left, step);
    LLVM::CondBrOp::create(l.b, l.loc, l.icmp(LLVM::ICmpPredicate::sgt, stillLeft, l.i32c(0)), loop,
                           ValueRange{next, stillLeft}, done, ValueRange{next});

    l.b.setInsertionPointToEnd(done);
    // rest * 2^(ey - 150), in two exact factors.
    Real value(l, LLVM::UIToFPOp::create(l.b, l.loc, l.b.getF32Type(), done->getArgument(0)));
    auto powerOf2 = [&](Value k) { return fromBits(l, l.shl(l.add(k, 127), kMantissaBits)); };
    Value scale = l.add(ey, -150), half = shiftRightSigned(l, scale, 1);
    return (value * powerOf2(half)) * powerOf2(l.sub(scale, half));
  });
}

Value emitFmod(Lowering &l, Value dividend, Value divisor) {
  Real x(l, dividend), y(l, divisor);
  if (dividend.getType().isF64()) {
    return callLibdevice(l, "__nv_fmod", dividend.getType(), {dividend, divisor});
  }
  Real a = abs(x), d = abs(y);
  // A quotient of up to 22 bits is right or one too large, and a - quotient * d is exact.
  Real quotient = truncated(divide(a, d));
  Real rest = fma(-quotient, d, a);
  rest = choose(compare(Predicate::olt, rest, 0), rest + d, rest);
  rest = choose(compare(Predicate::oeq, d, kInfinity), a, rest);
  Value isLarge = l.logicalAnd(compare(Predicate::oge, quotient, 0x1p22), compare(Predicate::olt, a, kInfinity));
  isLarge = l.logicalAnd(isLarge, compare(Predicate::ogt, d, 0));
  rest = Real(l, seldom(l, isLarge, {rest}, [&]() -> SmallVector<Value> { return {fmodLarge(l, a, d)}; })[0]);
  Value hasNone =
      LLVM::OrOp::create(l.b, l.loc, compare(Predicate::oeq, d, 0),
                         l.icmp(LLVM::ICmpPredicate::eq, compare(Predicate::olt, a, kInfinity), l.constant(l.i1(), 0)));
  rest = choose(hasNone, x.number(kNaN), rest);
  return copySign(rest, x);
}

} // namespace phobos::lowering
