// Division and square roots without calls, for kernels with warpgroup products: ptxas serialises wgmma in a function
// that calls (C7509), and correctly rounded division and roots are calls of its own library.
//
// By way of f64 those of f32 are correctly rounded too, since 53 bits are twice 24 and two more (Figueroa, "When is
// double rounding innocuous?", 1995): an approximation of some 20 bits, two steps of Newton's, and one with the
// remainder.
#include "CallFree.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

/// Builds f64 arithmetic in front of one op.
class Exact {
public:
  explicit Exact(Operation *op) : b(op), loc(op->getLoc()), f64(b.getF64Type()) {}

  Value divide(Value narrowX, Value narrowY) {
    Value x = widen(narrowX), y = widen(narrowY), minusY = negate(y), one = constant(1);
    Value first = approximate("llvm.nvvm.rcp.approx.ftz.d", y), inverse = first;
    for (int step = 0; step < 2; ++step) {
      inverse = fma(inverse, fma(minusY, inverse, one), inverse);
    }
    Value quotient = LLVM::FMulOp::create(b, loc, x, inverse);
    quotient = fma(fma(minusY, quotient, x), inverse, quotient);
    // Zeros, infinities and NaNs: the steps make NaNs of them, or lose a sign; the approximation is right.
    Value zero = compare(LLVM::FCmpPredicate::oeq, x, constant(0));
    Value special = LLVM::OrOp::create(b, loc, zero, compare(LLVM::FCmpPredicate::uno, quotient, quotient));
    return select(special, LLVM::FMulOp::create(b, loc, x, first), quotient);
  }

  Value root(Value narrow) {
    Value x = widen(narrow), half = constant(0.5);
    Value inverse = approximate("llvm.nvvm.rsqrt.approx.ftz.d", x);
    Value minusHalf = LLVM::FMulOp::create(b, loc, negate(x), half);
    for (int step = 0; step < 2; ++step) {
      Value square = LLVM::FMulOp::create(b, loc, inverse, inverse);
      inverse = fma(inverse, fma(minusHalf, square, half), inverse);
    }
    Value result = LLVM::FMulOp::create(b, loc, x, inverse);
    Value remainder = fma(negate(result), result, x);
    result = fma(remainder, LLVM::FMulOp::create(b, loc, inverse, half), result);
    // Of zeros and infinity the inverse is infinity or zero: they are their own roots.
    Value itself = compare(LLVM::FCmpPredicate::oeq, x, constant(0));
    Value infinite = compare(LLVM::FCmpPredicate::oeq, x, constant(std::numeric_limits<double>::infinity()));
    return select(LLVM::OrOp::create(b, loc, itself, infinite), x, result);
  }

  /// To the element type of `like`; through f32, which rounds no differently for what is narrower.
  Value narrow(Value x, Type type) {
    x = LLVM::FPTruncOp::create(b, loc, b.getF32Type(), x);
    return type.isF32() ? x : Value(LLVM::FPTruncOp::create(b, loc, type, x));
  }

  Value part(Value vector, unsigned i) { return LLVM::ExtractElementOp::create(b, loc, vector, place(i)); }
  Value with(Value vector, Value element, unsigned i) {
    return LLVM::InsertElementOp::create(b, loc, vector, element, place(i));
  }
  Value undefined(Type type) { return LLVM::UndefOp::create(b, loc, type); }

private:
  Value widen(Value x) {
    if (!x.getType().isF32()) {
      x = LLVM::FPExtOp::create(b, loc, b.getF32Type(), x);
    }
    return LLVM::FPExtOp::create(b, loc, f64, x);
  }
  Value constant(double value) { return LLVM::ConstantOp::create(b, loc, f64, b.getF64FloatAttr(value)); }
  Value place(unsigned i) { return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(int32_t(i))); }
  Value negate(Value x) { return LLVM::FNegOp::create(b, loc, x); }
  Value fma(Value x, Value y, Value z) { return LLVM::FMAOp::create(b, loc, x, y, z); }
  Value compare(LLVM::FCmpPredicate predicate, Value x, Value y) {
    return LLVM::FCmpOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) { return LLVM::SelectOp::create(b, loc, condition, x, y); }
  Value approximate(StringRef intrinsic, Value x) {
    return LLVM::CallIntrinsicOp::create(b, loc, f64, b.getStringAttr(intrinsic), x).getResult(0);
  }

  OpBuilder b;
  Location loc;
  Type f64;
};

void replace(Operation *op) {
  Exact exact(op);
  Type type = op->getResult(0).getType();
  auto one = [&](ArrayRef<Value> operands) {
    Value result = operands.size() == 2 ? exact.divide(operands[0], operands[1]) : exact.root(operands[0]);
    return exact.narrow(result, operands[0].getType());
  };
  Value result;
  if (auto vector = dyn_cast<VectorType>(type)) {
    result = exact.undefined(type);
    for (unsigned i = 0; i < vector.getNumElements(); ++i) {
      auto parts = llvm::map_to_vector(op->getOperands(), [&](Value operand) { return exact.part(operand, i); });
      result = exact.with(result, one(parts), i);
    }
  } else {
    result = one(SmallVector<Value>(op->getOperands()));
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

bool isApproximate(Operation *op) {
  auto flags = cast<LLVM::FastmathFlagsInterface>(op).getFastmathAttr();
  return flags && bitEnumContainsAll(flags.getValue(), LLVM::FastmathFlags::afn);
}

/// Is 64-bit division by something that is not known a call?
bool isLongDivision(Operation *op) {
  return isa<LLVM::SDivOp, LLVM::UDivOp, LLVM::SRemOp, LLVM::URemOp>(op) && op->getResult(0).getType().isInteger(64) &&
         !matchPattern(op->getOperand(1), m_Constant());
}

} // namespace

void avoidCalls(LLVM::LLVMFuncOp function) {
  SmallVector<Operation *> calls;
  Operation *remaining = nullptr;
  function.walk([&](Operation *op) {
    bool real = isa<LLVM::FDivOp, LLVM::SqrtOp>(op) && !isApproximate(op);
    if (real && !getElementTypeOrSelf(op->getResult(0).getType()).isF64()) {
      calls.push_back(op);
    } else if (real || isLongDivision(op) || isa<LLVM::CallOp>(op)) {
      remaining = op;
    }
  });
  if (remaining) {
    remaining->emitRemark("this is a call, and ptxas serialises the warpgroup products of a kernel that calls");
  }
  llvm::for_each(calls, replace);
}

} // namespace phobos::lowering
