// A module lowered for the host (Conversion/NVVMToHost.h) to code in this process: LLVM IR, a few passes, x86-64 code,
// linked in place.
//
// One ORC session for the process, one dylib a kernel, freed with it. Compilation happens on the caller's thread;
// several threads may compile at once, each with its own MLIRContext. What LLVM treats as fatal comes back as an error.
#pragma once

#include "phobos/Target/TargetError.h"
#include "phobos/host/Abi.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>

namespace phobos::target {

struct HostCodeOptions {
  int optimise = 1;      // 0: the slim pipeline, fast instruction selection; 1: the slim pipeline; 2: LLVM's O2
  bool keepLLVM = false; // fill HostCode::llvm
};

/// Loaded code; freed with it.
class HostCode {
public:
  virtual ~HostCode();
  void *entry = nullptr;
  uint64_t stackBytes = 0; // of the deepest frame in the module
  std::string llvm;        // LLVM IR after its passes
  double translateMs = 0, optimiseMs = 0, codegenMs = 0, linkMs = 0;
};

/// `symbols` are the runtime's; libm and the compiler's own helpers are added.
llvm::Expected<std::unique_ptr<HostCode>> loadOnHost(mlir::ModuleOp module, const std::string &entry,
                                                     llvm::ArrayRef<host::Symbol> symbols,
                                                     const HostCodeOptions &options);

} // namespace phobos::target
