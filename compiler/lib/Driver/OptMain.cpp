// phobos-opt: MlirOptMain with our dialects and passes; --ptx=CHIP goes on from the nvvm phase to PTX, for tests of the
// target alone and for reproducers.
#include "phobos/Driver/Tools.h"

#include "Registration.h"

#include "phobos/Target/LLVMToPTX.h"
#include "phobos/Target/PTXToCubin.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "llvm/Support/SourceMgr.h"

namespace phobos {
namespace {

constexpr const char *kPtxUsage =
    "usage: phobos-opt --ptx=CHIP [--emit-llvm] [--llvm-passes=PIPELINE] [--resources] [--timing] FILE|-\n";

struct PtxArguments {
  std::string chip, file = "-";
  std::optional<std::string> passes;
  bool llvm = false, resources = false, timing = false;
};

/// Nothing if an argument is not understood.
std::optional<PtxArguments> parsePtxArguments(llvm::ArrayRef<char *> arguments) {
  PtxArguments parsed;
  for (llvm::StringRef argument : arguments) {
    if (argument.consume_front("--ptx=")) {
      parsed.chip = argument.str();
    } else if (argument.consume_front("--llvm-passes=")) {
      parsed.passes = argument.str();
    } else if (argument == "--emit-llvm") {
      parsed.llvm = true;
    } else if (argument == "--resources") {
      parsed.resources = true;
    } else if (argument == "--timing") {
      parsed.timing = true;
    } else if (argument == "-" || !argument.starts_with("-")) {
      parsed.file = argument.str();
    } else {
      llvm::errs() << "error: unknown argument '" << argument << "'\n" << kPtxUsage;
      return std::nullopt;
    }
  }
  return parsed;
}

int fail(llvm::Error error) {
  llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
  return 1;
}

int ptxMain(const PtxArguments &arguments, const mlir::DialectRegistry &registry) {
  const target::Chip *chip = target::findChip(arguments.chip);
  if (!chip) {
    llvm::errs() << "error: " << target::unknownChipMessage(arguments.chip) << "\n";
    return 2;
  }
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(arguments.file, /*IsText=*/true);
  if (!buffer) {
    llvm::errs() << "error: cannot read " << arguments.file << ": " << buffer.getError().message() << "\n";
    return 1;
  }
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module) {
    return 1;
  }
  std::string entry;
  for (auto function : module->getOps<mlir::LLVM::LLVMFuncOp>()) {
    if (function->hasAttr(mlir::NVVM::NVVMDialect::getKernelFuncAttrName())) {
      entry = function.getName().str();
    }
  }
  target::PTXOptions options;
  options.chip = chip;
  options.keepLLVM = arguments.llvm;
  options.passes = arguments.passes.value_or(options.passes);
  llvm::Expected<target::PTX> ptx = target::translateToPTX(*module, options);
  if (!ptx) {
    return fail(ptx.takeError());
  }
  llvm::outs() << (arguments.llvm ? ptx->llvm : ptx->text);
  if (arguments.timing) {
    llvm::errs() << llvm::formatv("convert {0:f1} translate {1:f1} passes {2:f1} codegen {3:f1} ms\n", ptx->convertMs,
                                  ptx->translateMs, ptx->optimiseMs, ptx->codegenMs);
  }
  if (arguments.resources && entry.empty()) {
    llvm::errs() << "error: the module has no kernel (an llvm.func with nvvm.kernel)\n";
    return 1;
  }
  if (arguments.resources) {
    llvm::Expected<target::Cubin> cubin = target::assemble(ptx->text, {chip, entry});
    if (!cubin) {
      return fail(cubin.takeError());
    }
    const Resources &needs = cubin->resources;
    llvm::errs() << entry << ": " << needs.registers << " registers, " << needs.staticSharedBytes
                 << " bytes of static shared memory, " << needs.spillStoreBytes + needs.spillLoadBytes
                 << " bytes spilled, " << needs.stackBytes << " bytes of stack\n"
                 << cubin->log;
  }
  return 0;
}

} // namespace

int optMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  driver::registerAllDialects(registry);
  llvm::ArrayRef<char *> arguments(argv + 1, argc - 1);
  if (llvm::any_of(arguments, [](llvm::StringRef argument) { return argument.starts_with("--ptx="); })) {
    std::optional<PtxArguments> parsed = parsePtxArguments(arguments);
    return parsed ? ptxMain(*parsed, registry) : 2;
  }
  driver::registerAllPasses();
  return mlir::failed(
      mlir::MlirOptMain(argc, argv, "phobos-opt: runs passes on IR; --ptx=CHIP translates to PTX\n", registry));
}

} // namespace phobos
