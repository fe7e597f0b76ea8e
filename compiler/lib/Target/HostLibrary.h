// The functions that generated host code may call beside the simulator's runtime.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace phobos::target {

/// The address of a helper of HostCalls.def (with its prefix), a function of libm, or one that LLVM's code generator
/// calls by itself; null if there is none of this name.
void *findHostFunction(llvm::StringRef name);

/// Adds what stands for libdevice's functions, by their names (HostLibdevice.cpp).
void addLibdevice(llvm::StringMap<void *> &table);

} // namespace phobos::target
