// What the simulator counted, by kernel and source line, since it was last asked. Thread-safe.
#pragma once

#include "phobos/Conversion/HostModule.h"
#include "phobos/host/Profile.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace phobos::runtime {

struct ProfileLine {
  std::string kernel, file;
  unsigned line = 0;
  host::SiteCounts counts;
  std::array<uint64_t, kInstructionClasses> instructions{}; // executed by threads, by class
};

/// Adds a launch of a kernel with these places and basic blocks.
void addProfile(const std::string &kernel, const std::vector<HostSite> &sites, const std::vector<HostBlock> &blocks,
                const host::Profile &profile);
/// Everything added, by kernel and line; and begins again.
std::vector<ProfileLine> takeProfile();
/// Names of the classes, in order.
const std::array<const char *, kInstructionClasses> &instructionClassNames();

} // namespace phobos::runtime
