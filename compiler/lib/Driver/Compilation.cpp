// A compile, phase by phase.
#include "Compilation.h"

#include "ContractBuilder.h"
#include "Failures.h"
#include "HostLoading.h"
#include "Pipeline.h"
#include "Registration.h"

#include "phobos/Conversion/NVVMToHost.h"
#include "phobos/IRGen/IRGen.h"
#include "phobos/Target/Disassemble.h"
#include "phobos/Target/LLVMToPTX.h"
#include "phobos/Target/PTXToCubin.h"

#include "mlir/IR/Verifier.h"

namespace phobos::driver {

using Clock = std::chrono::steady_clock;

static std::string textOf(mlir::ModuleOp module, bool generic = false) {
  std::string text;
  llvm::raw_string_ostream os(text);
  mlir::OpPrintingFlags flags;
  module->print(os, generic ? flags.printGenericOpForm() : flags);
  os << "\n";
  return text;
}

Compilation::Compilation(const PreparedKernelImpl &kernel, const Specialisation &specialisation,
                         const CompileOptions &options, const target::Chip &chip, Asked asked, bool recording)
    : kernel_(kernel), specialisation_(specialisation), options_(options), chip_(chip), asked_(asked),
      recording_(recording), dumps_(kernel.info().name + "." + chip.name.str()),
      context_(dialects(), mlir::MLIRContext::Threading::DISABLED), reports_(context_, kernel.unit->file) {}

void Compilation::record(const std::string &arguments) {
  if (!recording_) {
    return;
  }
  reproducer.arguments = arguments;
  reproducer.ir.clear();
  llvm::raw_string_ostream os(reproducer.ir);
  // Generic, since what is printed may be what a verifier refuses; places in the source with it.
  (*module_)->print(os, mlir::OpPrintingFlags().enableDebugInfo().assumeVerified(false));
}

Failure Compilation::failure(const std::string &where) {
  bool internal = reports_.hasInternalErrors() || !reports_.engine().hasErrors();
  if (!reports_.engine().hasErrors()) {
    reports_.engine().error(kernel_.typed->range, "internal: " + where + " failed and did not say why");
  }
  return {internal ? Failure::Kind::Internal : Failure::Kind::User, reports_.render(), {}};
}

std::optional<Failure> Compilation::run() {
  std::optional<Failure> failed = lower();
  if (!failed && asked_.host) {
    failed = showHost();
  }
  if (!failed && asked_.last >= Phase::llvm) {
    failed = emit();
  }
  finish();
  return failed;
}

std::optional<Failure> Compilation::lower() {
  if (wants(Phase::ast)) {
    std::string text;
    llvm::raw_string_ostream os(text);
    sema::dump(*kernel_.typed, os);
    keep(Phase::ast, text);
  }
  if (asked_.last == Phase::ast) {
    return std::nullopt;
  }
  auto start = Clock::now();
  module_ =
      irgen::generate(context_, *kernel_.typed, specialisation_, chip_.name, reports_.engine(), options_.assertions);
  timed("irgen", start);
  if (!module_) {
    return failure("generation of IR");
  }
  record("");
  for (Phase phase : loweringPhases()) {
    if (phase > asked_.last) {
      break;
    }
    if (std::optional<Failure> failed = runPhase(phase)) {
      return failed;
    }
  }
  return std::nullopt;
}

std::optional<Failure> Compilation::runPhase(Phase phase) {
  mlir::PassManager passes(module_.get()->getName());
  passes.enableVerifier(options_.verifyEach);
  passes.addInstrumentation(std::make_unique<PassObserver>(options_, dumps_, seen_));
  addPasses(passes, phase);
  if (recording_) {
    std::string pipeline;
    llvm::raw_string_ostream os(pipeline);
    passes.printAsTextualPipeline(os);
    record("--pass-pipeline='" + pipeline + "'");
  }
  if (phase == Phase::nvvm) {
    artifact.contract = buildContract(kernel_, specialisation_, *module_, chip_.name);
  }
  if (mlir::failed(passes.run(*module_))) {
    return failure(seen_.lastPass);
  }
  // On leaving a phase its IR is valid, whoever made it; within one, --verify asks for it.
  auto start = Clock::now();
  if (!options_.verifyEach && mlir::failed(mlir::verify(*module_))) {
    return failure(std::string("phase ") + phaseInfo(phase).name);
  }
  timed("verify", start);
  if (wants(phase)) {
    artifact.phases[phaseInfo(phase).name] = textOf(*module_, options_.generic);
  }
  return std::nullopt;
}

/// On a copy: the chip's code is made of the module itself.
std::optional<Failure> Compilation::showHost() {
  mlir::OwningOpRef<mlir::ModuleOp> module(module_->clone());
  if (mlir::failed(lowerToHost(*module, HostOptions(), /*describe=*/true)) || mlir::failed(mlir::verify(*module))) {
    return failure("phase host");
  }
  keep(Phase::host, textOf(*module));
  return std::nullopt;
}

std::optional<Failure> Compilation::runForHost(const HostOptions &host, const std::vector<host::Symbol> &symbols,
                                               std::shared_ptr<HostKernel> &kernel) {
  if (std::optional<Failure> failed = lower()) {
    finish();
    return failed;
  }
  auto start = Clock::now();
  mlir::FailureOr<HostModuleInfo> info = lowerToHost(*module_, host);
  if (mlir::failed(info)) {
    return failure("phase host");
  }
  addTiming(seen_.timings, "nvvm to host", start);
  auto loaded = loadHostKernel(*module_, std::move(*info), artifact.contract.entry, host, symbols);
  if (!loaded) {
    return failureOf(loaded.takeError());
  }
  finish();
  kernel = std::move(*loaded);
  kernel->contract = artifact.contract;
  kernel->timings.insert(kernel->timings.begin(), artifact.timings.begin(), artifact.timings.end());
  return std::nullopt;
}

std::optional<Failure> Compilation::emit() {
  record("--ptx=" + chip_.name.str());
  target::PTXOptions options;
  options.chip = &chip_;
  options.keepLLVM = wants(Phase::llvm) || dumps_.active();
  llvm::Expected<target::PTX> ptx = target::translateToPTX(*module_, options);
  if (!ptx) {
    return failureOf(ptx.takeError());
  }
  if (options_.timing) {
    seen_.timings.push_back({"nvvm to llvm", ptx->convertMs});
    seen_.timings.push_back({"llvm translation", ptx->translateMs});
    seen_.timings.push_back({"llvm passes", ptx->optimiseMs});
    seen_.timings.push_back({"llvm codegen", ptx->codegenMs});
  }
  if (options.keepLLVM) {
    keep(Phase::llvm, ptx->llvm);
  }
  keep(Phase::ptx, ptx->text);
  artifact.ptx = std::move(ptx->text);
  return asked_.last >= Phase::cubin ? assemble() : std::nullopt;
}

std::optional<Failure> Compilation::assemble() {
  auto start = Clock::now();
  llvm::Expected<target::Cubin> cubin = target::assemble(artifact.ptx, {&chip_, artifact.contract.entry});
  if (!cubin) {
    return failureOf(cubin.takeError());
  }
  timed("assembler", start);
  artifact.resources = cubin->resources;
  artifact.resources.dynamicSharedBytes = artifact.contract.sharedBytes;
  seen_.log += cubin->log;
  if (unsigned spilled = cubin->resources.spillStoreBytes + cubin->resources.spillLoadBytes) {
    seen_.log += "kernel '" + artifact.contract.entry + "' has too few registers: " + std::to_string(spilled) +
                 " bytes a thread go to memory and back\n";
  }
  keep(Phase::cubin, cubin->bytes);
  artifact.cubin = std::move(cubin->bytes);
  if (wants(Phase::sass)) {
    llvm::Expected<std::string> sass = target::disassemble(artifact.cubin);
    if (!sass) {
      return failureOf(sass.takeError());
    }
    keep(Phase::sass, *sass);
  }
  if (wants(Phase::contract) || dumps_.active()) {
    keep(Phase::contract, toJson(artifact.contract, artifact.resources));
  }
  return std::nullopt;
}

void Compilation::finish() {
  artifact.timings = std::move(seen_.timings);
  artifact.log = dumps_.problem() + seen_.log;
  if (!reports_.engine().hasErrors()) {
    artifact.log += reports_.render(); // warnings
  }
  if (options_.remarks) {
    artifact.remarks = reports_.remarks();
  }
}

} // namespace phobos::driver
