// The math dialect on scalars and tiles. f16 and bf16 are computed in f32 and rounded; f64, and what is rare, by
// libdevice.
#include "phobos/Conversion/Elementwise.h"

#include "MathFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace phobos::lowering {

Value inF32OrF64(Lowering &l, ArrayRef<Value> operands, Type result, llvm::function_ref<Value(ArrayRef<Value>)> rule) {
  Type element = getElementTypeOrSelf(result), f32 = l.b.getF32Type();
  if (element.isF32() || element.isF64()) {
    return rule(operands);
  }
  auto vector = dyn_cast<VectorType>(result);
  unsigned n = vector ? vector.getNumElements() : 1;
  Value wide;
  for (unsigned i = 0; i < n; ++i) {
    SmallVector<Value> elements = llvm::map_to_vector(operands, [&](Value x) -> Value {
      if (vector && isa<VectorType>(x.getType())) {
        x = LLVM::ExtractElementOp::create(l.b, l.loc, x, l.i32c(i));
      }
      return LLVM::FPExtOp::create(l.b, l.loc, f32, x);
    });
    Value y = rule(elements);
    if (!vector) {
      wide = y;
      continue;
    }
    if (!wide) {
      wide = LLVM::UndefOp::create(l.b, l.loc, VectorType::get(n, f32));
    }
    wide = LLVM::InsertElementOp::create(l.b, l.loc, wide, y, l.i32c(i));
  }
  return LLVM::FPTruncOp::create(l.b, l.loc, result, wide);
}

namespace {

using Unary = Value (*)(Lowering &, Value);

/// How an op of the math dialect is computed: a sequence of ours for f32, else libdevice's function of this name.
struct Function {
  Unary f32 = nullptr;
  StringRef libdevice; // without the prefix, and without the f that f32 has
};

const llvm::StringMap<Function> &functions() {
  static const llvm::StringMap<Function> table = {
      {"math.exp", {emitExp, "exp"}},       {"math.exp2", {emitExp2, "exp2"}},    {"math.log", {emitLog, "log"}},
      {"math.log2", {emitLog2, "log2"}},    {"math.log10", {emitLog10, "log10"}}, {"math.log1p", {emitLog1p, "log1p"}},
      {"math.rsqrt", {emitRsqrt, "rsqrt"}}, {"math.sin", {emitSin, "sin"}},       {"math.cos", {emitCos, "cos"}},
      {"math.tan", {emitTan, "tan"}},       {"math.tanh", {emitTanh, "tanh"}},    {"math.erf", {emitErf, "erf"}},
      {"math.expm1", {nullptr, "expm1"}},   {"math.erfc", {nullptr, "erfc"}},     {"math.cbrt", {nullptr, "cbrt"}},
      {"math.asin", {nullptr, "asin"}},     {"math.acos", {nullptr, "acos"}},     {"math.atan", {nullptr, "atan"}},
      {"math.sinh", {nullptr, "sinh"}},     {"math.cosh", {nullptr, "cosh"}},     {"math.asinh", {nullptr, "asinh"}},
      {"math.acosh", {nullptr, "acosh"}},   {"math.atanh", {nullptr, "atanh"}},   {"math.atan2", {nullptr, "atan2"}},
  };
  return table;
}

LogicalResult lowerFunction(Lowering &l, Operation *op) {
  Function function = functions().find(op->getName().getStringRef())->second;
  if (auto power = dyn_cast<math::Exp2Op>(op);
      power && bitEnumContainsAll(power.getFastmath(), arith::FastMathFlags::afn)) {
    function.f32 = emitExp2Flushed;
  }
  mapRegisters(l, op, Packing::Words, [&](ArrayRef<Value> operands, Type type) {
    return inF32OrF64(l, operands, type, [&](ArrayRef<Value> x) {
      Type element = x[0].getType();
      if (function.f32 && element.isF32()) {
        return function.f32(l, x[0]);
      }
      std::string name = ("__nv_" + function.libdevice + (element.isF32() ? "f" : "")).str();
      return callLibdevice(l, name, element, x);
    });
  });
  return success();
}

LogicalResult lowerBytePermute(Lowering &l, tile::BytePermuteOp op) {
  mapRegisters(l, op, Packing::Elements, [&](ArrayRef<Value> x, Type type) -> Value {
    auto mode = NVVM::PermuteModeAttr::get(l.b.getContext(), NVVM::PermuteMode::DEFAULT);
    return NVVM::PermuteOp::create(l.b, l.loc, type, x[0], x[1], x[2], mode);
  });
  return success();
}

LogicalResult lowerLibdevice(Lowering &l, tile::LibdeviceOp op) {
  bool single = llvm::none_of(op->getOperandTypes(), [](Type type) { return getElementTypeOrSelf(type).isF64(); });
  std::string name = ("__nv_" + op.getName() + (single ? "f" : "")).str();
  mapRegisters(l, op, Packing::Elements, [&](ArrayRef<Value> x, Type type) { return callLibdevice(l, name, type, x); });
  return success();
}

/// By the letter of a register's class (NVPTX's inline assembly); 16-bit floats go through integers.
StringRef constraintOf(Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  return type.isF32() ? "f" : type.isF64() ? "d" : bits == 16 ? "h" : bits == 32 ? "r" : "l";
}

LogicalResult lowerPtx(Lowering &l, tile::PtxOp op) {
  auto inRegister = [&](Type type) { return type.isF16() || type.isBF16() ? Type(l.b.getI16Type()) : type; };
  mapRegisters(l, op, Packing::Elements, [&](ArrayRef<Value> x, Type type) -> Value {
    std::string constraints = ("=" + constraintOf(type)).str();
    SmallVector<Value> operands;
    for (Value operand : x) {
      constraints += ("," + constraintOf(operand.getType())).str();
      operands.push_back(l.bitcast(inRegister(operand.getType()), operand));
    }
    auto made = l.inlineAsm({inRegister(type)}, operands, op.getText(), constraints, /*effects=*/false);
    return l.bitcast(type, made.getResult(0));
  });
  return success();
}

LogicalResult lowerTanh(Lowering &l, Operation *op) {
  if (!elementType(op->getResult(0)).isBF16()) {
    return lowerFunction(l, op);
  }
  // The chip's approximation has three bits more than bf16.
  mapRegisters(l, op, Packing::Words, [&](ArrayRef<Value> operands, Type type) {
    return inF32OrF64(l, operands, type, [&](ArrayRef<Value> x) -> Value {
      auto made = LLVM::TanhOp::create(l.b, l.loc, TypeRange(x[0].getType()), x[0]);
      made.setFastmathFlags(LLVM::FastmathFlags::afn);
      return made;
    });
  });
  return success();
}

LogicalResult lowerPow(Lowering &l, math::PowFOp op) {
  mapRegisters(l, op, Packing::Words, [&](ArrayRef<Value> operands, Type type) {
    return inF32OrF64(l, operands, type, [&](ArrayRef<Value> x) {
      Type element = x[0].getType();
      return element.isF32() ? emitPow(l, x[0], x[1]) : callLibdevice(l, "__nv_pow", element, x);
    });
  });
  return success();
}

/// LLVM's own op, on words.
template <typename OpT, typename LLVMOp> LogicalResult lowerNative(Lowering &l, OpT op) {
  mapRegisters(l, op, Packing::Words, [&](ArrayRef<Value> x, Type type) -> Value {
    return LLVMOp::create(l.b, l.loc, TypeRange(type), ValueRange(x));
  });
  return success();
}

template <typename OpT, typename LLVMOp> LogicalResult lowerCountZeros(Lowering &l, OpT op) {
  mapRegisters(l, op, Packing::Elements, [&](ArrayRef<Value> x, Type type) -> Value {
    return LLVMOp::create(l.b, l.loc, type, x[0], /*is_zero_poison=*/false);
  });
  return success();
}

LogicalResult lowerAbsi(Lowering &l, math::AbsIOp op) {
  mapRegisters(l, op, Packing::Words, [&](ArrayRef<Value> x, Type type) -> Value {
    return LLVM::AbsOp::create(l.b, l.loc, type, x[0], /*is_int_min_poison=*/false);
  });
  return success();
}

LogicalResult lowerClamp(Lowering &l, math::ClampFOp op) {
  mapRegisters(l, op, Packing::Words, [&](ArrayRef<Value> x, Type type) -> Value {
    constexpr auto kAnyZero = LLVM::FastmathFlags::nsz;
    auto low =
        LLVM::MaximumOp::create(l.b, l.loc, x[0], x[1], LLVM::FastmathFlagsAttr::get(l.b.getContext(), kAnyZero));
    return LLVM::MinimumOp::create(l.b, l.loc, low, x[2], LLVM::FastmathFlagsAttr::get(l.b.getContext(), kAnyZero));
  });
  return success();
}

template <typename OpT, LLVM::FCmpPredicate predicate> LogicalResult lowerClass(Lowering &l, OpT op) {
  mapRegisters(l, op, Packing::Elements, [&](ArrayRef<Value> operands, Type) {
    Real x(l, operands[0]);
    return predicate == LLVM::FCmpPredicate::uno ? compare(predicate, x, x)
                                                 : compare(predicate, abs(x), std::numeric_limits<double>::infinity());
  });
  return success();
}

} // namespace

void registerMath(Lowering::HandlerTable &table) {
  for (const auto &entry : functions()) {
    table[entry.getKey()] = lowerFunction;
  }
  Lowering::add<tile::BytePermuteOp, lowerBytePermute>(table);
  Lowering::add<tile::LibdeviceOp, lowerLibdevice>(table);
  Lowering::add<tile::PtxOp, lowerPtx>(table);
  table[math::TanhOp::getOperationName()] = lowerTanh;
  Lowering::add<math::PowFOp, lowerPow>(table);

  Lowering::add<math::SqrtOp, lowerNative<math::SqrtOp, LLVM::SqrtOp>>(table);
  Lowering::add<math::AbsFOp, lowerNative<math::AbsFOp, LLVM::FAbsOp>>(table);
  Lowering::add<math::FloorOp, lowerNative<math::FloorOp, LLVM::FFloorOp>>(table);
  Lowering::add<math::CeilOp, lowerNative<math::CeilOp, LLVM::FCeilOp>>(table);
  Lowering::add<math::TruncOp, lowerNative<math::TruncOp, LLVM::FTruncOp>>(table);
  Lowering::add<math::RoundOp, lowerNative<math::RoundOp, LLVM::RoundOp>>(table);
  Lowering::add<math::RoundEvenOp, lowerNative<math::RoundEvenOp, LLVM::RoundEvenOp>>(table);
  Lowering::add<math::CopySignOp, lowerNative<math::CopySignOp, LLVM::CopySignOp>>(table);
  Lowering::add<math::FmaOp, lowerNative<math::FmaOp, LLVM::FMAOp>>(table);
  Lowering::add<math::CtPopOp, lowerNative<math::CtPopOp, LLVM::CtPopOp>>(table);
  Lowering::add<math::CountLeadingZerosOp, lowerCountZeros<math::CountLeadingZerosOp, LLVM::CountLeadingZerosOp>>(
      table);
  Lowering::add<math::CountTrailingZerosOp, lowerCountZeros<math::CountTrailingZerosOp, LLVM::CountTrailingZerosOp>>(
      table);
  Lowering::add<math::AbsIOp, lowerAbsi>(table);
  Lowering::add<math::ClampFOp, lowerClamp>(table);
  Lowering::add<math::IsNaNOp, lowerClass<math::IsNaNOp, LLVM::FCmpPredicate::uno>>(table);
  Lowering::add<math::IsInfOp, lowerClass<math::IsInfOp, LLVM::FCmpPredicate::oeq>>(table);
  Lowering::add<math::IsFiniteOp, lowerClass<math::IsFiniteOp, LLVM::FCmpPredicate::olt>>(table);
}

} // namespace phobos::lowering
