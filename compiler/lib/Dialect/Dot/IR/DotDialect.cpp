// Registration of the dot dialect.
#include "phobos/Dialect/Dot/IR/Dot.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

#include "phobos/Dialect/Dot/IR/DotDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "phobos/Dialect/Dot/IR/DotTypes.cpp.inc"

#define GET_OP_CLASSES
#include "phobos/Dialect/Dot/IR/DotOps.cpp.inc"

namespace phobos::dot {

void DotDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "phobos/Dialect/Dot/IR/DotTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "phobos/Dialect/Dot/IR/DotOps.cpp.inc"
      >();
}

} // namespace phobos::dot
