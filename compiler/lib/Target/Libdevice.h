// NVIDIA's bitcode library of math functions, linked into a module that calls one of them.
#pragma once

#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace phobos::target {

/// Links what the module's unresolved __nv_* calls need, internal to it. False if there are none.
llvm::Expected<bool> linkLibdevice(llvm::Module &module);

} // namespace phobos::target
