// Names that a kernel takes from its module and from enclosing functions: found once, compared at each launch.
#pragma once

#include "KernelObject.h"
#include "Values.h"

namespace phobos::python {

/// Does every captured name still have the value that captureSet stands for? Identity is enough; an equal number will
/// do.
bool capturesUnchanged(KernelState &state);

} // namespace phobos::python
