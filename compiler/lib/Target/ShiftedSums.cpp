// A sum whose low bits come from a constant alone, shifted to the right beyond them, does not depend on those: the
// random numbers of four neighbours are words of one counter, start + thread * 4 + 2048 + {0, 1, 2, 3} >> 2. LLVM sees
// that for `or` only, which such a sum is not where thread * 4 may reach 2048.
#include "ShiftedSums.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm::PatternMatch;

namespace phobos::target {
namespace {

class LowBits {
public:
  LowBits(llvm::IRBuilder<> &builder, const llvm::DataLayout &layout, unsigned bits)
      : b(builder), layout(layout), bits(bits) {}

  /// A value with the same upper bits as `value`, without the constant that its low bits are; null if they are none.
  llvm::Value *without(llvm::Value *value, unsigned depth = 0) {
    llvm::Value *x = nullptr, *y = nullptr;
    const llvm::APInt *constant = nullptr;
    if (depth == kMaxDepth) {
      return nullptr;
    }
    if (match(value, m_ZExtOrSExt(m_Value(x)))) {
      llvm::Value *inner = without(x, depth + 1);
      return inner ? b.CreateCast(llvm::cast<llvm::CastInst>(value)->getOpcode(), inner, value->getType()) : nullptr;
    }
    if (match(value, m_APInt(constant))) {
      llvm::APInt upper = *constant;
      upper.clearLowBits(std::min(bits, upper.getBitWidth()));
      return upper == *constant ? nullptr : llvm::ConstantInt::get(value->getType(), upper);
    }
    if (!match(value, m_Add(m_Value(x), m_Value(y)))) {
      return nullptr;
    }
    if (llvm::isa<llvm::Constant>(x) || areZero(y)) {
      std::swap(x, y);
    }
    llvm::Value *rest = areZero(x) ? without(y, depth + 1) : nullptr;
    return rest ? b.CreateAdd(x, rest) : nullptr;
  }

private:
  bool areZero(llvm::Value *value) const {
    return llvm::computeKnownBits(value, layout).countMinTrailingZeros() >= bits;
  }

  static constexpr unsigned kMaxDepth = 6;
  llvm::IRBuilder<> &b;
  const llvm::DataLayout &layout;
  unsigned bits;
};

} // namespace

void simplifyShiftedSums(llvm::Module &module) {
  for (llvm::Function &function : module) {
    for (llvm::Instruction &shift : llvm::instructions(function)) {
      const llvm::APInt *bits = nullptr;
      if (match(&shift, m_Shr(m_Value(), m_APInt(bits))) && bits->ult(shift.getType()->getScalarSizeInBits())) {
        llvm::IRBuilder<> builder(&shift);
        LowBits low(builder, module.getDataLayout(), static_cast<unsigned>(bits->getZExtValue()));
        if (llvm::Value *upper = low.without(shift.getOperand(0))) {
          shift.setOperand(0, upper);
        }
      }
    }
  }
}

} // namespace phobos::target
