// Small builders of float arithmetic, and the ways out of line.
#include "MathFunctions.h"

using namespace mlir;

namespace phobos::lowering {

template <typename OpT> static Real build(Real x, ValueRange operands) {
  return {*x.l, OpT::create(x.l->b, x.l->loc, TypeRange(x.value.getType()), operands)};
}

Real operator+(Real x, Real y) { return build<LLVM::FAddOp>(x, {x, y}); }
Real operator-(Real x, Real y) { return build<LLVM::FSubOp>(x, {x, y}); }
Real operator*(Real x, Real y) { return build<LLVM::FMulOp>(x, {x, y}); }
Real Real::operator-() const { return build<LLVM::FNegOp>(*this, {value}); }
Real fma(Real x, Real y, Real z) { return build<LLVM::FMAOp>(x, {x, y, z}); }
Real divide(Real x, Real y) { return build<LLVM::FDivOp>(x, {x, y}); }
Real abs(Real x) { return build<LLVM::FAbsOp>(x, {x}); }
Real truncated(Real x) { return build<LLVM::FTruncOp>(x, {x}); }
Real rounded(Real x) { return build<LLVM::RoundEvenOp>(x, {x}); }
Real minimum(Real x, Real y) { return build<LLVM::MinNumOp>(x, {x, y}); }
Real maximum(Real x, Real y) { return build<LLVM::MaxNumOp>(x, {x, y}); }
Real copySign(Real magnitude, Real sign) { return build<LLVM::CopySignOp>(magnitude, {magnitude, sign}); }
Real choose(Value condition, Real x, Real y) { return {*x.l, x.l->select(condition, x, y)}; }

Real divideApproximately(Real x, Real y) {
  auto quotient = LLVM::FDivOp::create(x.l->b, x.l->loc, x, y, LLVM::FastmathFlags::afn);
  return {*x.l, quotient};
}

Value Real::bits() const { return l->bitcast(l->b.getIntegerType(value.getType().getIntOrFloatBitWidth()), value); }

Value compare(LLVM::FCmpPredicate predicate, Real x, Real y) {
  return LLVM::FCmpOp::create(x.l->b, x.l->loc, predicate, x, y);
}

Value compare(LLVM::FCmpPredicate predicate, Real x, double y) { return compare(predicate, x, x.number(y)); }

Real polynomial(Real x, ArrayRef<double> coefficients) {
  Real sum = x.number(coefficients[0]);
  for (double coefficient : coefficients.drop_front()) {
    sum = fma(sum, x, coefficient);
  }
  return sum;
}

SmallVector<Value> seldom(Lowering &l, Value condition, ArrayRef<Value> otherwise,
                          llvm::function_ref<SmallVector<Value>()> body) {
  Block *before = l.b.getInsertionBlock();
  Block *after = before->splitBlock(l.b.getInsertionPoint());
  Block *inside = l.b.createBlock(after);
  l.b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(l.b, l.loc, condition, inside, ValueRange(), after, otherwise);
  l.b.setInsertionPointToEnd(inside);
  LLVM::BrOp::create(l.b, l.loc, body(), after);
  SmallVector<Value> results;
  for (Value value : otherwise) {
    results.push_back(after->addArgument(value.getType(), l.loc));
  }
  l.b.setInsertionPointToStart(after);
  return results;
}

/// The function so named, declared at the module's start; `define` builds the body of a new one.
static Value call(Lowering &l, StringRef name, Type result, ArrayRef<Value> arguments,
                  llvm::function_ref<void(LLVM::LLVMFuncOp)> define) {
  auto module = l.kernel->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(l.b);
    l.b.setInsertionPointToStart(module.getBody());
    auto type =
        LLVM::LLVMFunctionType::get(result, llvm::map_to_vector(arguments, [](Value x) { return x.getType(); }));
    function = LLVM::LLVMFuncOp::create(l.b, module.getLoc(), name, type);
    // Calls with equal arguments may then become one, and leave loops.
    constexpr auto kNone = LLVM::ModRefInfo::NoModRef;
    function.setMemoryEffectsAttr(
        LLVM::MemoryEffectsAttr::get(l.b.getContext(), {kNone, kNone, kNone, kNone, kNone, kNone}));
    function.setNoUnwind(true);
    function.setWillReturn(true);
    define(function);
  }
  return LLVM::CallOp::create(l.b, l.loc, function, arguments).getResult();
}

Value callHelper(Lowering &l, StringRef name, Type result, ArrayRef<Value> arguments,
                 llvm::function_ref<Value(ArrayRef<Value>)> body) {
  return call(l, name, result, arguments, [&](LLVM::LLVMFuncOp function) {
    function.setLinkage(LLVM::Linkage::Internal);
    Block *entry = function.addEntryBlock(l.b);
    l.b.setInsertionPointToStart(entry);
    SmallVector<Value> parameters(entry->getArguments().begin(), entry->getArguments().end());
    LLVM::ReturnOp::create(l.b, l.loc, body(parameters));
  });
}

Value callLibdevice(Lowering &l, StringRef name, Type result, ArrayRef<Value> arguments) {
  return call(l, name, result, arguments, [](LLVM::LLVMFuncOp) {});
}

} // namespace phobos::lowering
