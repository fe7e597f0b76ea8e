// How what a block does to global memory in one turn of a loop relates to what it does in the next.
#pragma once

#include "phobos/Dialect/Dot/IR/Dot.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace phobos::dot {

/// How far an index moves from one turn of the loop to the next, if by a constant.
std::optional<int64_t> movesBy(mlir::Value index, mlir::scf::ForOp loop);

/// Is it a persistent kernel's loop over blocks? Its turns are different blocks, between which the language knows no
/// order.
bool isBlockLoop(mlir::LoopLikeOpInterface loop);

} // namespace phobos::dot
