// `cvt.rzi` clamps to the range of its destination by itself (PTX ISA, cvt), which the code generator does not know: it
// emits three comparisons and three selects around it. NaN becomes 0 from f32 to 32 bits; from f64, or to 64 bits, it
// becomes the integer whose highest bit alone is set, and one select makes that 0.
#include "SaturatingCasts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

namespace phobos::target {
namespace {

llvm::Intrinsic::ID instruction(bool fromDouble, bool isSigned, bool toLong) {
  using namespace llvm::Intrinsic;
  if (toLong) {
    return fromDouble ? (isSigned ? nvvm_d2ll_rz : nvvm_d2ull_rz) : (isSigned ? nvvm_f2ll_rz : nvvm_f2ull_rz);
  }
  return fromDouble ? (isSigned ? nvvm_d2i_rz : nvvm_d2ui_rz) : (isSigned ? nvvm_f2i_rz : nvvm_f2ui_rz);
}

bool isHandled(const llvm::IntrinsicInst &call) {
  llvm::Type *from = call.getArgOperand(0)->getType();
  return llvm::is_contained({8, 16, 32, 64}, call.getType()->getScalarSizeInBits()) && !call.getType()->isVectorTy() &&
         (from->isHalfTy() || from->isBFloatTy() || from->isFloatTy() || from->isDoubleTy());
}

llvm::Value *convert(llvm::IRBuilder<> &b, llvm::IntrinsicInst &call) {
  const bool isSigned = call.getIntrinsicID() == llvm::Intrinsic::fptosi_sat;
  const unsigned bits = call.getType()->getScalarSizeInBits();
  llvm::Value *x = call.getArgOperand(0);
  if (x->getType()->getScalarSizeInBits() == 16) {
    x = b.CreateFPExt(x, b.getFloatTy()); // exact
  }
  const bool fromDouble = x->getType()->isDoubleTy(), toLong = bits == 64;
  llvm::Value *value = b.CreateIntrinsic(instruction(fromDouble, isSigned, toLong), {}, {x});
  if (fromDouble || toLong) {
    value = b.CreateSelect(b.CreateFCmpUNO(x, x), llvm::ConstantInt::get(value->getType(), 0), value);
  }
  if (bits < 32) { // clamped to 32 bits, then to its own
    auto bound = [&](const llvm::APInt &limit) { return b.getInt(isSigned ? limit.sext(32) : limit.zext(32)); };
    if (isSigned) {
      value = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, bound(llvm::APInt::getSignedMinValue(bits)));
      value = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, bound(llvm::APInt::getSignedMaxValue(bits)));
    } else {
      value = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, value, bound(llvm::APInt::getMaxValue(bits)));
    }
    value = b.CreateTrunc(value, call.getType());
  }
  return value;
}

} // namespace

void useSaturatingInstructions(llvm::Module &module) {
  for (llvm::Function &declaration : llvm::make_early_inc_range(module)) {
    llvm::Intrinsic::ID id = declaration.getIntrinsicID();
    if (id != llvm::Intrinsic::fptosi_sat && id != llvm::Intrinsic::fptoui_sat) {
      continue;
    }
    for (llvm::User *user : llvm::make_early_inc_range(declaration.users())) {
      auto &call = *llvm::cast<llvm::IntrinsicInst>(user);
      if (isHandled(call)) {
        llvm::IRBuilder<> builder(&call);
        call.replaceAllUsesWith(convert(builder, call));
        call.eraseFromParent();
      }
    }
  }
}

} // namespace phobos::target
