// Kernels in this process: loading, and modules that come as text.
#include "phobos/Driver/HostKernel.h"

#include "Failures.h"
#include "HostLoading.h"
#include "Observer.h"
#include "Registration.h"

#include "phobos/Conversion/NVVMToHost.h"
#include "phobos/Target/HostJit.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/Process.h"

namespace phobos {

HostKernel::~HostKernel() = default;

namespace driver {
namespace {

class LoadedHostKernel final : public HostKernel {
public:
  explicit LoadedHostKernel(std::unique_ptr<target::HostCode> code) : code_(std::move(code)) {}

private:
  std::unique_ptr<target::HostCode> code_;
};

int levelOf(const HostOptions &options) {
  if (options.optimise >= 0) {
    return std::min(options.optimise, 2);
  }
  constexpr int kDefault = 1;
  std::optional<std::string> value = llvm::sys::Process::GetEnv("PHOBOS_SIM_OPT");
  return value == "0" ? 0 : value == "2" ? 2 : kDefault;
}

} // namespace

llvm::Expected<std::shared_ptr<HostKernel>> loadHostKernel(mlir::ModuleOp module, HostModuleInfo info,
                                                           const std::string &entry, const HostOptions &options,
                                                           const std::vector<host::Symbol> &symbols) {
  auto kernel = llvm::find_if(info.kernels, [&](const HostKernelInfo &known) { return known.name == entry; });
  if (kernel == info.kernels.end()) {
    return target::internalError("the module has no kernel '" + entry + "'");
  }
  target::HostCodeOptions how;
  how.optimise = levelOf(options);
  auto code = target::loadOnHost(module, kernel->symbol, symbols, how);
  if (!code) {
    return code.takeError();
  }
  std::vector<PhaseTiming> timings = {{"host llvm translation", (*code)->translateMs},
                                      {"host llvm passes", (*code)->optimiseMs},
                                      {"host codegen", (*code)->codegenMs},
                                      {"host linking", (*code)->linkMs}};
  void *address = (*code)->entry;
  uint64_t stackBytes = (*code)->stackBytes;
  auto made = std::make_shared<LoadedHostKernel>(std::move(*code));
  made->stackBytes = stackBytes;
  (kernel->loop ? reinterpret_cast<void *&>(made->loop) : reinterpret_cast<void *&>(made->fiber)) = address;
  made->info = std::move(*kernel);
  made->sites = std::move(info.sites);
  made->blocks = std::move(info.blocks);
  made->timings = std::move(timings);
  return std::shared_ptr<HostKernel>(std::move(made));
}

} // namespace driver

using namespace driver;

namespace {

/// Diagnostics of a module that came as text: there is no source to show.
struct PlainReports {
  explicit PlainReports(mlir::MLIRContext &context)
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          llvm::raw_string_ostream os(text);
          if (auto place = mlir::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation())) {
            os << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn() << ": ";
          }
          os << (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error ? "error" : "warning") << ": "
             << diagnostic << "\n";
          for (mlir::Diagnostic &note : diagnostic.getNotes()) {
            std::string words = note.str();
            if (!llvm::StringRef(words).starts_with("see current operation")) {
              os << words << "\n";
            }
          }
          return mlir::success();
        }) {}

  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

/// The kernel named, or the only one.
std::string chooseEntry(const HostModuleInfo &info, const std::string &entry) {
  return entry.empty() && info.kernels.size() == 1 ? info.kernels.front().name : entry;
}

} // namespace

Expected<std::shared_ptr<const HostKernel>> compileModuleForHost(const std::string &text, const std::string &entry,
                                                                 const HostOptions &options,
                                                                 const std::vector<host::Symbol> &symbols) {
  mlir::MLIRContext context(dialects(), mlir::MLIRContext::Threading::DISABLED);
  PlainReports reports(context);
  auto failed = [&] { return Failure{Failure::Kind::User, reports.text, {}}; };
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) {
    return failed();
  }
  auto start = std::chrono::steady_clock::now();
  mlir::FailureOr<HostModuleInfo> info = lowerToHost(*module, options);
  if (mlir::failed(info)) {
    return failed();
  }
  std::vector<PhaseTiming> lowering;
  addTiming(lowering, "nvvm to host", start);
  if (mlir::failed(mlir::verify(*module))) {
    Failure failure = failed();
    failure.kind = Failure::Kind::Internal;
    return failure;
  }
  std::string name = chooseEntry(*info, entry);
  auto made = loadHostKernel(*module, std::move(*info), name, options, symbols);
  if (!made) {
    return failureOf(made.takeError());
  }
  (*made)->timings.insert((*made)->timings.begin(), lowering.begin(), lowering.end());
  return std::shared_ptr<const HostKernel>(std::move(*made));
}

} // namespace phobos
