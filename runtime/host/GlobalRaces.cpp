// Races in global memory, between blocks and within one. An access drops the records that it comes after, since whoever
// comes after it comes after them too.
#include "GlobalRaces.h"
#include "Cta.h"
#include "Races.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace phobos::host {

namespace {

uint32_t lowest(uint32_t mask) { return static_cast<uint32_t>(std::countr_zero(mask)); }

} // namespace

bool GlobalWalk::isThread(const GlobalRecord &record, Pieces pieces, uint32_t thread) {
  auto first = static_cast<uint32_t>(pieces.first);
  auto end = static_cast<uint32_t>(std::bit_width(pieces.mask)) * pieces.bytes;
  return record.thread(first + lowest(pieces.mask) * pieces.bytes) == thread &&
         record.thread(first + end - 1) == thread;
}

bool GlobalWalk::extend(GlobalRecord &known, const GlobalRecord &record, Pieces pieces) {
  if (known.joins(record)) {
    known.mask |= pieces.mask;
    return true;
  }
  // Pieces of one thread that are not where a line would have them.
  GlobalRecord alone = known;
  alone.line = record.line;
  alone.origin = record.origin;
  uint32_t thread = known.thread(static_cast<uint32_t>(pieces.first) + lowest(known.mask) * pieces.bytes);
  if (thread >= GlobalRecord::kLanesOfWarp || !alone.joins(record) || !isThread(record, pieces, thread) ||
      !isThread(known, {pieces.bytes, pieces.first, known.mask}, thread)) {
    return false;
  }
  known.line = 0;
  known.origin = thread;
  known.mask |= pieces.mask;
  return true;
}

/// The records of some pieces, in the making.
class GlobalWalk::List {
public:
  List() = default;
  explicit List(std::span<const GlobalRecord> records) {
    for (const GlobalRecord &record : records) {
      if (record.block) {
        push(record, record.mask);
      }
    }
  }
  void append(const std::vector<GlobalRecord> &records) {
    for (const GlobalRecord &record : records) {
      push(record, record.mask);
    }
  }
  void push(const GlobalRecord &record, uint32_t mask) {
    GlobalRecord &made = count < kInline ? few[count++] : many.emplace_back();
    made = record;
    made.mask = static_cast<uint16_t>(mask);
  }
  /// Adds pieces to a record that they can be one with, or as another.
  void add(const GlobalRecord &record, Pieces pieces) {
    for (size_t i = 0; pieces.mask && i < size(); ++i) {
      if (at(i).mask && extend(at(i), record, pieces)) {
        return;
      }
    }
    if (pieces.mask) {
      push(record, pieces.mask);
    }
  }
  /// Without those that have no piece left, or if there are too many without the oldest.
  void tidy() {
    constexpr size_t kMost = 64;
    size_t kept = 0, used = 0;
    for (size_t i = 0; i < size(); ++i) {
      used += at(i).mask != 0;
    }
    for (size_t i = 0; i < size(); ++i) {
      if (at(i).mask && used-- <= kMost) {
        at(kept++) = at(i);
      }
    }
    many.resize(kept > kInline ? kept - kInline : 0);
    count = std::min(kept, kInline);
  }
  size_t size() const { return count + many.size(); }
  GlobalRecord &at(size_t i) { return i < kInline ? few[i] : many[i - kInline]; }
  /// The first ones to a cell, the others elsewhere.
  void store(std::span<GlobalRecord> records) {
    for (size_t i = 0; i < records.size(); ++i) {
      records[i] = i < size() ? at(i) : GlobalRecord();
    }
  }
  void storeRest(size_t first, std::vector<GlobalRecord> &records) {
    records.clear();
    for (size_t i = first; i < size(); ++i) {
      records.push_back(at(i));
    }
  }

private:
  static constexpr size_t kInline = 6;
  GlobalRecord few[kInline];
  size_t count = 0;
  std::vector<GlobalRecord> many; // once `few` are in use
};

// --- What comes before what
bool GlobalWalk::orderedBefore(const GlobalRecord &earlier, uint32_t thread, uint32_t nowThread) const {
  bool several = thread >= GlobalRecord::kLanesOfWarp;
  if (earlier.block == now.record.block && thread == nowThread && !several) {
    return true;
  }
  if (!now.lane || thread == GlobalRecord::kSeveralThreads) {
    return false;
  }
  SharedChecker &clocks = *now.lane->cta->checker;
  uint32_t warp = several ? thread - GlobalRecord::kLanesOfWarp : thread / kWarpLanes;
  if (earlier.block == now.record.block) {
    return clocks.ordered(Epoch(warp, several ? Epoch::kSeveralLanes : thread % kWarpLanes, earlier.clock), *now.lane);
  }
  const VectorClock *known = clocks.known(*now.lane, earlier.block);
  return known && earlier.clock <= known->at[warp];
}

bool GlobalWalk::orderedBefore(const GlobalRecord &earlier, uintptr_t address, uint32_t bytes) const {
  if (earlier.block != now.record.block) {
    if (!now.ordersBlocks || !now.lane) {
      return false;
    }
  } else if (earlier.sameThreads(now.record) && earlier.ofOneThread()) {
    return true;
  }
  // From one byte at which the thread of either changes to the next.
  auto left = [](const GlobalRecord &record, uint32_t at) {
    uint32_t step = record.line ? 1u << (record.line - 1) : 0;
    return step ? step - ((at - record.origin) & (step - 1)) : ~0u;
  };
  for (uint32_t at = static_cast<uint32_t>(address), end = at + bytes; at != end;) {
    if (!orderedBefore(earlier, earlier.thread(at), now.record.thread(at))) {
      return false;
    }
    at += std::min({end - at, left(earlier, at), left(now.record, at)});
  }
  return true;
}

GlobalWalk::Order GlobalWalk::order(const GlobalRecord &earlier, Pieces overlap) const {
  if (earlier.block == now.record.block && earlier.sameThreads(now.record) && earlier.ofOneThread()) {
    return Order::All;
  }
  if (earlier.block != now.record.block && !(now.ordersBlocks && now.lane)) {
    return Order::None;
  }
  uint32_t ordered = 0;
  for (uint32_t rest = overlap.mask; rest; rest &= rest - 1) {
    uint32_t piece = lowest(rest);
    ordered += orderedBefore(earlier, overlap.first + piece * overlap.bytes, overlap.bytes);
  }
  return ordered == 0 ? Order::None : ordered == uint32_t(std::popcount(overlap.mask)) ? Order::All : Order::Mixed;
}

void GlobalWalk::check(const GlobalArea &area, const GlobalRecord &earlier, Pieces overlap) {
  const GlobalRecord &later = now.record;
  bool together = earlier.block == later.block || !(earlier.local | later.local);
  if (conflict.what || (earlier.atomic && later.atomic && together)) {
    return;
  }
  for (uint32_t rest = overlap.mask; rest; rest &= rest - 1) {
    uintptr_t address = overlap.first + lowest(rest) * overlap.bytes;
    if (orderedBefore(earlier, address, overlap.bytes)) {
      continue;
    }
    bool stores = earlier.write && !earlier.atomic && now.values; // equal bytes do not race
    if (stores &&
        std::memcmp(area.values + (address - area.begin), now.values + (address - start), overlap.bytes) == 0) {
      continue;
    }
    conflict = {earlier.write ? later.write ? "a write and an earlier write" : "a read and an earlier write"
                              : "a write and an earlier read",
                later, earlier, address};
    return;
  }
}

// --- Into the cells
/// Accesses that never race with each other: what is known of one speaks for the other too.
static bool alike(const GlobalRecord &a, const GlobalRecord &b) {
  bool atomics = a.atomic && b.atomic && (a.block == b.block || !(a.local | b.local));
  return a.write == b.write && (!a.write || atomics) && a.atomic == b.atomic;
}

template <size_t kRecords>
[[gnu::always_inline]] bool GlobalWalk::enterQuickly(std::array<GlobalRecord, kRecords> &records, Pieces pieces) {
  GlobalRecord &first = records[0];
  if (!first.block) {
    first = now.record;
    first.mask = static_cast<uint16_t>(pieces.mask);
    knownRead = false;
    return true;
  }
  if (!records[1].block) {
    if (first.block == GlobalRecord::kSeveralBlocks && !(pieces.mask & ~first.mask) && alike(first, now.record)) {
      return true;
    }
    if (first.joins(now.record)) {
      first.mask |= pieces.mask;
      knownRead = false;
      return true;
    }
  }
  knownRead = false;
  return enterBeside(records, pieces);
}

bool GlobalWalk::enterBeside(std::span<GlobalRecord> records, Pieces pieces) {
  // Of other records this may be apart, or what the thread itself wrote and now reads.
  uint32_t thread = now.record.thread(static_cast<uint32_t>(pieces.first) + lowest(pieces.mask) * pieces.bytes);
  bool one = !now.record.write && thread < GlobalRecord::kLanesOfWarp && isThread(now.record, pieces, thread);
  auto apart = [&](const GlobalRecord &other) {
    return !(other.mask & pieces.mask) || (one && other.block == now.record.block &&
                                           isThread(other, {pieces.bytes, pieces.first, other.mask}, thread));
  };
  size_t count = 0, close = 0, closest = 0;
  for (; count < records.size() && records[count].block; ++count) {
    if (!apart(records[count])) {
      ++close;
      closest = count;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if ((close == 0 || (close == 1 && closest == i)) && extend(records[i], now.record, pieces)) {
      return true;
    }
  }
  if (close || count == records.size()) {
    return false;
  }
  records[count] = now.record;
  records[count].mask = static_cast<uint16_t>(pieces.mask);
  return true;
}

/// What two accesses that are alike, and of which neither comes before the other, become; false: they stay two.
bool GlobalWalk::merge(const GlobalRecord &earlier, Pieces overlap, GlobalRecord &both) const {
  if (earlier.block != both.block) {
    if (now.ordersBlocks) {
      return false; // somebody may come after one of the two
    }
    both.block = GlobalRecord::kSeveralBlocks;
    both.line = both.clock = both.origin = 0;
    return true;
  }
  if (!now.lane) {
    both.line = 0;
    both.origin = GlobalRecord::kSeveralThreads;
    return true;
  }
  // Lanes of one warp at one time.
  auto thread = [&](uint32_t piece) {
    return earlier.thread(static_cast<uint32_t>(overlap.first) + piece * overlap.bytes);
  };
  uint32_t warp = now.lane->warp, lanes = GlobalRecord::kLanesOfWarp + warp;
  uint32_t low = thread(lowest(overlap.mask));
  uint32_t high = thread(static_cast<uint32_t>(std::bit_width(overlap.mask)) - 1);
  if (earlier.clock != both.clock || !((low == lanes) || (low / kWarpLanes == warp && high / kWarpLanes == warp))) {
    return false;
  }
  both.line = 0;
  both.origin = lanes;
  return true;
}

bool GlobalWalk::enter(const GlobalArea &area, List &list, Pieces pieces) {
  uint32_t fresh = pieces.mask; // to be recorded for this access alone
  for (size_t i = 0, count = list.size(); i < count; ++i) {
    GlobalRecord earlier = list.at(i);
    Pieces overlap{pieces.bytes, pieces.first, earlier.mask & pieces.mask};
    if (!overlap.mask) {
      continue;
    }
    bool areAlike = alike(earlier, now.record);
    if (!areAlike && (earlier.write || now.record.write)) {
      check(area, earlier, overlap);
      if (now.record.write && !now.record.atomic) { // others' atomics race with the earlier one, not with this
        list.at(i).mask &= ~overlap.mask;
      }
      continue;
    }
    overlap.mask &= fresh;
    if (!areAlike || !overlap.mask) {
      continue;
    }
    GlobalRecord both = now.record;
    if (earlier.block == GlobalRecord::kSeveralBlocks) {
      both = earlier;
    } else {
      Order order = this->order(earlier, overlap);
      if (order == Order::Mixed && pieces.bytes > 1) {
        return false;
      }
      if (order != Order::All && !merge(earlier, overlap, both)) {
        continue;
      }
    }
    list.at(i).mask &= ~overlap.mask;
    fresh &= ~overlap.mask;
    list.add(both, overlap);
  }
  list.add(now.record, {pieces.bytes, pieces.first, fresh});
  list.tidy();
  return true;
}

void GlobalWalk::enterGranule(GlobalArea &area, size_t granule, uint8_t &state, uint32_t mask) {
  GlobalGranule &cell = area.granules[granule];
  uintptr_t first = area.begin + granule * GlobalArea::kGranuleBytes;
  if (!(state & GlobalArea::More) && enterQuickly(cell, {1, first, mask})) {
    return;
  }
  knownRead = false;
  List list(cell);
  std::vector<GlobalRecord> *more = state & GlobalArea::More ? &shadow.more(first) : nullptr;
  if (more) {
    list.append(*more);
  }
  enter(area, list, {1, first, mask});
  list.store(cell);
  if (!more && list.size() > cell.size()) {
    state |= GlobalArea::More;
    more = &shadow.more(first);
  }
  if (more) {
    list.storeRest(cell.size(), *more);
  }
}

void GlobalWalk::split(GlobalArea &area, size_t unit) {
  constexpr size_t kGranules = GlobalArea::kUnitBytes / GlobalArea::kGranuleBytes;
  for (size_t i = 0; i < kGranules; ++i) {
    List list;
    for (const GlobalRecord &record : area.units[unit]) {
      if (record.block && (record.mask >> i & 1)) {
        list.push(record, 0xffff);
      }
    }
    list.store(area.granules[unit * kGranules + i]);
  }
  area.states[unit] |= GlobalArea::Split;
}

/// Bits `begin` to `end`.
static uint32_t bits(uintptr_t begin, uintptr_t end) {
  return static_cast<uint32_t>((uint64_t(1) << end) - (uint64_t(1) << begin));
}

void GlobalWalk::enterUnit(GlobalArea &area, size_t unit, uint32_t begin, uint32_t end) {
  constexpr uint32_t kBytes = GlobalArea::kGranuleBytes, kGranules = GlobalArea::kUnitBytes / kBytes;
  uint8_t &state = area.states[unit];
  if (!(state & GlobalArea::Split)) {
    if ((begin | end) % kBytes == 0) {
      Pieces pieces{kBytes, area.begin + unit * GlobalArea::kUnitBytes, bits(begin / kBytes, end / kBytes)};
      GlobalUnit &cell = area.units[unit];
      if (enterQuickly(cell, pieces)) {
        return;
      }
      List list(cell);
      if (enter(area, list, pieces) && list.size() <= cell.size()) {
        list.store(cell);
        return;
      }
    }
    split(area, unit);
  }
  for (uint32_t granule = begin / kBytes; granule * kBytes < end; ++granule) {
    uint32_t low = std::max(begin, granule * kBytes) - granule * kBytes;
    uint32_t high = std::min(end, (granule + 1) * kBytes) - granule * kBytes;
    enterGranule(area, unit * kGranules + granule, state, bits(low, high));
  }
}

void GlobalWalk::enterBytes(GlobalArea &area, uintptr_t begin, uintptr_t end) {
  for (uintptr_t at = begin; at < end;) {
    size_t unit = at / GlobalArea::kUnitBytes;
    uintptr_t first = unit * GlobalArea::kUnitBytes, next = std::min(end, first + GlobalArea::kUnitBytes);
    enterUnit(area, unit, static_cast<uint32_t>(at - first), static_cast<uint32_t>(next - first));
    at = next;
  }
  if (now.values) {
    std::memcpy(area.values + begin, now.values + (area.begin + begin - start), end - begin);
  }
}

void GlobalWalk::walk(GlobalArea &area, uintptr_t address, size_t bytes) {
  start = address;
  for (uintptr_t at = address - area.begin, last = at + bytes; at < last;) {
    size_t page = at / GlobalArea::kPageBytes;
    uintptr_t end = std::min(last, (page + 1) * GlobalArea::kPageBytes);
    GlobalShadow::Page held(shadow, area, page);
    enterBytes(area, at, end);
    at = end;
  }
}

void GlobalWalk::walk(GlobalArea &area, uintptr_t address, Apart run) {
  constexpr size_t kNone = ~size_t(0);
  std::optional<GlobalShadow::Page> held;
  size_t heldPage = kNone;
  uint32_t thread = run.thread;
  for (size_t i = 0; i < run.count; ++i, address += static_cast<uintptr_t>(run.stride), thread += run.step) {
    if (address >= area.begin && address + run.bytes <= area.end) {
      now.record.setThread(thread, static_cast<uint32_t>(address), run.bytes);
      uintptr_t begin = address - area.begin, end = begin + run.bytes;
      size_t page = begin / GlobalArea::kPageBytes;
      bool whole = (end - 1) / GlobalArea::kPageBytes == page;
      if (page != heldPage || !whole) {
        held.reset();
        heldPage = whole ? page : kNone;
        whole ? void(held.emplace(shadow, area, page)) : walk(area, address, run.bytes);
      }
      if (whole) {
        start = address;
        enterBytes(area, begin, end);
      }
    }
    now.values += now.values ? run.bytes : 0;
  }
}

} // namespace phobos::host
