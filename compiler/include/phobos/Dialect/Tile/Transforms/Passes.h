// Passes of the tile dialect.
#pragma once

#include "phobos/Dialect/Dot/IR/Dot.h"

#include "mlir/Pass/Pass.h"

namespace phobos::tile {

#define GEN_PASS_DECL
#include "phobos/Dialect/Tile/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "phobos/Dialect/Tile/Transforms/Passes.h.inc"

} // namespace phobos::tile
