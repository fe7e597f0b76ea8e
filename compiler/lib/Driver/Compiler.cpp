// One compile: a prepared kernel through every phase asked for. Each compile has an MLIRContext of its own, without
// threads (they cost 3 ms to start); variants compile side by side.
#include "phobos/Driver/Compiler.h"

#include "ContractBuilder.h"
#include "Failures.h"
#include "Observer.h"
#include "Pipeline.h"
#include "Registration.h"
#include "Reports.h"
#include "Reproducer.h"
#include "Source.h"

#include "phobos/Driver/Phases.h"
#include "phobos/IRGen/IRGen.h"
#include "phobos/Target/Disassemble.h"
#include "phobos/Target/LLVMToPTX.h"
#include "phobos/Target/PTXToCubin.h"

#include "mlir/IR/Verifier.h"

namespace phobos {

using namespace driver;
using Clock = std::chrono::steady_clock;

std::vector<std::string> supportedChips() {
  std::vector<std::string> names;
  for (const target::Chip &chip : target::chips()) {
    names.push_back(chip.name.str());
  }
  return names;
}

std::string unknownChipMessage(const std::string &chip) { return target::unknownChipMessage(chip); }

namespace {

const mlir::DialectRegistry &dialects() {
  static const mlir::DialectRegistry registry = [] {
    mlir::DialectRegistry all;
    registerAllDialects(all);
    return all;
  }();
  return registry;
}

/// One attempt. A second one, `recording`, is made after an internal failure to find the IR before it, so that the
/// usual way does not pay for keeping it.
class Compilation {
public:
  Compilation(const PreparedKernelImpl &kernel, const Specialisation &specialisation, const CompileOptions &options,
              const target::Chip &chip, Phase last, bool recording)
      : kernel_(kernel), specialisation_(specialisation), options_(options), chip_(chip), last_(last),
        recording_(recording), dumps_(kernel.info().name + "." + chip.name.str()),
        context_(dialects(), mlir::MLIRContext::Threading::DISABLED), reports_(context_, kernel.unit->file) {}

  /// The failure, or nothing.
  std::optional<Failure> run();

  Artifact artifact;
  Reproducer reproducer; // recording

private:
  std::optional<Failure> lower();
  std::optional<Failure> runPhase(Phase phase);
  std::optional<Failure> emit();
  std::optional<Failure> assemble();
  Failure failure(const std::string &where);
  Failure failure(llvm::Error error);
  void record(const std::string &arguments);
  void finish();

  bool wants(Phase phase) const { return llvm::is_contained(options_.keep, phaseInfo(phase).name); }
  bool wantsLater(Phase phase) const { return phase < last_; }
  void keep(Phase phase, const std::string &text) {
    dumps_.write(std::string(kernel_.info().name) + "." + phaseInfo(phase).suffix, text);
    if (wants(phase)) {
      artifact.phases[phaseInfo(phase).name] = text;
    }
  }
  void timed(llvm::StringRef name, Clock::time_point start) {
    if (options_.timing) {
      addTiming(seen_.timings, name, start);
    }
  }

  const PreparedKernelImpl &kernel_;
  const Specialisation &specialisation_;
  const CompileOptions &options_;
  const target::Chip &chip_;
  Phase last_;
  bool recording_;
  DumpFolder dumps_;
  mlir::MLIRContext context_;
  Reports reports_;
  Observations seen_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  os << "\n";
  return text;
}

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

Failure Compilation::failure(llvm::Error error) {
  Failure::Kind kind = Failure::Kind::Internal;
  std::string text;
  llvm::handleAllErrors(
      std::move(error),
      [&](const target::TargetError &why) {
        text = why.text();
        kind = why.kind() == target::TargetError::Kind::Tool ? Failure::Kind::Tool : Failure::Kind::Internal;
      },
      [&](const llvm::ErrorInfoBase &why) { text = why.message(); });
  // Hints come from the target as a last line; tools' own output stays as it is.
  llvm::StringRef message = text;
  auto [head, hint] = message.split("\nhint: ");
  std::string prefix = kind == Failure::Kind::Internal ? "internal: " : "";
  return plainFailure(kind, prefix + head.str(), hint.rtrim().str());
}

std::optional<Failure> Compilation::run() {
  std::optional<Failure> failed = lower();
  if (!failed && last_ >= Phase::llvm) {
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
  if (last_ == Phase::ast) {
    return std::nullopt;
  }
  auto start = Clock::now();
  module_ = irgen::generate(context_, *kernel_.typed, specialisation_, chip_.name, reports_.engine());
  timed("irgen", start);
  if (!module_) {
    return failure("generation of IR");
  }
  record("");
  for (Phase phase : loweringPhases()) {
    if (phase > last_) {
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
    artifact.phases[phaseInfo(phase).name] = textOf(*module_);
  }
  return std::nullopt;
}

std::optional<Failure> Compilation::emit() {
  record("--ptx=" + chip_.name.str());
  target::PTXOptions options;
  options.chip = &chip_;
  options.keepLLVM = wants(Phase::llvm) || dumps_.active();
  llvm::Expected<target::PTX> ptx = target::translateToPTX(*module_, options);
  if (!ptx) {
    return failure(ptx.takeError());
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
  return last_ >= Phase::cubin ? assemble() : std::nullopt;
}

std::optional<Failure> Compilation::assemble() {
  auto start = Clock::now();
  llvm::Expected<target::Cubin> cubin = target::assemble(artifact.ptx, {&chip_, artifact.contract.entry});
  if (!cubin) {
    return failure(cubin.takeError());
  }
  timed("assembler", start);
  artifact.resources = cubin->resources;
  artifact.resources.dynamicSharedBytes = artifact.contract.sharedBytes;
  seen_.log += cubin->log;
  keep(Phase::cubin, cubin->bytes);
  artifact.cubin = std::move(cubin->bytes);
  if (wants(Phase::sass)) {
    llvm::Expected<std::string> sass = target::disassemble(artifact.cubin);
    if (!sass) {
      return failure(sass.takeError());
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

/// Tries again, keeping the IR, and adds to the failure how to run into it by hand.
void addReproducer(Failure &failure, Compilation &again) {
  failure.text += "note: this is a fault of the compiler, not of the kernel\n";
  if (!again.run() || again.reproducer.ir.empty()) {
    return;
  }
  failure.reproducer = writeReproducer(again.reproducer, failure.text);
  if (!failure.reproducer.empty()) {
    failure.text += "note: to see it again: " + reproducerCommand(again.reproducer, failure.reproducer) + "\n";
  }
}

std::optional<Failure> checkPrintAfter(const std::vector<std::string> &wanted) {
  if (wanted.empty()) {
    return std::nullopt;
  }
  std::vector<std::string> known = passNames();
  for (const std::string &name : wanted) {
    if (name == "*" || llvm::is_contained(known, name)) {
      continue;
    }
    llvm::SmallVector<llvm::StringRef> names(known.begin(), known.end());
    llvm::StringRef nearest = nearestName(name, names);
    return plainFailure(Failure::Kind::User, "unknown pass '" + name + "'",
                        (nearest.empty() ? "" : "did you mean '" + nearest.str() + "'? ") +
                            "Passes: " + llvm::join(known, ", "));
  }
  return std::nullopt;
}

} // namespace

Expected<Artifact> compileKernel(const PreparedKernel &prepared, const Specialisation &specialisation,
                                 const CompileOptions &options) {
  const auto &kernel = static_cast<const PreparedKernelImpl &>(prepared); // the only class of it
  const target::Chip *chip = target::findChip(options.chip);
  if (!chip) {
    return plainFailure(Failure::Kind::User, target::unknownChipMessage(options.chip));
  }
  std::optional<Phase> last = findPhase(options.stopAfter);
  if (!last) {
    return plainFailure(Failure::Kind::User, unknownPhaseMessage(options.stopAfter));
  }
  for (const std::string &name : options.keep) {
    std::optional<Phase> phase = findPhase(name);
    if (!phase) {
      return plainFailure(Failure::Kind::User, unknownPhaseMessage(name));
    }
    last = std::max(*last, *phase);
  }
  if (std::optional<Failure> unknown = checkPrintAfter(options.printAfter)) {
    return *unknown;
  }
  std::future<void> warming = *last >= Phase::cubin ? target::warmAssembler(*chip) : std::future<void>();
  Compilation compilation(kernel, specialisation, options, *chip, *last, /*recording=*/false);
  std::optional<Failure> failed = compilation.run();
  if (!failed) {
    return std::move(compilation.artifact);
  }
  if (!options.printAfter.empty()) { // what led there was asked for
    failed->text = compilation.artifact.log + failed->text;
  }
  if (failed->kind == Failure::Kind::Internal) {
    CompileOptions quiet;
    Compilation again(kernel, specialisation, quiet, *chip, *last, /*recording=*/true);
    addReproducer(*failed, again);
  }
  return *failed;
}

} // namespace phobos
