// Small builders that every lowering uses.
#include "phobos/Conversion/Lowering.h"

using namespace mlir;

namespace phobos::lowering {

Type Lowering::scalarType(Type type) const {
  if (type.isIndex()) {
    return indexType_;
  }
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8) {
    return IntegerType::get(type.getContext(), 8);
  }
  return type;
}

LLVM::LLVMPointerType Lowering::pointer(unsigned space) const {
  return LLVM::LLVMPointerType::get(indexType_.getContext(), space);
}

Value Lowering::constant(Type type, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
}

Value Lowering::constantF(Type type, double value) {
  return LLVM::ConstantOp::create(b, loc, type, b.getFloatAttr(type, value));
}

Value Lowering::add(Value x, Value y) { return LLVM::AddOp::create(b, loc, x, y); }
Value Lowering::sub(Value x, Value y) { return LLVM::SubOp::create(b, loc, x, y); }
Value Lowering::mul(Value x, Value y) { return LLVM::MulOp::create(b, loc, x, y); }
Value Lowering::bitXor(Value x, Value y) { return LLVM::XOrOp::create(b, loc, x, y); }
Value Lowering::bitAnd(Value x, int64_t mask) { return LLVM::AndOp::create(b, loc, x, constant(x.getType(), mask)); }
Value Lowering::shl(Value x, unsigned by) { return by ? LLVM::ShlOp::create(b, loc, x, constant(x.getType(), by)) : x; }
Value Lowering::lshr(Value x, unsigned by) {
  return by ? LLVM::LShrOp::create(b, loc, x, constant(x.getType(), by)) : x;
}
Value Lowering::add(Value x, int64_t y) { return y ? add(x, constant(x.getType(), y)) : x; }

Value Lowering::mul(Value x, int64_t y) {
  if (y > 0 && llvm::isPowerOf2_64(y)) {
    return shl(x, llvm::Log2_64(y));
  }
  return y ? mul(x, constant(x.getType(), y)) : constant(x.getType(), 0);
}

Value Lowering::select(Value condition, Value x, Value y) { return LLVM::SelectOp::create(b, loc, condition, x, y); }

Value Lowering::icmp(LLVM::ICmpPredicate predicate, Value x, Value y) {
  return LLVM::ICmpOp::create(b, loc, predicate, x, y);
}

Value Lowering::logicalAnd(Value x, Value y) { return x && y ? LLVM::AndOp::create(b, loc, x, y) : x ? x : y; }

static Value resize(Lowering &l, Value x, Type to) {
  unsigned from = x.getType().getIntOrFloatBitWidth(), bits = to.getIntOrFloatBitWidth();
  if (from == bits) {
    return x;
  }
  return from < bits ? Value(LLVM::SExtOp::create(l.b, l.loc, to, x)) : Value(LLVM::TruncOp::create(l.b, l.loc, to, x));
}

Value Lowering::toI32(Value x) { return resize(*this, x, i32_); }
Value Lowering::toI64(Value x) { return resize(*this, x, i64_); }
Value Lowering::toIndex(Value x) { return resize(*this, x, indexType_); }

Value Lowering::bitcast(Type type, Value x) {
  return x.getType() == type ? x : LLVM::BitcastOp::create(b, loc, type, x);
}

Value Lowering::evaluate(const layout::TermList &terms, Value warp) {
  Value sum;
  for (const layout::BitTerm &term : terms.terms) {
    Value source = term.source == layout::Source::Lane   ? lane_
                   : term.source == layout::Source::Warp ? (warp ? warp : warp_)
                                                         : thread_;
    Value x = lshr(source, term.shiftRight);
    if (term.mask != layout::BitTerm::kNoMask) {
      x = bitAnd(x, term.mask);
    }
    x = mul(x, int64_t(term.multiplier));
    sum = !sum ? x : terms.add || terms.disjoint ? add(sum, x) : bitXor(sum, x);
  }
  return sum ? sum : i32c(0);
}

Value Lowering::byteOffset(Value base, Value offset) {
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{offset});
}

Value Lowering::byteOffset(Value base, int64_t offset) {
  if (offset == 0) {
    return base;
  }
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

Value Lowering::sharedBase() { return LLVM::AddressOfOp::create(b, loc, pointer(kSharedSpace), kSharedSymbol); }

Value Lowering::sharedAddress(Value offset) { return byteOffset(sharedBase(), offset); }

void Lowering::ctaBarrier() {
  assert(role != Role::Producer && "a producer meets nobody");
  if (role == Role::All) {
    NVVM::Barrier0Op::create(b, loc);
    return;
  }
  constexpr int kConsumerBarrier = 1; // 0 is the whole CTA's
  NVVM::BarrierOp::create(b, loc, TypeRange(), i32c(kConsumerBarrier), i32c(kernel.getThreads()),
                          NVVM::BarrierReductionAttr(), Value());
}

Value Lowering::isLeader() {
  return role == Role::Producer ? Value() : icmp(LLVM::ICmpPredicate::eq, thread_, i32c(0));
}
void Lowering::warpSync() { NVVM::SyncWarpOp::create(b, loc, i32c(-1)); }
LLVM::InlineAsmOp Lowering::inlineAsm(TypeRange results, ValueRange operands, StringRef text, StringRef constraints,
                                      bool effects) {
  return LLVM::InlineAsmOp::create(b, loc, results, operands, text, constraints, effects, /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None, /*asm_dialect=*/nullptr,
                                   /*operand_attrs=*/nullptr);
}

void Lowering::pinMemory() { inlineAsm({}, {}, "", "~{memory}"); }

Value Lowering::isWriter(const layout::LinearLayout &layout, bool acrossWarps) {
  layout::Place replicas = layout.freeVariableMasks();
  replicas.warp = acrossWarps ? replicas.warp : 0;
  Value writes;
  for (auto [number, mask] : {std::pair(lane_, replicas.lane), std::pair(warp_, replicas.warp)}) {
    if (mask) {
      writes = logicalAnd(writes, icmp(LLVM::ICmpPredicate::eq, bitAnd(number, mask), i32c(0)));
    }
  }
  return writes;
}

void Lowering::guarded(Value condition, llvm::function_ref<void()> body) {
  if (!condition) {
    return body();
  }
  Block *before = b.getInsertionBlock();
  Block *after = before->splitBlock(b.getInsertionPoint());
  Block *inside = b.createBlock(after);
  b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(b, loc, condition, inside, after);
  b.setInsertionPointToEnd(inside);
  body();
  LLVM::BrOp::create(b, loc, ValueRange(), after);
  b.setInsertionPointToStart(after);
}

Value Lowering::guardedValue(Value condition, llvm::function_ref<Value()> body) {
  if (!condition) {
    return body();
  }
  Value result;
  guarded(condition, [&] { result = body(); });
  // Both ways lead here.
  Block *after = b.getInsertionBlock(), *inside = result.getParentBlock();
  Value merged = after->addArgument(result.getType(), loc);
  for (Block *before : llvm::to_vector(after->getPredecessors())) {
    OpBuilder at(before->getTerminator());
    Value passed = before == inside ? result : Value(LLVM::UndefOp::create(at, loc, result.getType()));
    if (auto branch = dyn_cast<LLVM::BrOp>(before->getTerminator())) {
      branch.getDestOperandsMutable().append(passed);
    } else {
      cast<LLVM::CondBrOp>(before->getTerminator()).getFalseDestOperandsMutable().append(passed);
    }
  }
  return merged;
}

} // namespace phobos::lowering
