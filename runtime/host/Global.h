// The checker of global memory: accesses outside every tensor of the launch, and data races. One for each launch,
// shared by its workers.
#pragma once

#include "Cta.h"
#include "GlobalRaces.h"
#include "Horizon.h"

#include <optional>

namespace phobos::host {

class GlobalChecker {
public:
  explicit GlobalChecker(const LaunchRequest &request);

  /// An access before it happens; one out of bounds does not return. `value`: the bytes that a store will leave, or
  /// null. A copy may be of any size.
  void access(Lane &lane, const void *address, const void *value, uint32_t bytes, Access kind, uint32_t site) {
    access(lane, address, value, bytes, kind, kind == Access::atomic ? kAtomicReads | kAtomicWrites : 0, site);
  }
  void access(Lane &lane, const void *address, const void *value, uint32_t bytes, Access kind, uint32_t atomicFlags,
              uint32_t site);
  /// The same of one that is known to be inside.
  void note(const Lane &lane, const void *address, const void *value, uint32_t bytes, Access kind, uint32_t atomicFlags,
            uint32_t site);
  /// The same of thread `index` of a thread loop, whose races are told later. Gives addresses around this one that are
  /// inside the tensor too, or nothing if it is in no tensor.
  struct Around {
    uintptr_t begin, room; // from `begin` to `begin + room`
  };
  std::optional<Around> inside(Lane &lane, uint32_t index, uintptr_t address, const HostAccess &access);
  /// Accesses of a block: of threads side by side, in which case the line of `now.record` and its origin are set, or
  /// apart.
  void accesses(const Cta &cta, GlobalAccess &now, uintptr_t address, size_t bytes, uint32_t site) {
    tell(cta, now, address, bytes, site);
  }
  void accesses(const Cta &cta, GlobalAccess &now, uintptr_t address, GlobalWalk::Apart run, uint32_t site) {
    tell(cta, now, address, run, site);
  }

  /// An atomic access that does not race begins: nobody else is at the address until it ends, when it acquires and
  /// releases (AtomicFlags).
  void meet(Lane &lane, const void *address);
  void part(Lane &lane, const void *address, uint32_t flags, bool wrote);

private:
  /// A tensor argument with its dimensions in the order of memory.
  struct Tensor {
    const TensorRange *range;
    uintptr_t begin, end;
    uint32_t rank;   // dimensions of more than one element
    uint8_t dims[5]; // of the tensor, slowest first
    bool dense;      // every byte between begin and end is an element's
  };
  /// The index of the element at `offset` elements from the base; true if it is one of the tensor's.
  static bool indexAt(const Tensor &tensor, int64_t offset, int64_t (&index)[5]);
  struct Meeting;
  Meeting &meetingAt(const void *address) {
    return meetings[reinterpret_cast<uintptr_t>(address) / sizeof(uint32_t) % meetings.size()];
  }
  /// The tensor that has all of these bytes, or null.
  const Tensor *find(uintptr_t address, uint32_t bytes) const;
  const Tensor *nearest(uintptr_t address) const;
  /// Elements that lie behind one another around this one.
  static Around run(const Tensor &tensor, uintptr_t address, uint32_t bytes);
  /// A generic pointer may also mean the thread's own stack or shared memory.
  static bool isTheBlocks(const Cta &cta, uintptr_t address, uint32_t bytes);
  [[noreturn]] void outside(Lane &lane, uint32_t thread, uintptr_t address, uint32_t bytes, Access kind,
                            uint32_t site) const;
  template <typename Extent>
  void tell(const Cta &cta, GlobalAccess &now, uintptr_t address, Extent extent, uint32_t site);
  void race(const Cta &cta, const GlobalWalk::Conflict &conflict, uint32_t site) const;
  void tooEarly(const Lane &lane, uintptr_t address, Access kind, uint32_t site) const;
  /// "`x`", and ", at index [3] of [8]"; "memory" and nothing where it is in no tensor.
  std::pair<std::string, std::string> place(uintptr_t address) const;

  const LaunchRequest &request;
  std::vector<Tensor> tensors;
  std::unique_ptr<GlobalShadow> shadow; // null: races are not looked for
  struct Meeting {
    std::mutex mutex;
    Releases released;
  };
  std::array<Meeting, 64> meetings; // by address
};

} // namespace phobos::host
