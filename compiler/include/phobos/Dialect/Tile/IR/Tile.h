// The tile dialect: attributes, types, ops.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "phobos/Dialect/Tile/IR/TileDialect.h.inc"
#include "phobos/Dialect/Tile/IR/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "phobos/Dialect/Tile/IR/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "phobos/Dialect/Tile/IR/TileTypes.h.inc"

namespace phobos::tile {

/// Where tile.print and tile.assert write: as a side effect, apart from memory.
struct Console : mlir::SideEffects::Resource::Base<Console> {
  llvm::StringRef getName() final { return "console"; }
};

} // namespace phobos::tile

#define GET_OP_CLASSES
#include "phobos/Dialect/Tile/IR/TileOps.h.inc"

namespace phobos::tile {

/// Does it combine elements by a region of scalars, which is no control flow?
inline bool combines(mlir::Operation *op) { return mlir::isa<ReduceOp, ScanOp>(op); }

/// As tile.to_float8 rounds.
llvm::APFloat toFloat8(llvm::APFloat value, mlir::FloatType type);

/// Can a tile change its shape while every element stays where it is? Extents, of runs of dimensions that have as many
/// elements in both shapes, are powers of two but for the first.
bool reshapesInPlace(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

/// Names of the attributes that the dialect's page of prose lists.
inline constexpr llvm::StringLiteral kThreadsAttr = "tile.threads";
inline constexpr llvm::StringLiteral kIndexBitsAttr = "tile.index_bits";
inline constexpr llvm::StringLiteral kDimsAttr = "tile.dims";
inline constexpr llvm::StringLiteral kNameAttr = "tile.name";
inline constexpr llvm::StringLiteral kPersistentAttr = "tile.persistent";
inline constexpr llvm::StringLiteral kQueueAttr = "tile.queue";
inline constexpr llvm::StringLiteral kClusterAttr = "tile.cluster";
inline constexpr llvm::StringLiteral kDependentAttr = "tile.dependent";
inline constexpr llvm::StringLiteral kMinBlocksAttr = "tile.min_blocks";
inline constexpr llvm::StringLiteral kMaxRegsAttr = "tile.max_regs";
inline constexpr llvm::StringLiteral kTensorcoreAttr = "dot.tensorcore";
inline constexpr llvm::StringLiteral kStagesAttr = "dot.stages";
inline constexpr llvm::StringLiteral kPipelineAssertedAttr = "dot.pipeline_asserted";
inline constexpr llvm::StringLiteral kChipAttr = "tile.chip";

} // namespace phobos::tile
