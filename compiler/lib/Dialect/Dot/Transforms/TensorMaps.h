// What the copy engine can reach, and how a tile lies for it.
#pragma once

#include "phobos/Dialect/Dot/IR/Dot.h"

namespace phobos::dot {

/// Can the copy engine move a tile of this type, of the view's rank, from or to the view at these offsets? The tile has
/// more than one element along two dimensions, one of them that of stride 1; base, pitches and the place in a row where
/// the tile begins are multiples of 16 bytes, rows are at least 32 (PTX ISA, "Tensor"; CUDA driver API,
/// cuTensorMapEncodeTiled).
bool suitsTma(mlir::TypedValue<tile::ViewType> view, mlir::ValueRange offsets, mlir::RankedTensorType tile);

/// The kernel's argument for a map of `view`, made at its first use.
mlir::TypedValue<TensorMapType> tensorMap(tile::KernelOp kernel, mlir::Value view, TensorMapType type);

/// The kernel's argument that the map is of.
mlir::Value viewOf(mlir::TypedValue<TensorMapType> map);

/// Where a tile lies for the copy engine, one slot, and the kernel's argument with the map of its view.
struct TmaTile {
  mlir::TypedValue<StageType> stage;
  mlir::TypedValue<TensorMapType> map;
};
/// Allocates at `entry`; requires suitsTma. The stage has the dimensions along which the tile has more than one
/// element. `read` is what the engine makes of the elements: tf32 of f32, or themselves.
TmaTile allocTmaTile(mlir::OpBuilder &entry, mlir::Location loc, tile::KernelOp kernel,
                     mlir::TypedValue<tile::ViewType> view, mlir::RankedTensorType tile, mlir::Type read);

} // namespace phobos::dot
