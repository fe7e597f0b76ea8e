// Registration of the tile dialect.
#include "phobos/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "phobos/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "phobos/Dialect/Tile/IR/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "phobos/Dialect/Tile/IR/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "phobos/Dialect/Tile/IR/TileTypes.cpp.inc"

#define GET_OP_CLASSES
#include "phobos/Dialect/Tile/IR/TileOps.cpp.inc"

using namespace mlir;

namespace phobos::tile {

namespace {

/// Layouts are long: text names each once, at the top.
struct AliasLayouts final : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (isa<LayoutAttr>(attribute)) {
      os << "layout";
      return AliasResult::FinalAlias;
    }
    return AliasResult::NoAlias;
  }
};

} // namespace

void TileDialect::initialize() {
  addInterfaces<AliasLayouts>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "phobos/Dialect/Tile/IR/TileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "phobos/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "phobos/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
}

/// Without it the folds of extents, strides and splats would never take effect.
mlir::Operation *TileDialect::materializeConstant(mlir::OpBuilder &builder, mlir::Attribute value, mlir::Type type,
                                                  mlir::Location loc) {
  return mlir::arith::ConstantOp::materialize(builder, value, type, loc);
}

} // namespace phobos::tile
