// Vector clocks over the agents of a CTA: its warps, and what its asynchronous instructions do on their own.
//
// An access of an asynchronous agent carries a clock that nobody has seen until somebody waits for it, so "not yet
// waited for" and "not ordered" are one comparison. Barriers and mbarriers join clocks.
#pragma once

#include "Memory.h"
#include "phobos/host/Abi.h"

#include <algorithm>

namespace phobos::host {

/// Agents: so many of each kind, one after the other.
inline constexpr uint32_t kAgentsOfAKind = kMaxCtaThreads / kWarpLanes;
enum class AgentKind : uint32_t {
  Warp,      // what its threads do themselves
  WgmmaRead, // operands that a warp's wgmmas read; clock: the group
  BulkWrite, // bulk copies that complete on an mbarrier (by its address, modulo the number of agents); clock: its phase
  CopyWrite, // a warp's cp.async; clock: the group
  BulkRead,  // a warp's bulk stores, reading shared memory; clock: the group
  Remote     // what another CTA of the cluster does to this one's memory, by rank; clock: what that one has released
};
inline constexpr uint32_t kOwnAgents = static_cast<uint32_t>(AgentKind::Remote) * kAgentsOfAKind;
inline constexpr uint32_t kAgents = kOwnAgents + kMaxClusterBlocks;
constexpr uint32_t agent(AgentKind kind, uint32_t which) {
  return static_cast<uint32_t>(kind) * kAgentsOfAKind + which;
}

struct VectorClock {
  alignas(64) uint32_t at[kAgents];
  void join(const VectorClock &other) {
    for (uint32_t i = 0; i < kAgents; ++i) {
      at[i] = std::max(at[i], other.at[i]);
    }
  }
};

/// Who did something, and when by its own clock.
class Epoch {
public:
  static constexpr uint32_t kClockBits = 17;
  static constexpr uint32_t kLastClock = (1u << kClockBits) - 1;
  static constexpr uint32_t kSeveralLanes = 63;

  Epoch() = default;
  Epoch(uint32_t agent, uint32_t lane, uint32_t clock, bool atomic = false)
      : bits_(agent | lane << 8 | static_cast<uint32_t>(atomic) << 14 | clock << 15) {}
  /// Before everything.
  static Epoch ancient() { return Epoch(0, 0, 0, true); }

  bool none() const { return bits_ == 0; }
  uint32_t agent() const { return bits_ & 0xff; }
  uint32_t lane() const { return bits_ >> 8 & 63; }
  bool atomic() const { return bits_ >> 14 & 1; }
  uint32_t clock() const { return bits_ >> 15; }
  AgentKind kind() const { return static_cast<AgentKind>(agent() / kAgentsOfAKind); }
  uint32_t which() const { return agent() % kAgentsOfAKind; }

private:
  uint32_t bits_ = 0;
};
static_assert(kAgents <= 256 && sizeof(Epoch) == 4);

} // namespace phobos::host
