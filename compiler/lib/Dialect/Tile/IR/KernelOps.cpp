// tile.kernel: text form, verifier, and what its attributes say of extents.
#include "phobos/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;

namespace phobos::tile {

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                                  getFunctionTypeAttrName(result.name), buildType,
                                                  getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult KernelOp::verify() {
  if (getBody().empty()) {
    return emitOpError("expected a body");
  }
  if (!getFunctionType().getResults().empty()) {
    return emitOpError("expected no results, got ") << getFunctionType().getNumResults();
  }
  if (auto threads = (*this)->getAttrOfType<IntegerAttr>(kThreadsAttr)) {
    int64_t n = threads.getInt();
    if (n < 32 || n > 1024 || !llvm::isPowerOf2_64(n)) {
      return emitOpError("expected tile.threads to be a power of two, 32 to 1024, got ") << n;
    }
  }
  for (unsigned i = 0; i < getNumArguments(); ++i) {
    auto view = dyn_cast<ViewType>(getArgument(i).getType());
    auto dims = getArgAttrOfType<ArrayAttr>(i, kDimsAttr);
    if (dims && (!view || dims.size() != view.getRank())) {
      return emitOpError("expected tile.dims of argument ")
             << i << " to name " << (view ? view.getRank() : 0) << " dims, got " << dims.size();
    }
  }
  return success();
}

unsigned KernelOp::getThreads() {
  auto threads = (*this)->getAttrOfType<IntegerAttr>(kThreadsAttr);
  return threads ? threads.getInt() : 128;
}

unsigned KernelOp::getIndexBits() {
  auto bits = (*this)->getAttrOfType<IntegerAttr>(kIndexBitsAttr);
  return bits ? bits.getInt() : 32;
}

StringRef KernelOp::dimName(Value view, unsigned dim) {
  auto argument = dyn_cast<BlockArgument>(view);
  if (!argument || argument.getOwner() != &getBody().front()) {
    return {};
  }
  auto dims = getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), kDimsAttr);
  return dims ? cast<StringAttr>(dims[dim]).getValue() : StringRef();
}

int64_t KernelOp::extentDivisor(Value view, unsigned dim) {
  auto type = cast<ViewType>(view.getType());
  if (!ShapedType::isDynamic(type.getShape()[dim])) {
    return std::max<int64_t>(type.getShape()[dim], 1);
  }
  auto known = (*this)->getAttrOfType<DictionaryAttr>(kDimsAttr);
  auto name = dimName(view, dim);
  if (!known || name.empty()) {
    return 1;
  }
  auto multiple = known.getAs<IntegerAttr>(name);
  return multiple ? multiple.getInt() : 1;
}

bool KernelOp::meetsGrid() {
  return walk([](GridBarrierOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

} // namespace phobos::tile
