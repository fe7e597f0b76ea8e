// One handler for the process, one landing place a thread. The LLVM inside libphobos is its own copy, so nobody else's
// handler is displaced. No signal handler is installed: a host such as Python has its own.
#include "FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"

#include <csetjmp>
#include <mutex>

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

} // namespace

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

} // namespace phobos::target
