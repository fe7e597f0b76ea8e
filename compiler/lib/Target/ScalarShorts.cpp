// ptxas 13.0 makes `VIADD.16x2 R, R, 0` of `add.s16x2` with a constant where only one half of the sum is used: the
// constant is lost, and 4 + 2 is 4 (seen in SASS, and as wrong values on an H200). Pairs of integers are rare; they are
// computed singly.
#include "ScalarShorts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace phobos::target {
namespace {

constexpr unsigned kLanes = 2;

bool isPair(llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector && vector->getNumElements() == kLanes && vector->getElementType()->isIntegerTy(16);
}

bool isExtremum(const llvm::Instruction &instruction) { return llvm::isa<llvm::MinMaxIntrinsic>(instruction); }

llvm::Value *split(llvm::IRBuilder<> &b, llvm::Instruction &instruction) {
  llvm::Value *pair = llvm::PoisonValue::get(instruction.getType());
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    llvm::Value *x = b.CreateExtractElement(instruction.getOperand(0), lane);
    llvm::Value *y = b.CreateExtractElement(instruction.getOperand(1), lane);
    llvm::Value *value =
        isExtremum(instruction)
            ? b.CreateBinaryIntrinsic(llvm::cast<llvm::IntrinsicInst>(instruction).getIntrinsicID(), x, y)
            : b.CreateBinOp(llvm::cast<llvm::BinaryOperator>(instruction).getOpcode(), x, y);
    pair = b.CreateInsertElement(pair, value, lane);
  }
  return pair;
}

} // namespace

void splitShortPairs(llvm::Module &module) {
  for (llvm::Function &function : module) {
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      // Bitwise operations are done on the whole register.
      bool arithmetic = llvm::isa<llvm::BinaryOperator>(instruction) && !instruction.isBitwiseLogicOp();
      if (isPair(instruction.getType()) && (arithmetic || isExtremum(instruction))) {
        llvm::IRBuilder<> builder(&instruction);
        instruction.replaceAllUsesWith(split(builder, instruction));
        instruction.eraseFromParent();
      }
    }
  }
}

} // namespace phobos::target
