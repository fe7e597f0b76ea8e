// One access, or many of threads side by side, on its way into the shadow of global memory.
#pragma once

#include "GlobalShadow.h"

namespace phobos::host {

struct Lane;

struct GlobalAccess {
  GlobalRecord record;             // its mask is set on the way
  const uint8_t *values = nullptr; // of a plain store: its bytes, from the first on
  const Lane *lane = nullptr;      // whose clocks say what came before it; null: nothing did, but what its thread did
  bool ordersBlocks = false;       // of the launch
};

class GlobalWalk {
public:
  struct Conflict {
    const char *what = nullptr; // null: none
    GlobalRecord now, other;
    uintptr_t address = 0;
  };
  /// `now` is changed where threads are apart.
  GlobalWalk(GlobalShadow &shadow, GlobalAccess &now) : shadow(shadow), now(now) {}

  /// The access is to these bytes of an area.
  void walk(GlobalArea &area, uintptr_t address, size_t bytes);
  /// So many threads, from `thread` on, access `bytes` each, `stride` bytes and `step` threads apart.
  struct Apart {
    int64_t stride;
    size_t count;
    uint32_t bytes, thread;
    int32_t step;
  };
  void walk(GlobalArea &area, uintptr_t address, Apart run);
  /// The first that was found.
  const Conflict &found() const { return conflict; }
  /// Was it known of all these bytes that several blocks read them? Then the next to read adds nothing.
  bool wasRead() const { return knownRead; }

private:
  /// Pieces that lie side by side: their size, the address of the first, and which the access is to.
  struct Pieces {
    uint32_t bytes;
    uintptr_t first;
    uint32_t mask;
  };
  enum class Order { All, None, Mixed };
  class List;

  /// Bytes of one page, which is held.
  void enterBytes(GlobalArea &area, uintptr_t begin, uintptr_t end);
  void enterUnit(GlobalArea &area, size_t unit, uint32_t begin, uint32_t end);
  void enterGranule(GlobalArea &area, size_t granule, uint8_t &state, uint32_t mask);
  static void split(GlobalArea &area, size_t unit);
  /// Nearly every time: nothing is known of these pieces, or nothing that this does not come after.
  template <size_t kRecords> bool enterQuickly(std::array<GlobalRecord, kRecords> &records, Pieces pieces);
  bool enterBeside(std::span<GlobalRecord> records, Pieces pieces);
  /// Are these pieces of a record all this thread's?
  static bool isThread(const GlobalRecord &record, Pieces pieces, uint32_t thread);
  /// Adds pieces of `record` to one that is known, if they can be one.
  static bool extend(GlobalRecord &known, const GlobalRecord &record, Pieces pieces);
  /// False if the pieces are too large to tell the records apart.
  bool enter(const GlobalArea &area, List &list, Pieces pieces);
  bool merge(const GlobalRecord &earlier, Pieces overlap, GlobalRecord &both) const;
  bool orderedBefore(const GlobalRecord &earlier, uintptr_t address, uint32_t bytes) const;
  bool orderedBefore(const GlobalRecord &earlier, uint32_t thread, uint32_t nowThread) const;
  Order order(const GlobalRecord &earlier, Pieces overlap) const;
  void check(const GlobalArea &area, const GlobalRecord &earlier, Pieces overlap);

  GlobalShadow &shadow;
  GlobalAccess &now;
  uintptr_t start = 0; // of the bytes that `values` has
  Conflict conflict;
  bool knownRead = true;
};

/// Granules of global memory that a worker knows to be read by several blocks, which is so to the launch's end: what
/// every block reads costs no more than a look here.
class SharedReads {
public:
  bool has(uintptr_t address, size_t bytes) const {
    return bytes <= kMostBytes && all(address, bytes, [&](uintptr_t granule) { return at(granule) == granule; });
  }
  void add(uintptr_t address, size_t bytes) {
    if (bytes <= kMostBytes) {
      all(address, bytes, [&](uintptr_t granule) {
        granules[granule % granules.size()] = granule;
        return true;
      });
    }
  }

private:
  static constexpr size_t kMostBytes = 4 * GlobalArea::kGranuleBytes;
  uintptr_t at(uintptr_t granule) const { return granules[granule % granules.size()]; }
  template <typename Visit> static bool all(uintptr_t address, size_t bytes, Visit visit) {
    uintptr_t granule = address / GlobalArea::kGranuleBytes, last = (address + bytes - 1) / GlobalArea::kGranuleBytes;
    for (; granule <= last; ++granule) {
      if (!visit(granule)) {
        return false;
      }
    }
    return true;
  }
  std::array<uintptr_t, 8192> granules{};
};

} // namespace phobos::host
