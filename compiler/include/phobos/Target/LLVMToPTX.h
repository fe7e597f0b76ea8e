// From the nvvm phase (llvm and nvvm dialects, kernels marked nvvm.kernel) to PTX text, in this process.
//
// Assumes a verified module. Guarantees a result or an error: what LLVM treats as fatal comes back as an error too.
// Safe from several threads at once, each with its own MLIRContext; every thread keeps its target machines.
#pragma once

#include "phobos/Target/Chip.h"
#include "phobos/Target/TargetError.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace phobos::target {

/// The IR passes that run before code generation, as LLVM spells pipelines. docs/results/compile-pipeline.md has the
/// measurements behind the choice.
extern const char *const kIRPipeline;

struct PTXOptions {
  const Chip *chip = nullptr;
  bool keepLLVM = false;            // fill PTX::llvm
  std::string passes = kIRPipeline; // for experiments
};

struct PTX {
  std::string text;
  std::string llvm; // LLVM IR, optimised, where asked for
  bool usedLibdevice = false;
  double convertMs = 0, translateMs = 0, optimiseMs = 0, codegenMs = 0;
};

/// What translation to LLVM IR needs to know of the dialects; once a context.
void registerTranslations(mlir::DialectRegistry &registry);

/// Consumes the module: it holds only the llvm dialect afterwards.
llvm::Expected<PTX> translateToPTX(mlir::ModuleOp module, const PTXOptions &options);

} // namespace phobos::target
