// Bulk copies: TMA's tensor boxes and plain runs of bytes. They run only when no lane can, or when a thread waits for
// its own stores: as late as the program allows. Under a seed, at any time and in any order.
#include "Elements.h"
#include "Global.h"
#include "Mbarrier.h"
#include "Races.h"

#include <algorithm>
#include <cstring>

namespace phobos::host {
namespace {

constexpr uint32_t kChunkBytes = 16; // what a swizzle moves

/// Calls `visit(shared, global, elements)` for runs of a box's elements that lie together in both memories; `global` is
/// null for those outside the tensor.
template <typename Visit> void walkBox(const TensorMap &map, const int32_t (&at)[5], uint8_t *shared, Visit visit) {
  uint32_t size = elementBytes(map.element), rowBytes = map.box[0] * size, rows = 1;
  for (unsigned dim = 1; dim < map.rank; ++dim) {
    rows *= map.box[dim];
  }
  uint32_t swizzle = map.swizzle == 128 ? 7 : map.swizzle == 64 ? 3 : map.swizzle == 32 ? 1 : 0;
  auto base = reinterpret_cast<uintptr_t>(shared);
  for (uint32_t row = 0; row < rows; ++row) {
    uint8_t *global = map.base;
    bool inside = true;
    for (unsigned dim = 1, rest = row; dim < map.rank; rest /= map.box[dim], ++dim) {
      int64_t index = int64_t(at[dim]) + rest % map.box[dim];
      inside &= index >= 0 && index < static_cast<int64_t>(map.dims[dim]);
      global += index * static_cast<int64_t>(map.strides[dim - 1]);
    }
    for (uint32_t offset = 0; offset < rowBytes; offset += kChunkBytes) {
      uintptr_t place = base + row * rowBytes + offset;
      place ^= (place >> 7 & swizzle) << 4;
      auto *chunk = reinterpret_cast<uint8_t *>(place);
      int64_t first = at[0] + int64_t(offset / size);
      uint32_t count = std::min(kChunkBytes, rowBytes - offset) / size;
      if (inside && first >= 0 && first + count <= static_cast<int64_t>(map.dims[0])) {
        visit(chunk, global + first * size, count);
        continue;
      }
      for (uint32_t i = 0; i < count; ++i) {
        bool there = inside && first + i >= 0 && first + i < static_cast<int64_t>(map.dims[0]);
        visit(chunk + i * size, there ? global + (first + i) * size : nullptr, 1u);
      }
    }
  }
}

/// To nearest even, as a map of tf32 has the copy engine do it; infinities and NaN stay.
void roundToTf32(uint8_t *elements, uint32_t count) {
  constexpr uint32_t kDropped = 13, kExponent = 0x7f800000;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t bits;
    std::memcpy(&bits, elements + i * sizeof bits, sizeof bits);
    if ((bits & kExponent) != kExponent) {
      bits += (1u << (kDropped - 1)) - 1 + (bits >> kDropped & 1);
      bits &= ~((1u << kDropped) - 1);
      std::memcpy(elements + i * sizeof bits, &bits, sizeof bits);
    }
  }
}

void loadBox(const BulkCopy &copy, uint8_t *target) {
  uint32_t size = elementBytes(copy.map->element);
  uint64_t fill = copy.map->fillNaN ? nanBits(copy.map->element) : 0;
  walkBox(*copy.map, copy.at, target, [&](uint8_t *shared, const uint8_t *global, uint32_t count) {
    if (global) {
      std::memcpy(shared, global, count * size);
      if (copy.map->element == Element::tf32) {
        roundToTf32(shared, count);
      }
    } else {
      std::memcpy(shared, &fill, size);
    }
  });
}

void storeBox(const BulkCopy &copy) {
  uint32_t size = elementBytes(copy.map->element);
  auto *source = const_cast<uint8_t *>(copy.source);
  walkBox(*copy.map, copy.at, source, [&](const uint8_t *shared, uint8_t *global, uint32_t count) {
    if (!global) {
      return;
    }
    if (copy.kind == BulkCopy::Kind::TensorStore) {
      std::memcpy(global, shared, count * size);
      return;
    }
    for (uint32_t i = 0; i < count; ++i) {
      combineAtomically(copy.map->element, copy.reduction, global + i * size, shared + i * size);
    }
  });
}

/// The CTAs that a load goes to, as places in the worker's slots.
template <typename Visit> void forTargets(const BulkCopy &copy, Visit visit) {
  Cta &home = *copy.lane->cta;
  Worker &worker = *home.worker;
  uint32_t size = worker.launch->unitBlocks, first = home.slot / size * size;
  if (copy.multicast == 0) {
    Cta *target = ctaOfShared(worker, home, copy.target);
    return visit(target ? *target : home, copy.target, copy.barrier);
  }
  auto within = [&](const void *address) {
    return reinterpret_cast<uintptr_t>(address) & ((1u << kClusterRankShift) - 1);
  };
  for (uint32_t rank = 0; rank < size; ++rank) {
    if (copy.multicast >> rank & 1) {
      Cta &cta = *worker.ctas[first + rank];
      visit(cta, cta.arena + within(copy.target), reinterpret_cast<Mbarrier *>(cta.arena + within(copy.barrier)));
    }
  }
}

void run(const BulkCopy &copy) {
  Worker &worker = *copy.lane->cta->worker;
  ++worker.counters.copies;
  switch (copy.kind) {
  case BulkCopy::Kind::TensorLoad:
    return forTargets(copy, [&](Cta &cta, uint8_t *target, Mbarrier *barrier) {
      loadBox(copy, target);
      completeBytes(worker, cta, barrier, copy.bytes);
    });
  case BulkCopy::Kind::Load:
    return forTargets(copy, [&](Cta &cta, uint8_t *target, Mbarrier *barrier) {
      std::memcpy(target, copy.source, copy.bytes);
      completeBytes(worker, cta, barrier, copy.bytes);
    });
  case BulkCopy::Kind::Shared: {
    std::memcpy(copy.target, copy.source, copy.bytes);
    Cta *cta = ctaOfShared(worker, *copy.lane->cta, copy.target);
    return completeBytes(worker, cta ? *cta : *copy.lane->cta, copy.barrier, copy.bytes);
  }
  case BulkCopy::Kind::TensorStore:
  case BulkCopy::Kind::TensorReduce:
    return storeBox(copy);
  case BulkCopy::Kind::Store:
    for (uint32_t i = 0; i < copy.bytes; ++i) {
      if (copy.byteMask >> (i % kChunkBytes) & 1) {
        copy.target[i] = copy.source[i];
      }
    }
  }
}

bool isStore(const BulkCopy &copy) {
  return copy.kind == BulkCopy::Kind::TensorStore || copy.kind == BulkCopy::Kind::TensorReduce ||
         copy.kind == BulkCopy::Kind::Store;
}

/// A box that is stored begins at no place before the tensor's first element, along any dimension: an illegal
/// instruction.
void requireInside(const Lane &lane, const TensorMap &map, std::array<int32_t, 5> at, uint32_t site) {
  for (unsigned dim = 0; dim < map.rank; ++dim) {
    if (at[dim] < 0) {
      report(*lane.cta->worker, {Report::Kind::Trap,
                                 "illegal instruction: a bulk tensor copy stores to place " + std::to_string(at[dim]) +
                                     " along dimension " + std::to_string(dim) + " of its map, before the tensor",
                                 site,
                                 {{"this is " + describe(lane)}}});
    }
  }
}

/// The copy engine takes a box only where its rows begin at whole 16 bytes; anything else is an illegal instruction.
constexpr int64_t kStartBytes = 16;
void requireStart(const Lane &lane, const TensorMap &map, int32_t x0, uint32_t site) {
  int64_t start = int64_t(x0) * elementBytes(map.element);
  if (start % kStartBytes) {
    report(*lane.cta->worker, {Report::Kind::Trap,
                               "illegal instruction: a bulk tensor copy begins " + std::to_string(start) +
                                   " bytes into its rows, which is no multiple of 16",
                               site,
                               {{"this is " + describe(lane)}}});
  }
}

/// What is stored past the end of a row is kept from memory by whole 16 bytes only.
void requireWholeRows(const Lane &lane, const TensorMap &map, int32_t x0, uint32_t site) {
  auto extent = static_cast<int64_t>(map.dims[0]);
  if (int64_t(x0) + map.box[0] > extent && extent * elementBytes(map.element) % kStartBytes != 0) {
    report(*lane.cta->worker, {Report::Kind::Bounds,
                               "a bulk tensor copy stores past the end of a row of " + std::to_string(extent) +
                                   " elements, which are not whole 16 bytes: it writes behind the row",
                               site,
                               {{"this is " + describe(lane)}}});
  }
}

uint32_t boxBytes(const TensorMap &map) {
  uint32_t bytes = elementBytes(map.element);
  for (unsigned dim = 0; dim < map.rank; ++dim) {
    bytes *= map.box[dim];
  }
  return bytes;
}

/// The checker hears of the global memory that a copy reads or writes. A tensor map says itself where its tensor ends.
void checkGlobal(Lane &lane, const BulkCopy &copy) {
  GlobalChecker *checker = lane.cta->worker->launch->global.get();
  if (!checker) {
    return;
  }
  uint32_t flags = copy.kind == BulkCopy::Kind::TensorReduce ? kAtomicReads | kAtomicWrites : 0;
  switch (copy.kind) {
  case BulkCopy::Kind::TensorLoad: {
    const uint8_t *begin = nullptr, *end = nullptr; // of elements that lie together
    auto tell = [&] {
      checker->note(lane, begin, nullptr, static_cast<uint32_t>(end - begin), Access::load, 0, copy.site);
    };
    walkBox(*copy.map, copy.at, copy.target, [&](const uint8_t *, const uint8_t *global, uint32_t count) {
      if (global && global == end) {
        end += count * elementBytes(copy.map->element);
      } else if (global) {
        tell();
        begin = global;
        end = begin + count * elementBytes(copy.map->element);
      }
    });
    return tell();
  }
  case BulkCopy::Kind::TensorStore:
  case BulkCopy::Kind::TensorReduce:
    walkBox(*copy.map, copy.at, const_cast<uint8_t *>(copy.source),
            [&](const uint8_t *shared, const uint8_t *global, uint32_t count) {
              if (global) {
                checker->note(lane, global, flags ? nullptr : shared, count * elementBytes(copy.map->element),
                              flags ? Access::atomic : Access::store, flags, copy.site);
              }
            });
    return;
  case BulkCopy::Kind::Load:
    return checker->access(lane, copy.source, nullptr, copy.bytes, Access::load, copy.site);
  case BulkCopy::Kind::Store:
    for (uint32_t i = 0; i < copy.bytes; ++i) {
      uint32_t count = (copy.byteMask & 0xffff) == 0xffff ? copy.bytes : copy.byteMask >> (i % kChunkBytes) & 1;
      if (count) {
        checker->access(lane, copy.target + i, copy.source + i, count, Access::store, copy.site);
        i += count - 1;
      }
    }
    return;
  case BulkCopy::Kind::Shared:
    return;
  }
}

/// Queues a copy; the checkers hear of the memory that it reads and writes from now on.
void issue(Lane &lane, BulkCopy copy) {
  copy.lane = &lane;
  copy.group = lane.bulkGroups + 1;
  checkGlobal(lane, copy);
  if (isStore(copy)) {
    lane.bulkStoreGroup = copy.group;
    lane.bulkStoreSite = copy.site;
    if (SharedChecker *checker = lane.cta->checker.get()) {
      checker->bulkRead(lane, copy.source, copy.bytes, copy.group, copy.site);
    }
  } else {
    forTargets(copy, [&](Cta &cta, uint8_t *target, Mbarrier *barrier) {
      if (cta.checker) {
        cta.checker->bulkWrite(lane, target, copy.bytes, barrier, copy.site);
      }
    });
  }
  lane.cta->worker->bulk.push_back(copy);
}

} // namespace

bool runBulkCopy(Worker &worker) {
  if (worker.bulk.empty()) {
    return false;
  }
  size_t which = worker.random ? worker.nextRandom(static_cast<uint32_t>(worker.bulk.size())) : 0;
  BulkCopy copy = worker.bulk[which];
  worker.bulk.erase(worker.bulk.begin() + static_cast<ptrdiff_t>(which));
  run(copy);
  return true;
}

namespace calls {

void tmaLoad(ThreadContext *thread, void *target, const TensorMap *map, void *barrier, int32_t x0, int32_t x1,
             int32_t x2, int32_t x3, int32_t x4, uint32_t multicast, uint32_t site) {
  requireStart(laneOf(thread), *map, x0, site);
  BulkCopy copy{.kind = BulkCopy::Kind::TensorLoad,
                .map = map,
                .target = static_cast<uint8_t *>(target),
                .barrier = static_cast<Mbarrier *>(barrier),
                .at = {x0, x1, x2, x3, x4},
                .bytes = boxBytes(*map),
                .multicast = multicast,
                .site = site};
  issue(laneOf(thread), copy);
}

void tmaStore(ThreadContext *thread, const TensorMap *map, const void *source, int32_t x0, int32_t x1, int32_t x2,
              int32_t x3, int32_t x4, uint32_t site) {
  requireStart(laneOf(thread), *map, x0, site);
  requireInside(laneOf(thread), *map, {x0, x1, x2, x3, x4}, site);
  requireWholeRows(laneOf(thread), *map, x0, site);
  BulkCopy copy{.kind = BulkCopy::Kind::TensorStore,
                .map = map,
                .source = static_cast<const uint8_t *>(source),
                .at = {x0, x1, x2, x3, x4},
                .bytes = boxBytes(*map),
                .site = site};
  issue(laneOf(thread), copy);
}

void tmaReduce(ThreadContext *thread, const TensorMap *map, const void *source, BulkReduction kind, int32_t x0,
               int32_t x1, int32_t x2, int32_t x3, int32_t x4, uint32_t site) {
  requireStart(laneOf(thread), *map, x0, site);
  requireInside(laneOf(thread), *map, {x0, x1, x2, x3, x4}, site);
  requireWholeRows(laneOf(thread), *map, x0, site);
  BulkCopy copy{.kind = BulkCopy::Kind::TensorReduce,
                .reduction = kind,
                .map = map,
                .source = static_cast<const uint8_t *>(source),
                .at = {x0, x1, x2, x3, x4},
                .bytes = boxBytes(*map),
                .site = site};
  issue(laneOf(thread), copy);
}

void bulkLoad(ThreadContext *thread, void *target, const void *source, void *barrier, uint32_t bytes,
              uint32_t multicast, uint32_t site) {
  BulkCopy copy{.kind = BulkCopy::Kind::Load,
                .target = static_cast<uint8_t *>(target),
                .source = static_cast<const uint8_t *>(source),
                .barrier = static_cast<Mbarrier *>(barrier),
                .bytes = bytes,
                .multicast = multicast,
                .site = site};
  issue(laneOf(thread), copy);
}

void bulkStore(ThreadContext *thread, void *target, const void *source, uint32_t bytes, uint32_t byteMask,
               uint32_t site) {
  BulkCopy copy{.kind = BulkCopy::Kind::Store,
                .target = static_cast<uint8_t *>(target),
                .source = static_cast<const uint8_t *>(source),
                .bytes = bytes,
                .byteMask = byteMask,
                .site = site};
  issue(laneOf(thread), copy);
}

void bulkShared(ThreadContext *thread, void *target, const void *source, void *barrier, uint32_t bytes, uint32_t site) {
  BulkCopy copy{.kind = BulkCopy::Kind::Shared,
                .target = static_cast<uint8_t *>(target),
                .source = static_cast<const uint8_t *>(source),
                .barrier = static_cast<Mbarrier *>(barrier),
                .bytes = bytes,
                .site = site};
  issue(laneOf(thread), copy);
}

void bulkCommit(ThreadContext *thread, uint32_t) { ++laneOf(thread).bulkGroups; }

void bulkWait(ThreadContext *thread, uint32_t pending, uint32_t, uint32_t site) {
  Lane &lane = laneOf(thread);
  if (lane.bulkGroups <= pending) {
    return;
  }
  uint32_t done = lane.bulkGroups - pending;
  std::vector<BulkCopy> &bulk = lane.cta->worker->bulk;
  auto due = [&](const BulkCopy &copy) { return copy.lane == &lane && isStore(copy) && copy.group <= done; };
  for (auto found = std::find_if(bulk.begin(), bulk.end(), due); found != bulk.end();
       found = std::find_if(bulk.begin(), bulk.end(), due)) {
    BulkCopy copy = *found;
    bulk.erase(found);
    run(copy);
  }
  if (lane.cta->checker) {
    lane.cta->checker->bulkReadsDone(lane, done);
  }
}

} // namespace calls
} // namespace phobos::host
