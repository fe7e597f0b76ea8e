// The plans behind tile.relayout, tile.reduce and tile.scan, made alike by the passes that ask for scratch and by the
// lowering that uses it.
#pragma once

#include "phobos/Dialect/Tile/IR/LayoutBridge.h"
#include "phobos/Layout/Relayout.h"

namespace phobos::lowering {

/// Scratch of one relayout, at most; larger tiles go in parts. Small enough for every chip beside the buffers of a
/// loop.
inline constexpr uint32_t kMaxRelayoutScratchBytes = 32 * 1024;
inline constexpr uint32_t kScratchAlignBytes = 16;

std::optional<layout::RelayoutPlan> relayoutPlan(tile::RelayoutOp op);

/// How a reduction along one axis runs. Bits of the register, lane and warp numbers that move along the axis, each
/// independent of those before: going through all their values meets every coordinate once, whatever else holds a copy.
struct ReducePlan {
  layout::LinearLayout sliced; // the source's layout without the axis: what results have before renumbering
  llvm::SmallVector<unsigned> registers, lanes, warps; // bit numbers
  llvm::SmallVector<uint32_t, 16> copies; // by register of `sliced`: the lowest that holds the same element
  llvm::SmallVector<uint32_t> kept;       // those registers, ascending
  unsigned partials() const { return 1u << warps.size(); }
  /// Of one operand of `bits` bits: an element's partial results lie side by side.
  uint64_t operandBytes(unsigned bits) const {
    return warps.empty() ? 0
                         : llvm::alignTo(uint64_t(sliced.numElements()) * partials() * bits / 8, kScratchAlignBytes);
  }
};
/// Nothing where a register, lane or warp bit moves along the axis and another dimension at once.
std::optional<ReducePlan> reducePlan(tile::ReduceOp op);

/// How a scan along one axis runs: the bits that move along it, from the lowest, in runs of one kind. There is at most
/// one run of lanes, whose bits are neighbours, and behind it at most one of warps.
struct ScanPlan {
  struct Run {
    layout::In in;
    llvm::SmallVector<unsigned, 6> bits;
  };
  llvm::SmallVector<Run, 4> runs;
  unsigned below = 0;        // bits of the axis below the run of warps
  unsigned partials = 1;     // of the warps
  layout::LinearLayout ends; // where a partial result of the warps belongs
  /// Of one operand of `bits` bits: an element's partial results lie side by side.
  uint64_t operandBytes(unsigned bits) const {
    return partials == 1 ? 0 : llvm::alignTo(uint64_t(ends.numElements()) * partials * bits / 8, kScratchAlignBytes);
  }
};
/// Nothing where the axis' bits are not moved by one bit each, in that order.
std::optional<ScanPlan> scanPlan(const layout::LinearLayout &layout, unsigned axis);

} // namespace phobos::lowering
