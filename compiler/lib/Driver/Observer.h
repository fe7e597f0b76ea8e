// Watches passes run: prints, numbered dumps, times.
#pragma once

#include "phobos/Driver/Compiler.h"

#include "mlir/Pass/PassInstrumentation.h"

#include <chrono>

namespace phobos::driver {

/// The numbered files of one compile, in a folder of its own under $PHOBOS_DUMP. Does nothing where that is not set.
class DumpFolder {
public:
  explicit DumpFolder(const std::string &name);
  bool active() const { return !folder_.empty(); }
  /// A warning, if the folder was asked for and cannot be made.
  const std::string &problem() const { return problem_; }
  /// Writes `<folder>/NN-<label>`.
  void write(llvm::StringRef label, llvm::StringRef contents);

private:
  std::string folder_, problem_;
  unsigned next_ = 0;
};

struct Observations {
  std::vector<PhaseTiming> timings; // a pass that runs twice is listed twice
  std::string log;
  std::string lastPass;
};

class PassObserver final : public mlir::PassInstrumentation {
public:
  PassObserver(const CompileOptions &options, DumpFolder &dumps, Observations &into)
      : options_(options), dumps_(dumps), into_(into) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override;

private:
  const CompileOptions &options_;
  DumpFolder &dumps_;
  Observations &into_;
  std::vector<std::chrono::steady_clock::time_point> starts_;
};

/// Adds the time since `start` under `name`.
void addTiming(std::vector<PhaseTiming> &timings, llvm::StringRef name, std::chrono::steady_clock::time_point start);

} // namespace phobos::driver
