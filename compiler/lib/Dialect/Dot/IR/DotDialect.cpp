// Registration of the dot dialect.
#include "phobos/Dialect/Dot/IR/Dot.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

#include "phobos/Dialect/Dot/IR/DotDialect.cpp.inc"

namespace phobos::dot {

// `128x64xf16`: a shape and an element type in one list.
static mlir::ParseResult parseBox(mlir::AsmParser &parser, llvm::SmallVector<int64_t> &box, mlir::Type &element) {
  return mlir::failure(parser.parseDimensionList(box, /*allowDynamic=*/false) || parser.parseType(element));
}
static void printBox(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> box, mlir::Type element) {
  for (int64_t extent : box) {
    printer << extent << "x";
  }
  printer << element;
}

} // namespace phobos::dot

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
