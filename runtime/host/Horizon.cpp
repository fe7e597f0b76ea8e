// Knowledge of other blocks, shared until it differs.
#include "Horizon.h"

#include <algorithm>

namespace phobos::host {

const VectorClock *Horizon::find(uint32_t block) const {
  if (!entries) {
    return nullptr;
  }
  auto found = std::lower_bound(entries->begin(), entries->end(), block,
                                [](const Entry &entry, uint32_t number) { return entry.block < number; });
  return found != entries->end() && found->block == block ? found->clock.get() : nullptr;
}

std::shared_ptr<const VectorClock> Horizon::later(const std::shared_ptr<const VectorClock> &a,
                                                  const std::shared_ptr<const VectorClock> &b) {
  if (a == b) {
    return a;
  }
  VectorClock both = *a;
  both.join(*b);
  auto same = [&](const VectorClock &clock) { return std::equal(both.at, both.at + kAgents, clock.at); };
  return same(*a) ? a : same(*b) ? b : std::make_shared<const VectorClock>(both);
}

void Horizon::joinEntries(const Horizon &other) {
  if (!entries) {
    entries = other.entries;
    return;
  }
  std::vector<Entry> both;
  both.reserve(entries->size() + other.entries->size());
  auto a = entries->begin(), b = other.entries->begin();
  while (a != entries->end() || b != other.entries->end()) {
    if (b == other.entries->end() || (a != entries->end() && a->block < b->block)) {
      both.push_back(*a++);
    } else if (a == entries->end() || b->block < a->block) {
      both.push_back(*b++);
    } else {
      both.push_back({a->block, later(a->clock, b->clock)});
      ++a;
      ++b;
    }
  }
  entries = std::make_shared<const std::vector<Entry>>(std::move(both));
}

void Horizon::add(uint32_t block, const VectorClock &clock) {
  Horizon one;
  one.entries = std::make_shared<const std::vector<Entry>>(
      std::vector<Entry>{{block, std::make_shared<const VectorClock>(clock)}});
  join(one);
}

} // namespace phobos::host
