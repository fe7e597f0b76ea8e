// A contraction for wgmma: bulk copies into slots, and one warpgroup product a turn.
#pragma once

#include "phobos/Dialect/Dot/IR/Dot.h"

namespace phobos::dot {

/// Rewrites a contraction that planContraction gave to wgmma. Tensor maps become arguments of the kernel.
void stageWgmma(ContractOp op, tile::KernelOp kernel);

/// Remarks on a tile that cannot reach the chip's rate. `rowBytes`: of the shortest rows in shared memory.
void adviseTile(ContractOp op, int64_t rowBytes);

} // namespace phobos::dot
