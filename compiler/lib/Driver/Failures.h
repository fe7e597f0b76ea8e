// Failures that have no place in the source.
#pragma once

#include "phobos/Driver/Compiler.h"

#include "llvm/Support/Error.h"

namespace phobos::driver {

/// "error: MESSAGE", with a hint below it if there is one.
Failure plainFailure(Failure::Kind kind, const std::string &message, const std::string &hint = {});
/// What the target end says (Target/TargetError.h): a tool's fault or our own.
Failure failureOf(llvm::Error error);

} // namespace phobos::driver
