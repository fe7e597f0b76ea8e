// The arith dialect on scalars and tiles: a tile's op is applied to each word where words are packed alike, else to
// elements.
//
// Products and sums of floats may fuse into one fma, as CUDA's do; division and square root are correctly rounded.
// Integers wrap. An operation on padding, or on a lane that is masked later, may compute anything but does not trap on
// the GPU.
#include "phobos/Conversion/Elementwise.h"
#include "phobos/Dialect/Tile/IR/Divisibility.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace phobos::lowering {

Type elementType(Value value) { return getElementTypeOrSelf(value.getType()); }

void mapRegisters(Lowering &l, Operation *op, Packing packing, Rule rule) {
  Value result = op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type) {
    SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value x) { return l.scalar(x); });
    l.setScalar(result, rule(operands, l.scalarType(result.getType())));
    return;
  }
  bool words = packing == Packing::Words && llvm::all_of(op->getOperandTypes(), [&](Type operand) {
                 auto tile = dyn_cast<RankedTensorType>(operand);
                 return !tile || l.pack(tile) == l.pack(type);
               });
  SmallVector<SmallVector<Value>, 3> columns;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType())) {
      columns.push_back({l.scalar(operand)});
    } else if (words) {
      columns.emplace_back(l.words(operand));
    } else {
      columns.push_back(l.elements(operand));
    }
  }
  Type registerType = words ? l.wordType(type) : l.scalarType(type.getElementType());
  unsigned count = words ? l.numWords(type) : l.numWords(type) * l.pack(type);
  SmallVector<Value> results;
  SmallVector<Value, 3> operands;
  for (unsigned i = 0; i < count; ++i) {
    SmallVector<Value, 3> next = llvm::map_to_vector<3>(
        columns, [&](ArrayRef<Value> column) { return column.size() == 1 ? column[0] : column[i]; });
    // Replicas and splats come in runs: the same registers give the same result.
    results.push_back(i > 0 && next == operands ? results.back() : rule(next, registerType));
    operands = std::move(next);
  }
  words ? l.setWords(result, results) : l.setElements(result, results);
}

LLVM::FastmathFlags fastMath(Operation *op, LLVM::FastmathFlags extra) {
  LLVM::FastmathFlags flags = extra;
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!fast || !fast.getFastMathFlagsAttr()) {
    return flags;
  }
  using From = arith::FastMathFlags;
  using To = LLVM::FastmathFlags;
  static constexpr std::pair<From, To> kFlags[] = {
      {From::reassoc, To::reassoc}, {From::nnan, To::nnan},         {From::ninf, To::ninf}, {From::nsz, To::nsz},
      {From::arcp, To::arcp},       {From::contract, To::contract}, {From::afn, To::afn},
  };
  From set = fast.getFastMathFlagsAttr().getValue();
  for (auto [from, to] : kFlags) {
    if (bitEnumContainsAny(set, from)) {
      flags = flags | to;
    }
  }
  return flags;
}

Value constantOf(Lowering &l, Attribute attr, Type type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    attr = dense.getSplatValue<Attribute>();
  }
  Type scalar = getElementTypeOrSelf(type);
  TypedAttr number;
  if (auto real = dyn_cast<FloatAttr>(attr)) {
    number = isa<IntegerType>(scalar) ? TypedAttr(l.b.getIntegerAttr(scalar, real.getValue().bitcastToAPInt()))
                                      : TypedAttr(FloatAttr::get(scalar, real.getValue()));
  } else {
    APInt value = cast<IntegerAttr>(attr).getValue();
    number = IntegerAttr::get(scalar, value.sextOrTrunc(scalar.getIntOrFloatBitWidth()));
  }
  if (auto vector = dyn_cast<VectorType>(type)) {
    number = DenseElementsAttr::get(vector, Attribute(number));
  }
  return LLVM::ConstantOp::create(l.b, l.loc, type, number);
}

namespace {

LogicalResult lowerConstant(Lowering &l, arith::ConstantOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type) {
    l.setScalar(op.getResult(), constantOf(l, op.getValue(), l.scalarType(op.getType())));
    return success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense || !dense.isSplat()) {
    return op.emitError("internal: expected a tile constant whose elements are equal");
  }
  l.setWords(op.getResult(), SmallVector<Value>(l.numWords(type), constantOf(l, dense, l.wordType(type))));
  return success();
}

/// Floats of 8 bits are kept as integers and have no arithmetic.
LogicalResult checkFloat(Operation *op) {
  Type element = elementType(op->getOperand(op->getNumOperands() - 1));
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 16) {
    return op->emitError("internal: no arithmetic on ") << element << "; expected a conversion first";
  }
  return success();
}

constexpr auto kContract = LLVM::FastmathFlags::contract;
// Which of -0 and +0 wins is left open: without it chips that lack max.NaN need three times the instructions.
constexpr auto kAnyZero = LLVM::FastmathFlags::nsz;

template <typename OpT, typename LLVMOp, LLVM::FastmathFlags extra = LLVM::FastmathFlags::none>
LogicalResult lowerFloat(Lowering &l, OpT op) {
  if (failed(checkFloat(op))) {
    return failure();
  }
  LLVM::FastmathFlags flags = fastMath(op, extra);
  mapRegisters(l, op, Packing::Words, [&](ArrayRef<Value> x, Type type) -> Value {
    auto made = LLVMOp::create(l.b, l.loc, TypeRange(type), ValueRange(x));
    made.setFastmathFlags(flags);
    return made;
  });
  return success();
}

template <typename OpT, typename LLVMOp> LogicalResult lowerInteger(Lowering &l, OpT op) {
  mapRegisters(l, op, Packing::Words, [&](ArrayRef<Value> x, Type type) -> Value {
    return LLVMOp::create(l.b, l.loc, TypeRange(type), ValueRange(x));
  });
  return success();
}

LogicalResult lowerRemf(Lowering &l, arith::RemFOp op) {
  if (failed(checkFloat(op))) {
    return failure();
  }
  mapRegisters(l, op, Packing::Words, [&](ArrayRef<Value> x, Type type) {
    return inF32OrF64(l, x, type, [&](ArrayRef<Value> y) { return emitFmod(l, y[0], y[1]); });
  });
  return success();
}

Value notEqualZero(Lowering &l, Value x) { return l.icmp(LLVM::ICmpPredicate::ne, x, l.constant(x.getType(), 0)); }

/// x / y rounded up or down, from the quotient that is rounded to zero: one less, or more, where the remainder is not
/// zero and the quotient's sign is the one that rounds the wrong way.
Value roundedDivision(Lowering &l, Value x, Value y, bool up) {
  Value quotient = LLVM::SDivOp::create(l.b, l.loc, x, y);
  Value remainder = l.sub(x, l.mul(quotient, y));
  Value zero = l.constant(x.getType(), 0);
  Value signs = l.bitXor(x, y);
  Value wrongWay = l.icmp(up ? LLVM::ICmpPredicate::sge : LLVM::ICmpPredicate::slt, signs, zero);
  Value adjusts = l.logicalAnd(notEqualZero(l, remainder), wrongWay);
  return l.select(adjusts, l.add(quotient, up ? 1 : -1), quotient);
}

LogicalResult lowerFloorDiv(Lowering &l, arith::FloorDivSIOp op) {
  APInt divisor;
  bool shifts =
      matchPattern(op.getRhs(), m_ConstantInt(&divisor)) && divisor.isStrictlyPositive() && divisor.isPowerOf2();
  bool isUnsigned = op.getType().isIndex() && tile::isNeverNegative(op.getLhs()) && tile::isNeverNegative(op.getRhs());
  mapRegisters(l, op, Packing::Elements, [&](ArrayRef<Value> x, Type type) -> Value {
    if (isUnsigned && !shifts) {
      return LLVM::UDivOp::create(l.b, l.loc, x[0], x[1]);
    }
    if (shifts) {
      return LLVM::AShrOp::create(l.b, l.loc, x[0], l.constant(type, divisor.logBase2()));
    }
    return roundedDivision(l, x[0], x[1], /*up=*/false);
  });
  return success();
}

LogicalResult lowerCeilDiv(Lowering &l, arith::CeilDivSIOp op) {
  mapRegisters(l, op, Packing::Elements,
               [&](ArrayRef<Value> x, Type) { return roundedDivision(l, x[0], x[1], /*up=*/true); });
  return success();
}

LogicalResult lowerCeilDivUnsigned(Lowering &l, arith::CeilDivUIOp op) {
  mapRegisters(l, op, Packing::Elements, [&](ArrayRef<Value> x, Type type) -> Value {
    Value quotient = LLVM::UDivOp::create(l.b, l.loc, x[0], x[1]);
    Value rest = l.sub(x[0], l.mul(quotient, x[1]));
    return l.add(quotient, Value(LLVM::ZExtOp::create(l.b, l.loc, type, notEqualZero(l, rest))));
  });
  return success();
}

LogicalResult lowerCmpi(Lowering &l, arith::CmpIOp op) {
  // The enumerations list the predicates in one order.
  static_assert(unsigned(arith::CmpIPredicate::uge) == unsigned(LLVM::ICmpPredicate::uge));
  auto predicate = static_cast<LLVM::ICmpPredicate>(op.getPredicate());
  mapRegisters(l, op, Packing::Elements, [&](ArrayRef<Value> x, Type) { return l.icmp(predicate, x[0], x[1]); });
  return success();
}

LogicalResult lowerCmpf(Lowering &l, arith::CmpFOp op) {
  if (failed(checkFloat(op))) {
    return failure();
  }
  static_assert(unsigned(arith::CmpFPredicate::OEQ) == unsigned(LLVM::FCmpPredicate::oeq) &&
                unsigned(arith::CmpFPredicate::ULE) == unsigned(LLVM::FCmpPredicate::ule) &&
                unsigned(arith::CmpFPredicate::AlwaysTrue) == unsigned(LLVM::FCmpPredicate::_true));
  auto predicate = static_cast<LLVM::FCmpPredicate>(op.getPredicate());
  mapRegisters(l, op, Packing::Elements, [&](ArrayRef<Value> x, Type) -> Value {
    return LLVM::FCmpOp::create(l.b, l.loc, predicate, x[0], x[1]);
  });
  return success();
}

LogicalResult lowerSelect(Lowering &l, arith::SelectOp op) {
  mapRegisters(l, op, Packing::Words, [&](ArrayRef<Value> x, Type) { return l.select(x[0], x[1], x[2]); });
  return success();
}

/// The low and the high half of a product.
template <typename OpT, typename ExtendOp> LogicalResult lowerExtendedMul(Lowering &l, OpT op) {
  bool isTile = isa<RankedTensorType>(op.getLow().getType());
  auto registers = [&](Value x) { return isTile ? l.elements(x) : SmallVector<Value>{l.scalar(x)}; };
  SmallVector<Value> low, high;
  for (auto [x, y] : llvm::zip(registers(op.getLhs()), registers(op.getRhs()))) {
    unsigned bits = x.getType().getIntOrFloatBitWidth();
    Type wide = l.b.getIntegerType(2 * bits);
    Value product = l.mul(ExtendOp::create(l.b, l.loc, wide, x), ExtendOp::create(l.b, l.loc, wide, y));
    low.push_back(LLVM::TruncOp::create(l.b, l.loc, x.getType(), product));
    high.push_back(LLVM::TruncOp::create(l.b, l.loc, x.getType(), l.lshr(product, bits)));
  }
  for (auto [result, elements] : {std::pair(op.getLow(), &low), std::pair(op.getHigh(), &high)}) {
    isTile ? l.setElements(result, *elements) : l.setScalar(result, elements->front());
  }
  return success();
}

template <typename OpT, typename LLVMOp, LLVM::FastmathFlags extra = LLVM::FastmathFlags::none>
void addFloat(Lowering::HandlerTable &table) {
  Lowering::add<OpT, lowerFloat<OpT, LLVMOp, extra>>(table);
}

template <typename OpT, typename LLVMOp> void addInteger(Lowering::HandlerTable &table) {
  Lowering::add<OpT, lowerInteger<OpT, LLVMOp>>(table);
}

} // namespace

void registerElementwise(Lowering::HandlerTable &table) {
  Lowering::add<arith::ConstantOp, lowerConstant>(table);
  Lowering::add<arith::SelectOp, lowerSelect>(table);
  Lowering::add<arith::CmpIOp, lowerCmpi>(table);
  Lowering::add<arith::CmpFOp, lowerCmpf>(table);

  addFloat<arith::AddFOp, LLVM::FAddOp, kContract>(table);
  addFloat<arith::SubFOp, LLVM::FSubOp, kContract>(table);
  addFloat<arith::MulFOp, LLVM::FMulOp, kContract>(table);
  addFloat<arith::DivFOp, LLVM::FDivOp>(table);
  addFloat<arith::NegFOp, LLVM::FNegOp>(table);
  addFloat<arith::MaximumFOp, LLVM::MaximumOp, kAnyZero>(table);
  addFloat<arith::MinimumFOp, LLVM::MinimumOp, kAnyZero>(table);
  addFloat<arith::MaxNumFOp, LLVM::MaxNumOp, kAnyZero>(table);
  addFloat<arith::MinNumFOp, LLVM::MinNumOp, kAnyZero>(table);
  Lowering::add<arith::RemFOp, lowerRemf>(table);

  addInteger<arith::AddIOp, LLVM::AddOp>(table);
  addInteger<arith::SubIOp, LLVM::SubOp>(table);
  addInteger<arith::MulIOp, LLVM::MulOp>(table);
  addInteger<arith::AndIOp, LLVM::AndOp>(table);
  addInteger<arith::OrIOp, LLVM::OrOp>(table);
  addInteger<arith::XOrIOp, LLVM::XOrOp>(table);
  addInteger<arith::ShLIOp, LLVM::ShlOp>(table);
  addInteger<arith::ShRSIOp, LLVM::AShrOp>(table);
  addInteger<arith::ShRUIOp, LLVM::LShrOp>(table);
  addInteger<arith::DivSIOp, LLVM::SDivOp>(table);
  addInteger<arith::DivUIOp, LLVM::UDivOp>(table);
  addInteger<arith::RemSIOp, LLVM::SRemOp>(table);
  addInteger<arith::RemUIOp, LLVM::URemOp>(table);
  addInteger<arith::MaxSIOp, LLVM::SMaxOp>(table);
  addInteger<arith::MaxUIOp, LLVM::UMaxOp>(table);
  addInteger<arith::MinSIOp, LLVM::SMinOp>(table);
  addInteger<arith::MinUIOp, LLVM::UMinOp>(table);
  Lowering::add<arith::FloorDivSIOp, lowerFloorDiv>(table);
  Lowering::add<arith::CeilDivSIOp, lowerCeilDiv>(table);
  Lowering::add<arith::CeilDivUIOp, lowerCeilDivUnsigned>(table);
  Lowering::add<arith::MulSIExtendedOp, lowerExtendedMul<arith::MulSIExtendedOp, LLVM::SExtOp>>(table);
  Lowering::add<arith::MulUIExtendedOp, lowerExtendedMul<arith::MulUIExtendedOp, LLVM::ZExtOp>>(table);

  registerConvert(table);
  registerMath(table);
}

} // namespace phobos::lowering
