// The nvvm phase to a program of the host: what the pass `nvvm-to-host` does, as a function that also tells what it
// found.
#pragma once

#include "phobos/Conversion/HostModule.h"

#include "mlir/IR/BuiltinOps.h"

namespace phobos {

/// Rewrites a module in the llvm and nvvm dialects for the host, in place: each function with nvvm.kernel becomes an
/// entry of the types in phobos/host/Abi.h, named HostKernelInfo::symbol; every pointer is a host address; what needs
/// other threads is a call of HostCalls.def. `describe`: warp programs also as text, an attribute of the call. On
/// failure the diagnostics have been emitted: an op that the simulator does not know is the user's error, with its
/// place.
mlir::FailureOr<HostModuleInfo> lowerToHost(mlir::ModuleOp module, const HostOptions &options, bool describe = false);

} // namespace phobos
