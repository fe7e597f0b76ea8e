// The profiler of one worker. Lanes run one by one, so what a warp does at once is put together from its lanes'
// accesses: the n-th access of each lane at a place belongs to one access of the warp.
#pragma once

#include "Cta.h"
#include "phobos/host/Profile.h"

#include <array>
#include <unordered_map>

namespace phobos::host {

class Counting {
public:
  void global(const Lane &lane, const void *address, uint32_t bytes, uint32_t site);
  void shared(const Lane &lane, const void *address, uint32_t bytes, uint32_t site);
  /// Eight rows of a matrix, of 16 bytes each, at once.
  void rows(const uint8_t *const (&addresses)[8], uint32_t site);
  void block(uint32_t number);
  void instruction(uint32_t site, InstructionClass kind, uint64_t threads) {
    at(site).instructions[static_cast<size_t>(kind)] += threads;
  }
  /// The ops of a warp program, run by `lanes` lanes.
  void program(const WarpOp *ops, uint32_t count, uint32_t lanes);
  void barrier(const Lane &lane, uint32_t site);
  /// A block of the grid has ended: accesses that some lanes did not take part in are counted as they are.
  void flush();
  /// Everything so far into `profile`.
  void addTo(Profile &profile);

private:
  struct Access {
    uint32_t lanes = 0, bytes = 0;
    std::array<uintptr_t, kWarpLanes> addresses;
  };
  /// One place of one warp.
  struct Pending {
    std::vector<Access> accesses; // not complete yet; the first is number `first`
    uint64_t first = 0;
    std::array<uint64_t, kWarpLanes> done{}; // by lane: accesses so far
  };
  using Places = std::unordered_map<uint64_t, Pending>; // by warp and site

  void add(Places &places, const Lane &lane, const void *address, uint32_t bytes, uint32_t site, bool isShared);
  void count(const Access &access, uint32_t site, bool isShared);
  SiteCounts &at(uint32_t site);

  Places globals, shareds;
  std::vector<SiteCounts> sites;
  std::vector<uint64_t> blocks;
};

} // namespace phobos::host
