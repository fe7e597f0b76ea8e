// The contract of a compiled kernel, from the kernel op as it is before it is lowered.
#pragma once

#include "Source.h"

#include "mlir/IR/BuiltinOps.h"

namespace phobos::driver {

KernelContract buildContract(const PreparedKernelImpl &kernel, const Specialisation &specialisation,
                             mlir::ModuleOp module, llvm::StringRef chip);

} // namespace phobos::driver
