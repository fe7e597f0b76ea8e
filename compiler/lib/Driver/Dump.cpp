// What --print-after, --time-passes and PHOBOS_DUMP show.
#include "Observer.h"

#include "phobos/Support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

namespace phobos::driver {

DumpFolder::DumpFolder(const std::string &name) {
  std::optional<std::string> root = llvm::sys::Process::GetEnv("PHOBOS_DUMP");
  if (!root || root->empty()) {
    return;
  }
  std::error_code error = llvm::sys::fs::create_directories(*root);
  // Variants compile at the same time, in one process or several: whoever makes the folder has it.
  for (unsigned i = 0; !error && i < 10000; ++i) {
    llvm::SmallString<128> folder(*root);
    llvm::sys::path::append(folder, name + "." + std::to_string(i));
    error = llvm::sys::fs::create_directory(folder, /*IgnoreExisting=*/false);
    if (!error) {
      folder_ = folder.str().str();
      return;
    }
    if (error == std::errc::file_exists) {
      error = std::error_code();
    }
  }
  Diagnostic warning(Severity::Warning, SourceRange(),
                     "PHOBOS_DUMP: no folder in " + *root + ": " +
                         (error ? error.message() : "there are 10000 of this kernel"));
  problem_ = DiagnosticEngine::render(warning);
}

void DumpFolder::write(llvm::StringRef label, llvm::StringRef contents) {
  if (!active()) {
    return;
  }
  llvm::SmallString<128> path(folder_);
  llvm::sys::path::append(path, llvm::formatv("{0,0+2}-{1}", next_++, label).str());
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (!error) {
    file << contents;
    file.close();
    file.clear_error(); // a full disk must not end the process
  }
}

void addTiming(std::vector<PhaseTiming> &timings, llvm::StringRef name, std::chrono::steady_clock::time_point start) {
  double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  timings.push_back({name.str(), ms});
}

/// Adaptors that run nested passes have no name.
static llvm::StringRef nameOf(mlir::Pass *pass) { return pass->getArgument(); }

void PassObserver::runBeforePass(mlir::Pass *pass, mlir::Operation *) {
  starts_.push_back(std::chrono::steady_clock::now());
  if (!nameOf(pass).empty()) {
    into_.lastPass = nameOf(pass).str();
  }
}

void PassObserver::runAfterPass(mlir::Pass *pass, mlir::Operation *op) {
  auto start = starts_.back();
  starts_.pop_back();
  llvm::StringRef name = nameOf(pass);
  if (name.empty()) {
    return;
  }
  if (options_.timing) {
    addTiming(into_.timings, name, start);
  }
  auto wanted = [&](llvm::StringRef pattern) { return pattern == "*" || pattern == name; };
  bool print = llvm::any_of(options_.printAfter, wanted);
  if (!print && !dumps_.active()) {
    return;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  mlir::Operation *top = op;
  while (top->getParentOp()) {
    top = top->getParentOp();
  }
  top->print(os);
  os << "\n";
  if (print) {
    into_.log += ("// ---- after " + name + "\n" + text).str();
  }
  dumps_.write((name + ".mlir").str(), text);
}

void PassObserver::runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) { starts_.pop_back(); }

} // namespace phobos::driver
