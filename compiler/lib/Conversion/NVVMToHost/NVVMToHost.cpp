// The pass: places shared arrays, rewrites each kernel, and makes every pointer a host pointer.
#include "KernelToHost.h"

#include "phobos/Conversion/NVVMToHost.h"
#include "phobos/Conversion/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

namespace phobos {

#define GEN_PASS_DEF_NVVMTOHOST
#include "phobos/Conversion/Passes.h.inc"

namespace tohost {
namespace {

/// Offsets of the module's shared arrays: those of no size stand for dynamic shared memory and all begin behind the
/// others.
class SharedArrays {
public:
  explicit SharedArrays(ModuleToHost &shared) : shared_(shared) {
    for (auto global : shared.module.getOps<LLVM::GlobalOp>()) {
      if (global.getAddrSpace() == kSharedSpace) {
        (bytesOf(global) ? fixed_ : dynamic_).push_back(global);
      }
    }
    for (LLVM::GlobalOp global : fixed_) {
      place(global);
      top_ += bytesOf(global);
    }
    staticBytes = top_;
    dynamicOffset = top_;
    for (LLVM::GlobalOp global : dynamic_) {
      top_ = staticBytes;
      place(global);
      dynamicOffset = std::max(dynamicOffset, top_);
    }
  }

  void erase() {
    for (LLVM::GlobalOp global : llvm::concat<LLVM::GlobalOp>(fixed_, dynamic_)) {
      global.erase();
    }
  }

  uint64_t staticBytes = 0, dynamicOffset = 0;

private:
  uint64_t bytesOf(LLVM::GlobalOp global) { return shared_.layout.getTypeSize(global.getGlobalType()); }
  void place(LLVM::GlobalOp global) {
    constexpr uint64_t kLeastAlignment = 16;
    top_ = llvm::alignTo(top_, std::max(kLeastAlignment, global.getAlignment().value_or(1)));
    shared_.sharedOffsets[global.getSymNameAttr()] = top_;
  }

  ModuleToHost &shared_;
  SmallVector<LLVM::GlobalOp> fixed_, dynamic_;
  uint64_t top_ = 0;
};

void makeHostPointers(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](LLVM::LLVMPointerType type) -> Type { return LLVM::LLVMPointerType::get(type.getContext()); });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
  module.walk([](LLVM::AddrSpaceCastOp op) {
    op.getResult().replaceAllUsesWith(op.getOperand());
    op.erase();
  });
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    global.setAddrSpace(0);
  }
}

} // namespace
} // namespace tohost

using namespace tohost;

FailureOr<HostModuleInfo> lowerToHost(ModuleOp module, const HostOptions &options, bool describe) {
  ModuleToHost shared(module, options, describe);
  SharedArrays arrays(shared);
  bool good = true;
  for (auto function : llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>())) {
    if (function.isExternal()) {
      continue;
    }
    KernelToHost kernel(shared, function);
    if (!function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName())) {
      good &= succeeded(kernel.runFunction());
      continue;
    }
    if (failed(kernel.run())) {
      good = false;
      continue;
    }
    kernel.info.staticSharedBytes = arrays.staticBytes;
    kernel.info.dynamicSharedOffset = arrays.dynamicOffset;
    shared.info.kernels.push_back(std::move(kernel.info));
  }
  if (!good) {
    return failure();
  }
  arrays.erase();
  // Declarations that nothing calls any more name functions of the device.
  for (auto function : llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>())) {
    if (function.isExternal() && SymbolTable::symbolKnownUseEmpty(function, module)) {
      function.erase();
    }
  }
  makeHostPointers(module);
  return std::move(shared.info);
}

namespace {

struct NVVMToHost final : impl::NVVMToHostBase<NVVMToHost> {
  using NVVMToHostBase::NVVMToHostBase;

  void runOnOperation() override {
    HostOptions options;
    options.checkGlobal = checkGlobal;
    options.checkShared = checkShared;
    options.profile = profile;
    options.batch = batch;
    options.pull = pull;
    options.threadLoop = threadLoop;
    if (failed(lowerToHost(getOperation(), options, /*describe=*/true))) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace phobos
