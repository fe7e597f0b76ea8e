// What a launch did, counted: by place for memory, barriers and what the runtime does, by basic block for other
// instructions.
#pragma once

#include "phobos/Conversion/HostModule.h"

#include <array>
#include <cstdint>
#include <vector>

namespace phobos::host {

/// Counts of one place. "Warp accesses" are what the lanes of a warp do at once.
struct SiteCounts {
  uint64_t globalAccesses = 0;  // warp accesses to global memory
  uint64_t sectors = 0;         // of 32 bytes that they touch
  uint64_t idealSectors = 0;    // that hold as many bytes
  uint64_t sharedAccesses = 0;  // warp accesses to shared memory
  uint64_t wavefronts = 0;      // cycles that the banks need for them
  uint64_t idealWavefronts = 0; // that they would need without conflicts
  uint64_t barriers = 0;        // arrivals of warps at a barrier
  std::array<uint64_t, kInstructionClasses>
      instructions{}; // executed by threads, by class; those that are calls of the runtime

  SiteCounts &operator+=(const SiteCounts &other);
};

/// Counts of a launch. Filled by the simulator, which adds to what is there.
struct Profile {
  std::vector<SiteCounts> sites; // by site
  std::vector<uint64_t> blocks;  // by basic block: threads that entered it
};

} // namespace phobos::host
