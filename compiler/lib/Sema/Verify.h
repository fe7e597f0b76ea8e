// Does a typed tree keep what Tree.h promises? Run on every tree before it leaves sema.
#pragma once

#include "phobos/Sema/Sema.h"

namespace phobos::sema {

/// What is broken, or empty.
std::string whyBroken(const TypedKernel &kernel);

} // namespace phobos::sema
