// Passes of the dot dialect.
#pragma once

#include "phobos/Dialect/Dot/IR/Dot.h"

#include "mlir/Pass/Pass.h"

namespace phobos::dot {

#define GEN_PASS_DECL
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

/// Attributes between the passes of this folder.
inline constexpr llvm::StringLiteral kLatencyAttr = "dot.latency";
inline constexpr llvm::StringLiteral kClusterAttr = "dot.cluster";
inline constexpr llvm::StringLiteral kPipelinedAttr = "dot.pipelined"; // on a loop and on its buffers
inline constexpr llvm::StringLiteral kMapOfAttr = "dot.map_of"; // on a kernel argument: the number of the map's view
/// On a dot.tma_load: along x, along y, does it go to all blocks of the cluster? Which of them starts a panel's copy
/// goes by the panel's number.
inline constexpr llvm::StringLiteral kMulticastAttr = "dot.multicast";
/// On a kernel: it has a dot.specialize, and a warpgroup beside those that its threads make.
inline constexpr llvm::StringLiteral kSpecializedAttr = "dot.specialized";
inline constexpr unsigned kProducerThreads = 128; // whole warpgroups trade registers
inline constexpr llvm::StringLiteral kSharedOffsetAttr = "shared.offset";
inline constexpr llvm::StringLiteral kSharedBytesAttr = "tile.shared_bytes";

} // namespace phobos::dot
