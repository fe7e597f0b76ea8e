// Elementary functions of f32 as sequences of llvm ops, the same on the GPU and in the simulator.
//
// Only base-2 exponential, reciprocal and reciprocal square root are the chip's approximations; docs/approximations.md
// has the bound of each function.
#pragma once

#include "phobos/Conversion/Lowering.h"

namespace phobos::lowering {

Value emitExp2(Lowering &lowering, Value x);
Value emitExp2Flushed(Lowering &lowering, Value x); // subnormal arguments and results are zeros
Value emitExp(Lowering &lowering, Value x);
Value emitLog(Lowering &lowering, Value x);
Value emitLog2(Lowering &lowering, Value x);
Value emitLog10(Lowering &lowering, Value x);
Value emitLog1p(Lowering &lowering, Value x);
Value emitRsqrt(Lowering &lowering, Value x);
Value emitSin(Lowering &lowering, Value x);
Value emitCos(Lowering &lowering, Value x);
Value emitTan(Lowering &lowering, Value x);
Value emitTanh(Lowering &lowering, Value x);
Value emitErf(Lowering &lowering, Value x);
Value emitPow(Lowering &lowering, Value x, Value y);

/// Arithmetic on one float type without fusion: what is written is what is computed.
class Real {
public:
  Real(Lowering &lowering, Value value) : l(&lowering), value(value) {}
  Real number(double x) const { return {*l, l->constantF(value.getType(), x)}; }
  operator Value() const { return value; }
  Value bits() const; // as an integer
  Real operator-() const;

  Lowering *l;
  Value value;
};
Real operator+(Real x, Real y);
Real operator-(Real x, Real y);
Real operator*(Real x, Real y);
inline Real operator+(Real x, double y) { return x + x.number(y); }
inline Real operator-(Real x, double y) { return x - x.number(y); }
inline Real operator*(Real x, double y) { return x * x.number(y); }
Real fma(Real x, Real y, Real z);
inline Real fma(Real x, Real y, double z) { return fma(x, y, x.number(z)); }
inline Real fma(Real x, double y, Real z) { return fma(x, x.number(y), z); }
Real divide(Real x, Real y);              // correctly rounded
Real divideApproximately(Real x, Real y); // 2 ulp; 0 for |y| above 2^126
Real abs(Real x);
Real truncated(Real x);
Real rounded(Real x); // to even
Real minimum(Real x, Real y);
Real maximum(Real x, Real y);
Real copySign(Real magnitude, Real sign);
Real choose(Value condition, Real x, Real y);
Value compare(mlir::LLVM::FCmpPredicate predicate, Real x, Real y);
Value compare(mlir::LLVM::FCmpPredicate predicate, Real x, double y);
/// Coefficients from the highest power to the constant.
Real polynomial(Real x, ArrayRef<double> coefficients);

/// Values of `otherwise`, or, where `condition` holds, which is seldom, those of `body`.
SmallVector<Value> seldom(Lowering &lowering, Value condition, ArrayRef<Value> otherwise,
                          llvm::function_ref<SmallVector<Value>()> body);
/// Calls the module's function `name`, made by `body` when first needed: for what is too long to repeat for each
/// element.
Value callHelper(Lowering &lowering, StringRef name, Type result, ArrayRef<Value> arguments,
                 llvm::function_ref<Value(ArrayRef<Value>)> body);
/// Calls libdevice's function.
Value callLibdevice(Lowering &lowering, StringRef name, Type result, ArrayRef<Value> arguments);

} // namespace phobos::lowering
