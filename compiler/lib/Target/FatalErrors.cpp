// One handler for the process, one landing place a thread. The LLVM inside libphobos is its own copy, so nobody else's
// handler is displaced. No signal handler is installed: a host such as Python has its own.
#include "FatalErrors.h"

#include "phobos/Target/TargetError.h"

#include "llvm/Support/ErrorHandling.h"

#include <csetjmp>
#include <mutex>
#include <optional>
#include <string>

namespace phobos::target {
namespace {

struct Landing {
  std::jmp_buf place;
  std::string text;
};
thread_local Landing *landing = nullptr;

void onFatalError(void *, const char *reason, bool) {
  if (!landing) {
    return; // LLVM prints and ends the process
  }
  Landing *here = landing;
  landing = nullptr;
  here->text = reason;
  std::longjmp(here->place, 1);
}

/// Runs `body`; the text if LLVM reported a fatal error in it.
std::optional<std::string> catchFatalErrors(llvm::function_ref<void()> body) {
  static std::once_flag installed;
  std::call_once(installed, [] { llvm::install_fatal_error_handler(onFatalError); });
  Landing here;
  if (setjmp(here.place) != 0) {
    return std::move(here.text);
  }
  landing = &here;
  body();
  landing = nullptr;
  return std::nullopt;
}

} // namespace

llvm::Error runBackEnd(llvm::StringRef what, std::unique_ptr<llvm::LLVMContext> &context,
                       std::unique_ptr<llvm::Module> &module, llvm::function_ref<llvm::Error()> body) {
  llvm::Error result = llvm::Error::success();
  std::optional<std::string> fatal = catchFatalErrors([&] {
    llvm::Error error = body();
    result = std::move(error);
  });
  if (!fatal) {
    return result;
  }
  llvm::consumeError(std::move(result));
  // The back end stopped half-way: neither the module nor its context can be taken apart safely.
  (void)module.release();
  (void)context.release();
  return internalError((what + ": " + *fatal).str());
}

} // namespace phobos::target
