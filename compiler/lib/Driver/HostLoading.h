// From a module that NVVMToHost has lowered to a kernel that can be called.
#pragma once

#include "phobos/Driver/HostKernel.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/Error.h"

namespace phobos::driver {

/// The kernel `entry` of the module; `info` is what lowerToHost told.
llvm::Expected<std::shared_ptr<HostKernel>> loadHostKernel(mlir::ModuleOp module, HostModuleInfo info,
                                                           const std::string &entry, const HostOptions &options,
                                                           const std::vector<host::Symbol> &symbols);

} // namespace phobos::driver
