// Sizes of a CTA's memory.
#pragma once

#include "phobos/host/Abi.h"

namespace phobos::host {

/// Shared memory that an arena has: the most that any chip gives a CTA, with the part that the system takes.
inline constexpr uint32_t kArenaBytes = 232 * 1024;
inline constexpr uint32_t kMaxClusterBlocks = 16;

} // namespace phobos::host
