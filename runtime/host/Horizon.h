// What somebody knows of other blocks: for each block of which anything is known, its clocks as they were when it
// released them. Copying is cheap; nothing is known of any block in nearly every kernel.
#pragma once

#include "Clocks.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace phobos::host {

class Horizon {
public:
  bool empty() const { return !entries; }
  /// The clocks of a block (its number in the grid, plus 1), or null: nothing of it is known.
  const VectorClock *find(uint32_t block) const;
  void join(const Horizon &other) {
    if (other.entries && entries != other.entries) [[unlikely]] {
      joinEntries(other);
    }
  }
  void add(uint32_t block, const VectorClock &clock);

private:
  void joinEntries(const Horizon &other);
  struct Entry {
    uint32_t block;
    std::shared_ptr<const VectorClock> clock;
  };
  /// The later of two clocks of one block, or what both know.
  static std::shared_ptr<const VectorClock> later(const std::shared_ptr<const VectorClock> &a,
                                                  const std::shared_ptr<const VectorClock> &b);

  std::shared_ptr<const std::vector<Entry>> entries; // by block
};

/// What an atomic access finds at its address: what those knew who released to it.
struct Released {
  Horizon everywhere;
  Horizon locally; // only for threads of the same block
  bool empty() const { return everywhere.empty() && locally.empty(); }
  void join(const Released &other) {
    everywhere.join(other.everywhere);
    locally.join(other.locally);
  }
};

/// By address.
using Releases = std::unordered_map<uintptr_t, Released>;

} // namespace phobos::host
