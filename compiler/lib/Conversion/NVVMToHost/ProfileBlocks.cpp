// What a basic block executes, counted once when the profiler hears that a thread enters it.
#include "KernelToHost.h"

using namespace mlir;

namespace phobos::tohost {
namespace {

std::optional<InstructionClass> classOf(const KernelToHost &k, Operation *op) {
  if (isa<LLVM::CallOp, LLVM::ConstantOp, LLVM::ZeroOp, LLVM::UndefOp, LLVM::AddressOfOp, LLVM::ExtractValueOp,
          LLVM::InsertValueOp, LLVM::ExtractElementOp, LLVM::InsertElementOp, LLVM::BitcastOp, LLVM::AddrSpaceCastOp>(
          op)) {
    return std::nullopt; // registers renamed; calls of the runtime count themselves
  }
  if (isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(op)) {
    Value address = op->getOperand(isa<LLVM::StoreOp>(op) ? 1 : 0);
    return k.isRuntimes(address)
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
      std::optional<InstructionClass> kind = classOf(k, &op);
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

} // namespace phobos::tohost
