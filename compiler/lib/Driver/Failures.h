// Failures that have no place in the source.
#pragma once

#include "phobos/Driver/Compiler.h"

namespace phobos::driver {

/// "error: MESSAGE", with a hint below it if there is one.
Failure plainFailure(Failure::Kind kind, const std::string &message, const std::string &hint = {});

} // namespace phobos::driver
