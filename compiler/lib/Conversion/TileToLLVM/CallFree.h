// Division and square roots without calls.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace phobos::lowering {

/// Rewrites the correctly rounded divisions and roots of 16 and 32 bits in `function`; remarks on what remains a call.
void avoidCalls(mlir::LLVM::LLVMFuncOp function);

} // namespace phobos::lowering
