// LLVM IR out of the llvm and nvvm dialects, a short pass pipeline, and NVPTX code generation.
#include "phobos/Target/LLVMToPTX.h"

#include "CacheHints.h"
#include "FatalErrors.h"
#include "Libdevice.h"
#include "LocalAddresses.h"
#include "SaturatingCasts.h"
#include "ScalarShorts.h"
#include "ShiftedSums.h"
#include "Stopwatch.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

namespace phobos::target {

char TargetError::ID;

// Chosen by measurement: the code generator's own IR passes (address spaces, strength reduction, GVN, LSR) do the rest.
const char *const kIRPipeline = "function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm))";

// After linking libdevice its functions must be inlined and their __nvvm_reflect branches folded before the above.
static const char *const kLibdevicePipeline =
    "nvvm-reflect,always-inline,cgscc(inline),globaldce,function(sroa,instcombine<no-verify-fixpoint>,simplifycfg)";

namespace {

/// Errors that LLVM's passes report through the context, which by default would end the process.
struct Reports {
  std::string errors;

  static void handle(const llvm::DiagnosticInfo *info, void *self) {
    if (info->getSeverity() != llvm::DS_Error) {
      return;
    }
    llvm::raw_string_ostream os(static_cast<Reports *>(self)->errors);
    llvm::DiagnosticPrinterRawOStream printer(os);
    info->print(printer);
    os << "\n";
  }
};

/// A target machine costs more to make than a small kernel to compile, and may be used by one thread at a time.
llvm::TargetMachine *targetMachine(const Chip &chip) {
  static std::once_flag initialised;
  std::call_once(initialised, [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Switches of LLVM's with no other way in; this LLVM is ours alone. Shared and local addresses in 32 bits, and
    // libdevice's square root rounded to nearest, as nvcc has it.
    auto &switches = llvm::cl::getRegisteredOptions();
    if (llvm::cl::Option *shortPointers = switches.lookup("nvptx-short-ptr")) {
      shortPointers->addOccurrence(0, shortPointers->ArgStr, "true");
    }
    if (llvm::cl::Option *reflect = switches.lookup("nvvm-reflect-add")) {
      reflect->addOccurrence(0, reflect->ArgStr, "__CUDA_PREC_SQRT=1");
    }
  });
  thread_local std::vector<std::pair<const Chip *, std::unique_ptr<llvm::TargetMachine>>> machines;
  for (auto &[known, machine] : machines) {
    if (known == &chip) {
      return machine.get();
    }
  }
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  assert(target && "NVPTX is linked in");
  llvm::TargetOptions options;
  std::string features = "+ptx" + std::to_string(chip.ptxVersion);
  // Aggressive is what keeps accumulators in place; without register coalescing wgmma is serialised.
  machines.emplace_back(&chip, target->createTargetMachine(triple, chip.name, features, options, std::nullopt,
                                                           std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  return machines.back().second.get();
}

llvm::Error runPasses(llvm::Module &module, llvm::TargetMachine &machine, llvm::StringRef pipeline) {
  if (pipeline.empty()) {
    return llvm::Error::success();
  }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, pipeline)) {
    return internalError("LLVM pass pipeline: " + llvm::toString(std::move(error)));
  }
  passes.run(module, modules);
  return llvm::Error::success();
}

llvm::Error emitText(llvm::Module &module, llvm::TargetMachine &machine, std::string &text) {
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream os(buffer);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr, llvm::CodeGenFileType::AssemblyFile, /*DisableVerify=*/true)) {
    return internalError("NVPTX cannot write PTX text");
  }
  passes.run(module);
  text = buffer.str().str();
  return llvm::Error::success();
}

/// Everything from LLVM IR on; what LLVM reports as fatal is caught around this.
llvm::Error generate(llvm::Module &module, llvm::TargetMachine &machine, const PTXOptions &options, PTX &ptx) {
  Stopwatch watch;
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  std::string problem;
  llvm::raw_string_ostream os(problem);
  if (llvm::verifyModule(module, &os)) {
    return internalError("invalid LLVM IR: " + problem);
  }
  llvm::Expected<bool> linked = linkLibdevice(module);
  if (!linked) {
    return linked.takeError();
  }
  ptx.usedLibdevice = *linked;
  if (*linked) {
    if (llvm::Error error = runPasses(module, machine, kLibdevicePipeline)) {
      return error;
    }
  }
  simplifyShiftedSums(module);
  if (llvm::Error error = runPasses(module, machine, options.passes)) {
    return error;
  }
  useSaturatingInstructions(module);
  splitShortPairs(module);
  ptx.optimiseMs = watch.lap();
  if (options.keepLLVM) {
    llvm::raw_string_ostream text(ptx.llvm);
    module.print(text, nullptr);
    watch.lap();
  }
  localiseAddresses(module);
  llvm::Error error = emitText(module, machine, ptx.text);
  ptx.codegenMs = watch.lap();
  return error;
}

} // namespace

void registerTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
}

llvm::Expected<PTX> translateToPTX(mlir::ModuleOp module, const PTXOptions &options) {
  assert(options.chip && "a chip must be chosen");
  PTX ptx;
  Stopwatch watch;
  writeCacheHints(module, *options.chip);
  // nvvm ops that stand for PTX text become inline assembly; the rest have intrinsics.
  mlir::PassManager conversion(module->getName());
  conversion.enableVerifier(false);
  conversion.addPass(mlir::createConvertNVVMToLLVMPass());
  if (mlir::failed(conversion.run(module))) {
    return internalError("convert-nvvm-to-llvm failed");
  }
  ptx.convertMs = watch.lap();

  auto context = std::make_unique<llvm::LLVMContext>();
  Reports reports;
  context->setDiagnosticHandlerCallBack(&Reports::handle, &reports);
  std::unique_ptr<llvm::Module> llvmModule =
      mlir::translateModuleToLLVMIR(module, *context, module.getName().value_or("kernel"));
  if (!llvmModule) {
    return internalError("translation to LLVM IR failed");
  }
  ptx.translateMs = watch.lap();

  if (llvm::Error error = runBackEnd("NVPTX", context, llvmModule, [&] {
        return generate(*llvmModule, *targetMachine(*options.chip), options, ptx);
      })) {
    return std::move(error);
  }
  if (!reports.errors.empty()) {
    return internalError("NVPTX: " + reports.errors);
  }
  return ptx;
}

} // namespace phobos::target
