// LLVM's back end reports what it cannot do by ending the process. Run under this guard, it comes back as a message.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace phobos::target {

/// Runs `body`, which works on `module` of `context`; its error, or one that begins with `what` if LLVM reported a
/// fatal one. Then module and context, and what `body` had allocated, are lost on purpose: their state cannot be
/// trusted.
llvm::Error runBackEnd(llvm::StringRef what, std::unique_ptr<llvm::LLVMContext> &context,
                       std::unique_ptr<llvm::Module> &module, llvm::function_ref<llvm::Error()> body);

} // namespace phobos::target
