#include "LocalAddresses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

namespace phobos::target {
namespace {

constexpr unsigned kSharedSpace = 3;

bool usesWgmma(llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](llvm::Instruction &instruction) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    auto *text = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
    return text && llvm::StringRef(text->getAsmString()).contains("wgmma.mma_async");
  });
}

bool isThreadsNumber(const llvm::IntrinsicInst &call) {
  return llvm::is_contained({llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, llvm::Intrinsic::nvvm_read_ptx_sreg_laneid},
                            call.getIntrinsicID());
}

/// Does the value depend on which thread of a warp computes it, as far as arithmetic tells?
bool differsInWarp(llvm::Value *value) {
  llvm::SmallPtrSet<llvm::Value *, 16> seen;
  llvm::SmallVector<llvm::Value *> open = {value};
  while (!open.empty()) {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(open.pop_back_val());
    if (!instruction || !seen.insert(instruction).second) {
      continue;
    }
    if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction)) {
      if (isThreadsNumber(*call)) {
        return true;
      }
      if (call->getIntrinsicID() == llvm::Intrinsic::nvvm_shfl_sync_idx_i32) {
        continue; // one lane's, for all
      }
    }
    open.append(instruction->op_begin(), instruction->op_end());
  }
  return false;
}

/// The loop around the block whose turns are loops themselves; null if there is none.
llvm::Loop *nestAround(llvm::LoopInfo &loops, llvm::BasicBlock &block) {
  llvm::Loop *loop = loops.getLoopFor(&block);
  llvm::Loop *outermost = loop ? loop->getOutermostLoop() : nullptr;
  return outermost && !outermost->isInnermost() ? outermost : nullptr;
}

/// Instructions that take an address with a constant in it as it is.
bool foldsAddresses(llvm::Instruction &instruction) {
  return llvm::isa<llvm::PHINode, llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst,
                   llvm::IntrinsicInst>(instruction);
}

class Localiser {
public:
  Localiser(llvm::GlobalVariable &buffer, llvm::Function &function)
      : buffer(buffer), layout(function.getDataLayout()), tree(function), loops(tree) {}

  void run(llvm::Instruction &instruction) {
    if (foldsAddresses(instruction)) {
      return;
    }
    auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
    llvm::BasicBlock &block = *instruction.getParent();
    llvm::Loop *nest = nestAround(loops, block);
    bool threads = address && llvm::any_of(address->indices(), differsInWarp);
    if (!threads && !nest) {
      return;
    }
    for (llvm::Use &operand : instruction.operands()) {
      llvm::APInt offset(layout.getIndexTypeSizeInBits(buffer.getType()), 0);
      if (isOfBuffer(operand, offset)) {
        llvm::IRBuilder<> b(&instruction);
        llvm::Value *base = threads ? baseIn(block) : baseIn(*nest->getHeader());
        operand.set(offset.isZero() ? base : b.CreatePtrAdd(base, b.getInt(offset)));
      }
    }
  }

private:
  bool isOfBuffer(llvm::Value *pointer, llvm::APInt &offset) {
    return llvm::isa<llvm::Constant>(pointer) && pointer->getType() == buffer.getType() &&
           pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true) == &buffer;
  }

  llvm::Value *baseIn(llvm::BasicBlock &block) {
    llvm::Value *&base = bases[&block];
    if (!base) {
      llvm::IRBuilder<> b(&block, block.getFirstInsertionPt());
      auto *type = llvm::FunctionType::get(buffer.getType(), /*isVarArg=*/false);
      std::string text = "mov.b32 $0, " + buffer.getName().str() + ";";
      base = b.CreateCall(type, llvm::InlineAsm::get(type, text, "=r", /*hasSideEffects=*/true));
    }
    return base;
  }

  llvm::GlobalVariable &buffer;
  const llvm::DataLayout &layout;
  llvm::DominatorTree tree;
  llvm::LoopInfo loops;
  llvm::DenseMap<llvm::BasicBlock *, llvm::Value *> bases;
};

} // namespace

void localiseAddresses(llvm::Module &module) {
  for (llvm::GlobalVariable &buffer : module.globals()) {
    if (buffer.getAddressSpace() != kSharedSpace || !buffer.isDeclaration()) {
      continue;
    }
    for (llvm::Function &function : module) {
      if (usesWgmma(function)) {
        Localiser localiser(buffer, function);
        for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
          localiser.run(instruction);
        }
      }
    }
  }
}

} // namespace phobos::target
