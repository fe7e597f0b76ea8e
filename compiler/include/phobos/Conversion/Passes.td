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

def NVVMToHost : Pass<"nvvm-to-host", "::mlir::ModuleOp"> {
  let summary = "A kernel of the nvvm phase becomes a program of the host simulator";
  let description = [{
    Requires: llvm and nvvm ops only, kernels marked `nvvm.kernel`, before convert-nvvm-to-llvm (which makes text for the chip's assembler of
    some ops). Guarantees: llvm ops only; each kernel is an entry of runtime/host (phobos/host/Abi.h), and what it cannot do by itself is a call
    of HostCalls.def. An op that the simulator does not know is an error. Warp programs are shown as text in the attribute `program` of their
    calls.
  }];
  let options = [
    Option<"checkGlobal", "check-global", "bool", "false", "Call the checkers before accesses of global memory">,
    Option<"checkShared", "check-shared", "bool", "false", "Call the checkers before accesses of shared memory">,
    Option<"profile", "profile", "bool", "false", "Count accesses and blocks">,
    Option<"batch", "batch", "bool", "true", "Gather warp ops into programs">,
    Option<"pull", "pull", "bool", "true", "Gather the arithmetic between warp ops too">,
    Option<"threadLoop", "thread-loop", "bool", "true", "Loop over threads where none waits for another">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif
