// Typed tree to the tile phase: a module that holds one tile.kernel. Builds IR and decides nothing: types, conversions,
// broadcasts and constants are sema's, masks and everything about threads are the passes'.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "phobos/Driver/Contract.h"

namespace phobos {
class DiagnosticEngine;
}
namespace phobos::sema {
struct TypedKernel;
}

namespace phobos::irgen {

/// Loads the dialects it needs into `context`. `chip` is a name of the chip table. Every op has the place in the source
/// that it stands for: a FileLineColLoc, inside a device function a CallSiteLoc. Null after errors, which are in
/// `diagnostics`.
///
/// Without `assertions` what ph.assert_ checks is not even computed.
///
/// Arguments of the kernel: the tensor parameters in order, as views, then the scalar parameters in order. In memory
/// and as an argument a bool is an i8.
mlir::OwningOpRef<mlir::ModuleOp> generate(mlir::MLIRContext &context, const sema::TypedKernel &kernel,
                                           const Specialisation &specialisation, llvm::StringRef chip,
                                           DiagnosticEngine &diagnostics, bool assertions = true);

} // namespace phobos::irgen
