// One compile: a prepared kernel through every phase asked for. Each compile has an MLIRContext of its own, without
// threads (they cost 3 ms to start); variants compile side by side.
#pragma once

#include "Observer.h"
#include "Reports.h"
#include "Reproducer.h"
#include "Source.h"

#include "phobos/Driver/HostKernel.h"
#include "phobos/Driver/Phases.h"
#include "phobos/Target/Chip.h"

namespace phobos::driver {

/// What a compile is to make: phases up to the last, and beside them the host's, which leaves the way at the nvvm
/// phase.
struct Asked {
  Phase last;
  bool host = false;
};

/// One attempt. A second one, `recording`, is made after an internal failure to find the IR before it, so that the
/// usual way does not pay for keeping it.
class Compilation {
public:
  Compilation(const PreparedKernelImpl &kernel, const Specialisation &specialisation, const CompileOptions &options,
              const target::Chip &chip, Asked asked, bool recording);

  /// The failure, or nothing.
  std::optional<Failure> run();
  /// The same to loaded code of the host.
  std::optional<Failure> runForHost(const HostOptions &host, const std::vector<host::Symbol> &symbols,
                                    std::shared_ptr<HostKernel> &kernel);

  Artifact artifact;
  Reproducer reproducer; // recording

private:
  std::optional<Failure> lower();
  std::optional<Failure> runPhase(Phase phase);
  std::optional<Failure> emit();
  std::optional<Failure> showHost();
  std::optional<Failure> assemble();
  Failure failure(const std::string &where);
  void record(const std::string &arguments);
  void finish();

  bool wants(Phase phase) const { return llvm::is_contained(options_.keep, phaseInfo(phase).name); }
  bool wantsLater(Phase phase) const { return phase < asked_.last; }
  void keep(Phase phase, const std::string &text) {
    dumps_.write(std::string(kernel_.info().name) + "." + phaseInfo(phase).suffix, text);
    if (wants(phase)) {
      artifact.phases[phaseInfo(phase).name] = text;
    }
  }
  void timed(llvm::StringRef name, std::chrono::steady_clock::time_point start) {
    if (options_.timing) {
      addTiming(seen_.timings, name, start);
    }
  }

  const PreparedKernelImpl &kernel_;
  const Specialisation &specialisation_;
  const CompileOptions &options_;
  const target::Chip &chip_;
  Asked asked_;
  bool recording_;
  DumpFolder dumps_;
  mlir::MLIRContext context_;
  Reports reports_;
  Observations seen_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

} // namespace phobos::driver
