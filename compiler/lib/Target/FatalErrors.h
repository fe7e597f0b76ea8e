// LLVM's back end reports what it cannot do by ending the process. Run under this guard, it comes back as a message.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace phobos::target {

/// Runs `body`; the text if LLVM reported a fatal error in it. What `body` had allocated is then lost on purpose: its
/// state cannot be trusted.
std::optional<std::string> catchFatalErrors(llvm::function_ref<void()> body);

} // namespace phobos::target
