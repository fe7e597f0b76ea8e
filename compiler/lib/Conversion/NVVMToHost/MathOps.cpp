// Arithmetic that the host's own instructions do otherwise: approximate functions, libdevice, integer division, shifts.
//
// Division: an x86 processor traps where a GPU gives a number, so divisors are made harmless first. By zero the GPU's
// quotient and remainder have all bits set; the smallest number by -1 wraps. Shifts by the width or more give what the
// PTX ISA says: 0, or the sign.
#include "KernelToHost.h"

#include "phobos/Conversion/Debug.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace phobos::tohost {
namespace {

// --- integers
Value splat(KernelToHost &k, Type type, const APInt &value) {
  auto vector = dyn_cast<VectorType>(type);
  Attribute attribute = k.b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (vector) {
    attribute = DenseElementsAttr::get(vector, attribute);
  }
  return LLVM::ConstantOp::create(k.b, k.loc, type, cast<TypedAttr>(attribute));
}

template <typename OpT, bool isSigned> LogicalResult lowerDivision(KernelToHost &k, OpT op) {
  Value x = op.getLhs(), y = op.getRhs();
  Type type = op.getType();
  APInt divisor;
  if (matchPattern(y, m_ConstantInt(&divisor)) && !divisor.isZero() && !(isSigned && divisor.isAllOnes())) {
    return success();
  }
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value isZero = k.icmp(LLVM::ICmpPredicate::eq, y, splat(k, type, APInt(width, 0))), isBad = isZero;
  if (isSigned) {
    Value least = k.icmp(LLVM::ICmpPredicate::eq, x, splat(k, type, APInt::getSignedMinValue(width)));
    Value minusOne = k.icmp(LLVM::ICmpPredicate::eq, y, splat(k, type, APInt::getAllOnes(width)));
    Value overflows = LLVM::AndOp::create(k.b, k.loc, least, minusOne);
    isBad = LLVM::OrOp::create(k.b, k.loc, isZero, overflows);
  }
  // By one: the smallest number stays and leaves no remainder, which is how it wraps.
  Value harmless = k.select(isBad, splat(k, type, APInt(width, 1)), y);
  Value result = OpT::create(k.b, k.loc, type, x, harmless);
  k.replace(op, k.select(isZero, splat(k, type, APInt::getAllOnes(width)), result));
  return success();
}

template <typename OpT, bool isSigned> LogicalResult lowerShift(KernelToHost &k, OpT op) {
  Value x = op.getLhs(), amount = op.getRhs();
  Type type = op.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  APInt constant;
  if (matchPattern(amount, m_ConstantInt(&constant)) && constant.ult(width)) {
    return success();
  }
  Value fits = k.icmp(LLVM::ICmpPredicate::ult, amount, splat(k, type, APInt(width, width)));
  if (isSigned) {
    Value clamped = k.select(fits, amount, splat(k, type, APInt(width, width - 1)));
    k.replace(op, OpT::create(k.b, k.loc, type, x, clamped));
    return success();
  }
  Value zero = splat(k, type, APInt(width, 0));
  Value shifted = OpT::create(k.b, k.loc, type, x, k.select(fits, amount, zero));
  k.replace(op, k.select(fits, shifted, zero));
  return success();
}

// --- functions
/// Approximate functions by the name of their intrinsic without "llvm.nvvm.".
const llvm::StringMap<HostCall> &approximations() {
  static const llvm::StringMap<HostCall> table = {
      {"ex2.approx", HostCall::exp2Approx},  {"lg2.approx", HostCall::log2Approx},
      {"rcp.approx", HostCall::rcpApprox},   {"rsqrt.approx", HostCall::rsqrtApprox},
      {"sqrt.approx", HostCall::sqrtApprox}, {"sin.approx", HostCall::sinApprox},
      {"cos.approx", HostCall::cosApprox},   {"tanh.approx", HostCall::tanhApprox},
  };
  return table;
}

/// "ex2.approx.ftz.f32" and the like.
LogicalResult lowerApproximation(KernelToHost &k, LLVM::CallIntrinsicOp op, StringRef name) {
  size_t end = name.find(".approx");
  auto known = end == StringRef::npos ? approximations().end() : approximations().find(name.take_front(end + 7));
  if (known == approximations().end() || op->getNumResults() != 1 || !op->getResult(0).getType().isF32()) {
    return k.unknown(op, op.getIntrin());
  }
  bool flush = name.drop_front(end).contains(".ftz");
  k.replace(op, k.call(known->second, {op.getArgs()[0], k.i32c(flush)}));
  return success();
}

/// barrier.cta.red.…: the nvvm op wants an i32 predicate, so kernels call the intrinsic.
LogicalResult lowerBarrierReduction(KernelToHost &k, LLVM::CallIntrinsicOp op, StringRef name) {
  host::BarrierReduction kind = name.consume_front("and.")    ? host::BarrierReduction::all
                                : name.consume_front("or.")   ? host::BarrierReduction::any
                                : name.consume_front("popc.") ? host::BarrierReduction::popc
                                                              : host::BarrierReduction(3);
  bool counted = name.ends_with(".count");
  if (!k.thread()) {
    return k.needThread(op);
  }
  if (kind > host::BarrierReduction::any || op.getArgs().size() != (counted ? 3 : 2)) {
    return k.unknown(op, op.getIntrin());
  }
  Value predicate = LLVM::ZExtOp::create(k.b, k.loc, k.i32(), op.getArgs().back());
  Value threads = counted ? op.getArgs()[1] : k.i32c(0);
  Value result =
      k.call(HostCall::ctaBarrierReduce, {op.getArgs()[0], threads, k.i32c(int64_t(kind)), predicate, k.site(op)});
  k.replace(op, k.fromWord(result, op->getResult(0).getType()));
  return success();
}

LogicalResult lowerIntrinsic(KernelToHost &k, LLVM::CallIntrinsicOp op) {
  StringRef name = op.getIntrin();
  if (!name.consume_front("llvm.nvvm.")) {
    return success(); // LLVM's own
  }
  if (name.consume_front("barrier.cta.red.")) {
    name.consume_front("aligned.");
    return lowerBarrierReduction(k, op, name);
  }
  // Approximations that Newton's steps make exact: exact here.
  if (name == "rcp.approx.ftz.d") {
    Value one = LLVM::ConstantOp::create(k.b, k.loc, k.b.getF64Type(), k.b.getF64FloatAttr(1));
    k.replace(op, LLVM::FDivOp::create(k.b, k.loc, one, op.getArgs()[0]));
    return success();
  }
  if (name == "rsqrt.approx.ftz.d") {
    k.replace(op, k.call(HostCall::rsqrt, {op.getArgs()[0]}));
    return success();
  }
  return lowerApproximation(k, op, name);
}

LogicalResult lowerRcpApprox(KernelToHost &k, NVVM::RcpApproxFtzF32Op op) {
  k.replace(op, k.call(HostCall::rcpApprox, {op.getArg(), k.i32c(1)}));
  return success();
}

/// The chip's approximations of a few functions ask for themselves by a flag, which some host instructions would honour
/// in their own way.
LogicalResult lowerSqrt(KernelToHost &k, LLVM::SqrtOp op) {
  op.setFastmathFlags(op.getFastmathFlags() & ~LLVM::FastmathFlags::afn);
  return success();
}

LogicalResult lowerFDiv(KernelToHost &k, LLVM::FDivOp op) {
  op.setFastmathFlags(op.getFastmathFlags() & ~(LLVM::FastmathFlags::afn | LLVM::FastmathFlags::arcp));
  return success();
}

/// x + y of f64, rounded to odd: of the two numbers around an inexact sum, the one whose last bit is set, so that
/// rounding to fewer places afterwards sees on which side of a tie the sum lies (Boldo and Melquiond, Emulation of FMA
/// and correctly rounded sums, 2008). The error of the sum to nearest is Knuth's.
Value sumToOdd(KernelToHost &k, Value x, Value y) {
  Type type = x.getType(), whole = k.b.getI64Type();
  whole = isa<VectorType>(type) ? Type(cast<VectorType>(type).clone(whole)) : whole;
  auto integer = [&](int64_t value) { return splat(k, whole, APInt(64, value, /*isSigned=*/true)); };
  auto minus = [&](Value a, Value b) { return LLVM::FSubOp::create(k.b, k.loc, a, b).getResult(); };
  Value sum = LLVM::FAddOp::create(k.b, k.loc, x, y), ofY = minus(sum, x);
  Value error = LLVM::FAddOp::create(k.b, k.loc, minus(x, minus(sum, ofY)), minus(y, ofY));

  Value bits = LLVM::BitcastOp::create(k.b, k.loc, whole, sum);
  Value zero = LLVM::BitcastOp::create(k.b, k.loc, type, integer(0));
  Value inexact = LLVM::FCmpOp::create(k.b, k.loc, LLVM::FCmpPredicate::one, error, zero); // false for NaN
  Value last = LLVM::AndOp::create(k.b, k.loc, bits, integer(1));
  Value isEven = k.icmp(LLVM::ICmpPredicate::eq, last, integer(0));
  Value signs = LLVM::XOrOp::create(k.b, k.loc, bits, LLVM::BitcastOp::create(k.b, k.loc, whole, error));
  Value isNearer0 = k.icmp(LLVM::ICmpPredicate::slt, signs, integer(0)); // the exact sum than its rounding
  Value other = LLVM::AddOp::create(k.b, k.loc, bits, k.select(isNearer0, integer(-1), integer(1)));
  Value moves = LLVM::AndOp::create(k.b, k.loc, inexact, isEven);
  return LLVM::BitcastOp::create(k.b, k.loc, type, k.select(moves, other, bits));
}

/// bf16 rounds once. The product is exact in f64; the sum may not be.
LogicalResult lowerFma(KernelToHost &k, LLVM::FMAOp op) {
  Type type = op.getType();
  if (!getElementTypeOrSelf(type).isBF16()) {
    return success();
  }
  auto vector = dyn_cast<VectorType>(type);
  Type wide = k.b.getF64Type();
  wide = vector ? Type(vector.clone(wide)) : wide;
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value x) -> Value { return LLVM::FPExtOp::create(k.b, k.loc, wide, x); });
  Value product = LLVM::FMulOp::create(k.b, k.loc, operands[0], operands[1]);
  k.replace(op, LLVM::FPTruncOp::create(k.b, k.loc, type, sumToOdd(k, product, operands[2])));
  return success();
}

LogicalResult lowerPermute(KernelToHost &k, NVVM::PermuteOp op) {
  if (op.getMode() != NVVM::PermuteMode::DEFAULT) {
    return k.unknown(op, "only the default mode");
  }
  Value high = op.getHi() ? Value(op.getHi()) : k.i32c(0);
  k.replace(op, k.call(HostCall::permute, {op.getLo(), high, op.getSelector()}));
  return success();
}

// --- calls
struct MathFunction {
  StringRef name;
  unsigned arguments;
};

const MathFunction *findMath(StringRef name) {
  static const MathFunction kFunctions[] = {
#define PHOBOS_HOST_MATH(name, arguments) {#name, arguments},
#include "phobos/host/HostCalls.def"
  };
  auto known = llvm::find_if(kFunctions, [&](const MathFunction &function) { return function.name == name; });
  return known == std::end(kFunctions) ? nullptr : known;
}

/// Those that the host has by libdevice's own name (Target/HostLibdevice.cpp).
bool isLibdevice(StringRef name) {
  static const llvm::StringSet<> kNames = {
#define PHOBOS_LIBDEVICE(name, kind, parameters, sentence) #name, #name "f",
#include "phobos/Support/Libdevice.def"
  };
  return kNames.contains(name);
}

LogicalResult lowerLibdevice(KernelToHost &k, LLVM::CallOp op, StringRef name) {
  bool single = op->getNumResults() == 1 && op.getResult().getType().isF32();
  SmallVector<Value> arguments(op.getCalleeOperands());
  if (name == "rsqrt" || name == "rsqrtf") {
    k.replace(op, k.call(single ? HostCall::rsqrtf : HostCall::rsqrt, arguments));
    return success();
  }
  StringRef base = name;
  const MathFunction *function = single && base.consume_back("f") ? findMath(base) : findMath(name);
  bool real = llvm::all_of(arguments, [&](Value x) { return x.getType() == op->getResultTypes()[0]; });
  if (!function || op->getNumResults() != 1 || !real || arguments.size() != function->arguments ||
      !isa<Float32Type, Float64Type>(op.getResult().getType())) {
    return isLibdevice(name) ? success()
                             : op.emitError("the host simulator does not know libdevice's function __nv_") << name;
  }
  k.replace(op, k.callLibrary(name, op.getResult().getType(), arguments));
  return success();
}

/// What CUDA's device runtime declares: printing and assertions.
LogicalResult lowerSystemCall(KernelToHost &k, LLVM::CallOp op, StringRef name) {
  if (!k.thread()) {
    return k.needThread(op);
  }
  SmallVector<Value> arguments(op.getCalleeOperands());
  if (name == "vprintf" && arguments.size() == 2) {
    if (auto note = op->getAttrOfType<StringAttr>(lowering::kExplainsAttr)) {
      Value text = LLVM::AddressOfOp::create(k.b, k.loc, k.shared.text(k.loc, note.getValue()));
      k.call(HostCall::explain, {text, arguments[1], k.site(op)});
      k.replace(op, k.i32c(0));
      return success();
    }
    auto coordinates = op->getAttrOfType<IntegerAttr>(lowering::kCoordinatesAttr);
    k.replace(op, k.call(HostCall::print,
                         {arguments[0], arguments[1], k.i32c(coordinates ? coordinates.getInt() : -1), k.site(op)}));
    return success();
  }
  assert(name == "__assertfail" && "asked before");
  if (arguments.size() != 5) {
    return k.unknown(op, "__assertfail takes five arguments");
  }
  arguments.back() = k.site(op); // in place of the size of a character
  k.call(HostCall::assertFail, arguments);
  op.erase();
  return success();
}

bool isSystemCall(StringRef name) { return name == "vprintf" || name == "__assertfail"; }

LogicalResult lowerCall(KernelToHost &k, LLVM::CallOp op) {
  StringRef name = op.getCallee().value_or("");
  if (name.empty()) {
    return k.unknown(op, "a call through a pointer");
  }
  StringRef libdevice = name;
  if (libdevice.consume_front("__nv_")) {
    return lowerLibdevice(k, op, libdevice);
  }
  if (isSystemCall(name)) {
    return lowerSystemCall(k, op, name);
  }
  auto callee = SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(op, op.getCalleeAttr());
  bool ours = name.starts_with(host::kCallPrefix) || (callee && !callee.isExternal()) || (callee && findMath(name)) ||
              (callee && name.ends_with("f") && findMath(name.drop_back()));
  return ours ? success() : k.unknown(op, "@" + name + " is not defined");
}

LogicalResult lowerTrap(KernelToHost &k, LLVM::Trap op) {
  k.call(HostCall::trap, {k.site(op)});
  op.erase();
  return success();
}

} // namespace

void registerMath(HandlerTable &table) {
  addPure<LLVM::SDivOp, lowerDivision<LLVM::SDivOp, true>>(table);
  addPure<LLVM::UDivOp, lowerDivision<LLVM::UDivOp, false>>(table);
  addPure<LLVM::SRemOp, lowerDivision<LLVM::SRemOp, true>>(table);
  addPure<LLVM::URemOp, lowerDivision<LLVM::URemOp, false>>(table);
  addPure<LLVM::ShlOp, lowerShift<LLVM::ShlOp, false>>(table);
  addPure<LLVM::LShrOp, lowerShift<LLVM::LShrOp, false>>(table);
  addPure<LLVM::AShrOp, lowerShift<LLVM::AShrOp, true>>(table);

  addPure<LLVM::FMAOp, lowerFma>(table);
  addPure<LLVM::CallIntrinsicOp, lowerIntrinsic>(table);
  addPure<NVVM::RcpApproxFtzF32Op, lowerRcpApprox>(table);
  addPure<NVVM::PermuteOp, lowerPermute>(table);
  addPure<LLVM::SqrtOp, lowerSqrt>(table);
  addPure<LLVM::FDivOp, lowerFDiv>(table);
  addPure<LLVM::CallOp, lowerCall>(table);
  add<LLVM::Trap, lowerTrap>(table, /*waits=*/true);
}

} // namespace phobos::tohost
