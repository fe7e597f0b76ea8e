// Loads, stores and atomics: plain instructions on the host, with calls of the checkers and the profiler before them on
// request.
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

/// Memory that the pass itself uses: the exchange buffer, the registers.
bool isSimulators(Value address) {
  auto gep = address.getDefiningOp<LLVM::GEPOp>();
  Value base = gep ? Value(gep.getBase()) : address;
  auto load = base.getDefiningOp<LLVM::LoadOp>();
  return load && load.getInvariant();
}

struct Accessed {
  Value address;
  Type type;
  Value stored; // of a store
  host::Access access;
};

void instrument(KernelToHost &k, Operation *op, const Accessed &a) {
  const HostOptions &options = k.shared.options;
  bool shared = isShared(a.address), checks = shared ? options.checkShared : options.checkGlobal;
  if ((!checks && !options.profile) || isOwnStack(a.address)) {
    return;
  }
  Value bytes = k.i32c(k.shared.layout.getTypeSize(a.type)), site = k.site(op);
  if (options.profile) {
    k.call(shared ? HostCall::profileShared : HostCall::profileGlobal,
           {a.address, bytes, k.i32c(int64_t(a.access)), site});
  }
  if (!checks) {
    return;
  }
  switch (a.access) {
  case host::Access::load:
    k.call(shared ? HostCall::checkSharedLoad : HostCall::checkGlobalLoad, {a.address, bytes, site});
    break;
  case host::Access::store: {
    Value copy = k.stackSlot(a.type);
    LLVM::StoreOp::create(k.b, k.loc, a.stored, copy);
    k.call(shared ? HostCall::checkSharedStore : HostCall::checkGlobalStore, {a.address, copy, bytes, site});
    break;
  }
  case host::Access::atomic:
    k.call(shared ? HostCall::checkSharedAtomic : HostCall::checkGlobalAtomic, {a.address, bytes, site});
    break;
  }
}

LogicalResult lowerLoad(KernelToHost &k, LLVM::LoadOp op) {
  if (!op.getInvariant() && !isSimulators(op.getAddr())) {
    bool atomic = op.getOrdering() != LLVM::AtomicOrdering::not_atomic;
    instrument(k, op, {op.getAddr(), op.getType(), {}, atomic ? host::Access::atomic : host::Access::load});
  }
  return success();
}

LogicalResult lowerStore(KernelToHost &k, LLVM::StoreOp op) {
  if (!isSimulators(op.getAddr())) {
    bool atomic = op.getOrdering() != LLVM::AtomicOrdering::not_atomic;
    instrument(
        k, op,
        {op.getAddr(), op.getValue().getType(), op.getValue(), atomic ? host::Access::atomic : host::Access::store});
  }
  return success();
}

/// The scopes of a GPU mean nothing to the host's code generator; its atomics hold for the whole machine.
template <typename OpT> void dropScope(OpT op) { op.removeSyncscopeAttr(); }

LogicalResult lowerAtomicRMW(KernelToHost &k, LLVM::AtomicRMWOp op) {
  instrument(k, op, {op.getPtr(), op.getVal().getType(), {}, host::Access::atomic});
  dropScope(op);
  return success();
}

LogicalResult lowerCmpXchg(KernelToHost &k, LLVM::AtomicCmpXchgOp op) {
  instrument(k, op, {op.getPtr(), op.getVal().getType(), {}, host::Access::atomic});
  dropScope(op);
  return success();
}

// --- profile
std::optional<InstructionClass> classOf(Operation *op) {
  if (isa<LLVM::CallOp, LLVM::ConstantOp, LLVM::ZeroOp, LLVM::UndefOp, LLVM::AddressOfOp, LLVM::ExtractValueOp,
          LLVM::InsertValueOp, LLVM::ExtractElementOp, LLVM::InsertElementOp, LLVM::BitcastOp, LLVM::AddrSpaceCastOp>(
          op)) {
    return std::nullopt; // registers renamed; calls of the runtime count themselves
  }
  if (isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(op)) {
    Value address = op->getOperand(isa<LLVM::StoreOp>(op) ? 1 : 0);
    return isSimulators(address)
               ? std::nullopt
               : std::optional(isShared(address) ? InstructionClass::Shared : InstructionClass::Memory);
  }
  if (op->hasTrait<OpTrait::IsTerminator>()) {
    return InstructionClass::Control;
  }
  if (isa<LLVM::FPExtOp, LLVM::FPTruncOp, LLVM::SIToFPOp, LLVM::UIToFPOp, LLVM::FPToSIOp, LLVM::FPToUIOp>(op) ||
      op->getName().stripDialect().starts_with("convert.")) {
    return InstructionClass::Convert;
  }
  bool nvvm = isa<NVVM::NVVMDialect>(op->getDialect());
  StringRef name = op->getName().stripDialect();
  if (nvvm) {
    return name.contains("wgmma") || name.contains("mma")                            ? InstructionClass::Mma
           : name.contains("cp.async")                                               ? InstructionClass::Copy
           : name.contains("bar") || name.contains("fence") || name.contains("wait") ? InstructionClass::Barrier
           : name.starts_with("read.ptx")                                            ? InstructionClass::Integer
                                                                                     : InstructionClass::Warp;
  }
  bool real = op->getNumResults() == 1 && isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  return real || isa<LLVM::FCmpOp>(op) ? InstructionClass::Float : InstructionClass::Integer;
}

} // namespace

void instrumentBlocks(KernelToHost &k) {
  SmallVector<Block *> blocks;
  for (Block &block : k.function.getBody()) {
    blocks.push_back(&block);
  }
  for (Block *block : blocks) {
    HostBlock counted;
    for (Operation &op : *block) {
      std::optional<InstructionClass> kind = classOf(&op);
      if (!kind) {
        continue;
      }
      uint32_t site = k.shared.site(&op);
      auto known = llvm::find_if(
          counted.entries, [&](const HostBlock::Entry &entry) { return entry.site == site && entry.kind == *kind; });
      if (known == counted.entries.end()) {
        counted.entries.push_back({site, *kind, 1});
      } else {
        ++known->count;
      }
    }
    if (block->isEntryBlock() || counted.entries.empty()) {
      continue; // the entry is the simulator's prologue
    }
    k.b.setInsertionPointToStart(block);
    k.loc = block->front().getLoc();
    k.call(HostCall::profileBlock, {k.i32c(k.shared.info.blocks.size())});
    k.shared.info.blocks.push_back(std::move(counted));
  }
}

void registerChecks(HandlerTable &table) {
  add<LLVM::LoadOp, lowerLoad>(table);
  add<LLVM::StoreOp, lowerStore>(table);
  add<LLVM::AtomicRMWOp, lowerAtomicRMW>(table);
  add<LLVM::AtomicCmpXchgOp, lowerCmpXchg>(table);
}

} // namespace phobos::tohost
