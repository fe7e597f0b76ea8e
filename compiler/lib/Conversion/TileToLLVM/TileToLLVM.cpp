// The pass: every kernel of the module to an llvm.func, and the symbol of dynamic shared memory.
#include "phobos/Conversion/Lowering.h"
#include "phobos/Conversion/Passes.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Target/Chip.h"

using namespace mlir;

namespace phobos {

#define GEN_PASS_DEF_TILETOLLVM
#include "phobos/Conversion/Passes.h.inc"

namespace {

struct TileToLLVM final : impl::TileToLLVMBase<TileToLLVM> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto chipName = module->getAttrOfType<StringAttr>(tile::kChipAttr);
    const target::Chip *chip = target::findChip(chipName ? chipName.getValue() : "sm_80");
    if (!chip) {
      module.emitError("unknown chip ") << chipName;
      return signalPassFailure();
    }
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    // Alignment for 16-byte vectors, rows of swizzles, and what later copy engines ask for.
    LLVM::GlobalOp::create(b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
                           LLVM::Linkage::External, lowering::kSharedSymbol, Attribute(), /*alignment=*/1024,
                           lowering::kSharedSpace);
    for (auto kernel : llvm::make_early_inc_range(module.getOps<tile::KernelOp>())) {
      lowering::Lowering lowering(kernel, *chip);
      LLVM::LLVMFuncOp function = lowering.run();
      if (!function) {
        return signalPassFailure();
      }
      if (Attribute bytes = kernel->getAttr(dot::kSharedBytesAttr)) {
        function->setAttr(dot::kSharedBytesAttr, bytes);
      }
      kernel.erase();
    }
  }
};

} // namespace
} // namespace phobos
