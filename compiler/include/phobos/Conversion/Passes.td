// Conversions, in order of running.
#ifndef PHOBOS_CONVERSION_PASSES_TD
#define PHOBOS_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileToLLVM : Pass<"tile-to-llvm", "::mlir::ModuleOp"> {
  let summary = "A kernel becomes one thread's program in the llvm and nvvm dialects";
  let description = [{
    Requires: layouts assigned, contractions staged, shared memory allocated, barriers inserted. Guarantees: an `llvm.func` of the kernel's
    name with `nvvm.kernel`, its parameters in the order of Conversion/EntryParameters.h, `tile.shared_bytes` kept as an attribute of it;
    llvm and nvvm ops only. See Conversion/Lowering.h.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif
