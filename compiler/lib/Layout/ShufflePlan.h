// Internal to Relayout: the shuffles for a map that stays within each warp.
#pragma once

#include "phobos/Layout/Relayout.h"

namespace phobos::layout {

// `map` is invertAndCompose(src, dst) and keeps warps and blocks. Nothing if no lane-wise order of rounds lets every
// lane send one word a round.
std::optional<ShufflePlan> planShuffle(const LinearLayout &src, const LinearLayout &dst, const PlaceMap &map,
                                       unsigned elemBits);

} // namespace phobos::layout
