// All ops of the tile dialect, by family.
#ifndef PHOBOS_TILE_OPS_TD
#define PHOBOS_TILE_OPS_TD

include "phobos/Dialect/Tile/IR/KernelOps.td"
include "phobos/Dialect/Tile/IR/MemoryOps.td"
include "phobos/Dialect/Tile/IR/ShapeOps.td"
include "phobos/Dialect/Tile/IR/ReduceOps.td"
include "phobos/Dialect/Tile/IR/ElementwiseOps.td"
include "phobos/Dialect/Tile/IR/DebugOps.td"

#endif
