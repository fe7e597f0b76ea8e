// Loads, stores and atomics: plain instructions on the host. On request the checkers and the profiler hear of them
// before: by a call, or in a thread loop by a comparison with where this place's last accesses were, and a note of the
// address.
#include "KernelToHost.h"

using namespace mlir;

namespace phobos::tohost {
namespace {

/// Memory of the thread's own needs no check.
bool isOwnStack(Value address) {
  while (Operation *op = address.getDefiningOp()) {
    if (isa<LLVM::AllocaOp>(op)) {
      return true;
    }
    if (!isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp>(op)) {
      return false;
    }
    address = op->getOperand(0);
  }
  return false;
}

/// Where an access is masked by reading a constant of the module instead: its mask.
Value maskOf(Value address) {
  auto select = address.getDefiningOp<LLVM::SelectOp>();
  return select && select.getFalseValue().getDefiningOp<LLVM::AddressOfOp>() ? select.getCondition() : Value();
}

struct Accessed {
  Value address;
  Type type;
  Value stored;             // of a store
  uint32_t atomicFlags = 0; // 0: not atomic
  host::Access access() const {
    return atomicFlags ? host::Access::atomic : stored ? host::Access::store : host::Access::load;
  }
};

// --- in a thread loop: AccessSlot
Value slotField(KernelToHost &k, size_t slot, size_t offset, Type type) {
  Value address = k.byteOffset(k.slots(), static_cast<int64_t>(slot * sizeof(host::AccessSlot) + offset));
  return LLVM::LoadOp::create(k.b, k.loc, type, address);
}

/// Runs `body` before `op` if `condition` holds, which it seldom does.
void seldom(KernelToHost &k, Operation *op, Value condition, llvm::function_ref<void()> body) {
  Block *before = op->getBlock(), *after = before->splitBlock(op), *inside = k.b.createBlock(after);
  k.b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(k.b, k.loc, condition, inside, ValueRange(), after, ValueRange(),
                         std::pair<int32_t, int32_t>(1, 1000));
  k.b.setInsertionPointToEnd(inside);
  body();
  LLVM::BrOp::create(k.b, k.loc, ValueRange(), after);
  k.b.setInsertionPoint(op);
}

HostAccess::Kind kindOf(const Accessed &a) {
  if (a.atomicFlags) {
    return a.atomicFlags & host::kAtomicWrites ? HostAccess::Kind::Atomic : HostAccess::Kind::AtomicLoad;
  }
  return a.stored ? HostAccess::Kind::Store : HostAccess::Kind::Load;
}

void noteAccess(KernelToHost &k, Operation *op, const Accessed &a) {
  auto bytes = static_cast<uint32_t>(k.shared.layout.getTypeSize(a.type));
  size_t slot = k.info.accesses.size();
  bool local = a.atomicFlags & host::kAtomicOfCta;
  k.info.accesses.push_back({k.shared.site(op), bytes, kindOf(a), local});
  auto integer = [&](Value pointer) -> Value { return LLVM::PtrToIntOp::create(k.b, k.loc, k.i64(), pointer); };
  auto add = [&](Value pointer, Value offset) -> Value {
    return LLVM::GEPOp::create(k.b, k.loc, k.pointer(), k.b.getI8Type(), pointer, ArrayRef<LLVM::GEPArg>{offset});
  };
  Value mask = maskOf(a.address), address = integer(k.hostPointer(a.address)), index = k.linearIndex();

  Value begin = slotField(k, slot, offsetof(host::AccessSlot, begin), k.i64());
  Value room = slotField(k, slot, offsetof(host::AccessSlot, room), k.i64());
  Value away = LLVM::SubOp::create(k.b, k.loc, address, begin);
  Value outside = k.icmp(LLVM::ICmpPredicate::ugt, away, room);
  outside = mask ? Value(LLVM::AndOp::create(k.b, k.loc, mask, outside)) : outside;
  seldom(k, op, outside, [&] { k.call(HostCall::checkPlace, {a.address, k.i32c(static_cast<int64_t>(slot)), index}); });

  Value next = slotField(k, slot, offsetof(host::AccessSlot, next), k.pointer());
  Value wide = LLVM::ZExtOp::create(k.b, k.loc, k.i64(), index);
  Value thread = LLVM::ShlOp::create(k.b, k.loc, wide, k.i64c(host::kAccessThreadShift));
  LLVM::StoreOp::create(k.b, k.loc, Value(LLVM::OrOp::create(k.b, k.loc, address, thread)), next);
  Value inLog = k.i64c(host::kAccessLogBytes - 1);
  if (a.stored && !a.atomicFlags) {
    Value values = slotField(k, slot, offsetof(host::AccessSlot, values), k.pointer());
    Value at = LLVM::AndOp::create(k.b, k.loc, integer(next), inLog); // eight bytes a word
    at = LLVM::MulOp::create(k.b, k.loc, at, k.i64c(bytes));
    at = LLVM::LShrOp::create(k.b, k.loc, at, k.i64c(3));
    LLVM::StoreOp::create(k.b, k.loc, a.stored, add(values, at), /*alignment=*/1);
  }
  Value step = k.i64c(sizeof(uint64_t));
  Value after = add(next, mask ? k.select(mask, step, k.i64c(0)) : step);
  Value place =
      k.byteOffset(k.slots(), static_cast<int64_t>(slot * sizeof(host::AccessSlot) + offsetof(host::AccessSlot, next)));
  LLVM::StoreOp::create(k.b, k.loc, after, place);
  Value full =
      k.icmp(LLVM::ICmpPredicate::eq, Value(LLVM::AndOp::create(k.b, k.loc, integer(after), inLog)), k.i64c(0));
  full = mask ? Value(LLVM::AndOp::create(k.b, k.loc, mask, full)) : full;
  seldom(k, op, full, [&] { k.call(HostCall::accessesFull, {}); });
}

// --- by a call
void callChecker(KernelToHost &k, Operation *op, const Accessed &a) {
  bool shared = isShared(a.address);
  Value bytes = k.i32c(k.shared.layout.getTypeSize(a.type)), site = k.site(op);
  if (a.atomicFlags) {
    k.call(HostCall::atomicBegin, {a.address, bytes, k.i32c(a.atomicFlags), site});
    return;
  }
  if (a.stored) {
    Value copy = k.stackSlot(a.type);
    LLVM::StoreOp::create(k.b, k.loc, a.stored, copy);
    k.call(shared ? HostCall::checkSharedStore : HostCall::checkGlobalStore, {a.address, copy, bytes, site});
    return;
  }
  if (Value mask = maskOf(a.address)) {
    bytes = k.select(mask, bytes, k.i32c(0)); // nothing to check
  }
  k.call(shared ? HostCall::checkSharedLoad : HostCall::checkGlobalLoad, {a.address, bytes, site});
}

/// True if an atomic access has begun: `endAtomic` is to come.
bool instrument(KernelToHost &k, Operation *op, const Accessed &a) {
  const HostOptions &options = k.shared.options;
  bool shared = isShared(a.address), checks = shared ? options.checkShared : options.checkGlobal;
  if (isOwnStack(a.address) || k.isRuntimes(a.address)) {
    return false;
  }
  if (options.profile) {
    Value bytes = k.i32c(k.shared.layout.getTypeSize(a.type));
    k.call(shared ? HostCall::profileShared : HostCall::profileGlobal,
           {a.address, bytes, k.i32c(int64_t(a.access())), k.site(op)});
  }
  if (!checks) {
    return false;
  }
  if (k.isLoop()) {
    noteAccess(k, op, a);
    return false;
  }
  callChecker(k, op, a);
  return a.atomicFlags != 0;
}

void endAtomic(KernelToHost &k, Operation *op, const Accessed &a, Value wrote = {}) {
  k.b.setInsertionPointAfter(op);
  Value did = wrote ? Value(LLVM::ZExtOp::create(k.b, k.loc, k.i32(), wrote)) : k.i32c(1);
  k.call(HostCall::atomicEnd, {a.address, k.i32c(a.atomicFlags), did});
}

uint32_t atomicFlags(uint32_t does, LLVM::AtomicOrdering ordering, std::optional<StringRef> scope) {
  using LLVM::AtomicOrdering;
  bool both = ordering == AtomicOrdering::acq_rel || ordering == AtomicOrdering::seq_cst;
  bool acquires = (does & host::kAtomicReads) && (both || ordering == AtomicOrdering::acquire);
  bool releases = (does & host::kAtomicWrites) && (both || ordering == AtomicOrdering::release);
  return does | (acquires ? host::kAtomicAcquires : 0) | (releases ? host::kAtomicReleases : 0) |
         (scope == "block" ? host::kAtomicOfCta : 0);
}

/// Volatile accesses may meet another thread's at any time, as relaxed atomics do.
template <typename OpT> uint32_t atomicFlagsOf(OpT op, uint32_t does) {
  if (op.getOrdering() == LLVM::AtomicOrdering::not_atomic) {
    return op.getVolatile_() ? does : 0;
  }
  return atomicFlags(does, op.getOrdering(), op.getSyncscope());
}

LogicalResult lowerLoad(KernelToHost &k, LLVM::LoadOp op) {
  Accessed a{op.getAddr(), op.getType(), {}, atomicFlagsOf(op, host::kAtomicReads)};
  if (instrument(k, op, a)) {
    endAtomic(k, op, a);
  }
  return success();
}

LogicalResult lowerStore(KernelToHost &k, LLVM::StoreOp op) {
  Accessed a{op.getAddr(), op.getValue().getType(), op.getValue(), atomicFlagsOf(op, host::kAtomicWrites)};
  if (instrument(k, op, a)) {
    endAtomic(k, op, a);
  }
  return success();
}

constexpr uint32_t kReadsAndWrites = host::kAtomicReads | host::kAtomicWrites;

/// The scopes of a GPU mean nothing to the host's code generator; its atomics hold for the whole machine.
template <typename OpT> void dropScope(OpT op) { op.removeSyncscopeAttr(); }

LogicalResult lowerAtomicRMW(KernelToHost &k, LLVM::AtomicRMWOp op) {
  Accessed a{op.getPtr(), op.getVal().getType(), {}, atomicFlags(kReadsAndWrites, op.getOrdering(), op.getSyncscope())};
  if (instrument(k, op, a)) {
    endAtomic(k, op, a);
  }
  dropScope(op);
  return success();
}

LogicalResult lowerCmpXchg(KernelToHost &k, LLVM::AtomicCmpXchgOp op) {
  Accessed a{
      op.getPtr(), op.getVal().getType(), {}, atomicFlags(kReadsAndWrites, op.getSuccessOrdering(), op.getSyncscope())};
  if (instrument(k, op, a)) {
    k.b.setInsertionPointAfter(op);
    Value wrote = LLVM::ExtractValueOp::create(k.b, k.loc, op.getRes(), 1);
    endAtomic(k, wrote.getDefiningOp(), a, wrote);
  }
  dropScope(op);
  return success();
}

} // namespace

void registerChecks(HandlerTable &table) {
  add<LLVM::LoadOp, lowerLoad>(table);
  add<LLVM::StoreOp, lowerStore>(table);
  add<LLVM::AtomicRMWOp, lowerAtomicRMW>(table);
  add<LLVM::AtomicCmpXchgOp, lowerCmpXchg>(table);
}

} // namespace phobos::tohost
