// The compile API: options checked, one compile or, after an internal failure, a second one for a reproducer.
#include "phobos/Driver/Compiler.h"

#include "Compilation.h"
#include "Failures.h"
#include "Pipeline.h"

#include "phobos/Target/PTXToCubin.h"

#include "llvm/Support/Process.h"

namespace phobos {

using namespace driver;

std::vector<std::string> supportedChips() {
  std::vector<std::string> names;
  for (const target::Chip &chip : target::chips()) {
    names.push_back(chip.name.str());
  }
  return names;
}

std::string unknownChipMessage(const std::string &chip) { return target::unknownChipMessage(chip); }

Expected<std::optional<bool>> debugFromEnvironment() {
  std::string value = llvm::sys::Process::GetEnv("PHOBOS_DEBUG").value_or("");
  if (value.empty()) {
    return std::optional<bool>();
  }
  if (value != "0" && value != "1") {
    return plainFailure(Failure::Kind::User, "PHOBOS_DEBUG: expected 0 or 1, got '" + value + "'");
  }
  return std::optional(value == "1");
}

namespace {

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
  std::vector<std::string> phases = options.keep;
  phases.push_back(options.stopAfter);
  Asked asked{Phase::ast};
  for (const std::string &name : phases) {
    std::optional<Phase> phase = findPhase(name);
    if (!phase) {
      return plainFailure(Failure::Kind::User, unknownPhaseMessage(name));
    }
    bool isHost = *phase == Phase::host;
    asked.host |= isHost;
    asked.last = std::max(asked.last, isHost ? Phase::nvvm : *phase);
  }
  if (std::optional<Failure> unknown = checkPrintAfter(options.printAfter)) {
    return *unknown;
  }
  std::future<void> warming = asked.last >= Phase::cubin ? target::warmAssembler(*chip) : std::future<void>();
  Compilation compilation(kernel, specialisation, options, *chip, asked, /*recording=*/false);
  std::optional<Failure> failed = compilation.run();
  if (!failed) {
    return std::move(compilation.artifact);
  }
  if (!options.printAfter.empty()) { // what led there was asked for
    failed->text = compilation.artifact.log + failed->text;
  }
  if (failed->kind == Failure::Kind::Internal) {
    CompileOptions quiet;
    quiet.assertions = options.assertions;
    Compilation again(kernel, specialisation, quiet, *chip, asked, /*recording=*/true);
    addReproducer(*failed, again);
  }
  return *failed;
}

Expected<std::shared_ptr<const HostKernel>> compileForHost(const PreparedKernel &prepared,
                                                           const Specialisation &specialisation,
                                                           const CompileOptions &options, const HostOptions &host,
                                                           const std::vector<host::Symbol> &symbols) {
  const auto &kernel = static_cast<const PreparedKernelImpl &>(prepared); // the only class of it
  const target::Chip *chip = target::findChip(options.chip);
  if (!chip) {
    return plainFailure(Failure::Kind::User, target::unknownChipMessage(options.chip));
  }
  Compilation compilation(kernel, specialisation, options, *chip, {Phase::nvvm, true}, /*recording=*/false);
  std::shared_ptr<HostKernel> made;
  std::optional<Failure> failed = compilation.runForHost(host, symbols, made);
  if (failed) {
    return *failed;
  }
  return std::shared_ptr<const HostKernel>(std::move(made));
}

} // namespace phobos
