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
    GlobalRecord other;
    uintptr_t address = 0;
  };
  GlobalWalk(GlobalShadow &shadow, const GlobalAccess &now) : shadow(shadow), now(now) {}

  /// The access is to these bytes of an area.
  void walk(GlobalArea &area, uintptr_t address, size_t bytes);
  /// The first that was found.
  const Conflict &found() const { return conflict; }

private:
  /// Pieces that lie side by side: their size, the address of the first, and which the access is to.
  struct Pieces {
    uint32_t bytes;
    uintptr_t first;
    uint32_t mask;
  };
  enum class Order { All, None, Mixed };
  class List;

  void enterUnit(GlobalArea &area, size_t unit, uint32_t begin, uint32_t end);
  void enterGranule(GlobalArea &area, size_t granule, uint8_t &state, uint32_t mask);
  static void split(GlobalArea &area, size_t unit);
  /// Nearly every time: this is all that is known of these pieces, or nothing is.
  bool enterQuickly(GlobalCell &cell, uint32_t mask) const;
  /// False if the pieces are too large to tell the records apart.
  bool enter(const GlobalArea &area, List &list, Pieces pieces);
  bool merge(const GlobalRecord &earlier, Pieces overlap, GlobalRecord &both) const;
  bool orderedBefore(const GlobalRecord &earlier, uintptr_t address, uint32_t bytes) const;
  bool orderedBefore(const GlobalRecord &earlier, uint32_t thread, uint32_t nowThread) const;
  Order order(const GlobalRecord &earlier, Pieces overlap) const;
  void check(const GlobalArea &area, const GlobalRecord &earlier, Pieces overlap);

  GlobalShadow &shadow;
  const GlobalAccess now;
  uintptr_t start = 0; // of the bytes that `values` has
  Conflict conflict;
};

} // namespace phobos::host
