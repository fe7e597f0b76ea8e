// Conversions out of the tile and dot dialects.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace phobos {

#define GEN_PASS_DECL
#include "phobos/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "phobos/Conversion/Passes.h.inc"

} // namespace phobos
