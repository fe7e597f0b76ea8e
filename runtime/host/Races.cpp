// Happens-before on shared memory, by vector clocks.
#include "Races.h"
#include "Mbarrier.h"

#include <cstdio>

namespace phobos::host {
namespace {

uint32_t offsetOf(const void *address) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(address)) & ((1u << kClusterRankShift) - 1);
}

constexpr const char *kUnfenced = "wgmma without a wgmma.fence before it: its registers may still be being written";

uint16_t shortSite(uint32_t site) { return site <= UINT16_MAX ? static_cast<uint16_t>(site) : 0; }

std::string hex(uint32_t value) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, "0x%x", value);
  return buffer;
}

std::string whose(Epoch epoch) {
  std::string warp = "warp " + std::to_string(epoch.which());
  switch (epoch.kind()) {
  case AgentKind::Warp:
    return epoch.lane() == Epoch::kSeveralLanes ? warp
                                                : "thread " + std::to_string(epoch.which() * kWarpLanes + epoch.lane());
  case AgentKind::WgmmaRead:
    return "an unfinished wgmma of " + warp;
  case AgentKind::BulkWrite:
    return "an unfinished bulk copy";
  case AgentKind::CopyWrite:
    return "an unfinished cp.async of " + warp;
  case AgentKind::BulkRead:
    return "an unfinished bulk store of " + warp;
  case AgentKind::Remote:
    break;
  }
  return "block number " + std::to_string(epoch.which()) + " of the cluster";
}

} // namespace

bool SharedChecker::ordered(Epoch earlier, const Lane &lane, const VectorClock &seen) const {
  uint32_t warp = lane.warp, agent = earlier.agent();
  if (agent == warp) {
    return earlier.lane() == lane.lane || earlier.clock() < seen.at[warp];
  }
  if (earlier.clock() > seen.at[agent]) {
    return false;
  }
  // A wait for copies speaks for the thread that waits; for the others of its warp once they have met.
  return agent != phobos::host::agent(AgentKind::CopyWrite, warp) || earlier.lane() == lane.lane ||
         earlier.clock() <= copiesSynced[warp];
}

bool SharedChecker::inBounds(Lane &lane, const void *address, uint32_t count, uint32_t site, const char *what) {
  uintptr_t offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(cta.arena);
  if (offset + count <= bytes) [[likely]] {
    return true;
  }
  Cta *home = ctaOfShared(*cta.worker, cta, address);
  if (home && home != &cta && offsetOf(address) + count <= bytes) {
    return false; // of another CTA of the cluster
  }
  bool after = offset < kWindowBytes / 2;
  std::string where = after ? "at offset " + std::to_string(offset)
                            : std::to_string(-static_cast<int64_t>(offset)) + " bytes before its beginning";
  fail(lane, {Report::Kind::Bounds,
              std::string(what) + " of " + std::to_string(count) + " bytes outside shared memory, " + where +
                  "; the block has " + std::to_string(bytes) + " bytes",
              site,
              {{describe(lane)}}});
}

void SharedChecker::race(const char *what, const Event &event, uint32_t offset, Epoch other, uint16_t otherSite) {
  std::string message = std::string("data race in shared memory: ") + what + " with nothing that orders them";
  std::string home = event.lane.cta == &cta ? "" : " of " + describe(cta);
  report(*cta.worker, {Report::Kind::Race,
                       message,
                       event.site,
                       {{"this is " + describe(event.lane) + ", at shared memory offset " + hex(offset) + home},
                        {"the other is " + whose(other), otherSite}}});
}

void SharedChecker::needFence(const Cell &cell, const Event &event, uint32_t offset) {
  if (cell.write.none() || cell.write.kind() != AgentKind::Warp || !checks.race) {
    return;
  }
  uint32_t writer = cell.write.agent();
  if (cell.write.clock() <= knowledge(event.lane).fenced.at[writer]) {
    return;
  }
  report(*cta.worker,
         {Report::Kind::Race,
          "an asynchronous instruction reads shared memory that a thread wrote, with no fence.proxy.async between",
          event.site,
          {{"this is " + describe(event.lane) + ", at shared memory offset " + hex(offset)},
           {"the write is of " + whose(cell.write), cell.writeSite}}});
}

void SharedChecker::readCell(Cell &cell, const Event &event, uint32_t offset) {
  if (cell.write.none()) {
    if (checks.init) {
      report(*cta.worker, {Report::Kind::Init,
                           "shared memory is read that nothing has written",
                           event.site,
                           {{describe(event.lane) + ", at shared memory offset " + hex(offset)}}});
    }
  } else if (checks.race && !(event.now.atomic() && cell.write.atomic()) && !ordered(cell.write, event)) {
    race("a read and an earlier write", event, offset, cell.write, cell.writeSite);
  }
  cell.readSite = event.site;
  int free = -1;
  for (int i = 0; i < Cell::kReaders; ++i) {
    Epoch &read = cell.reads[i];
    if (read.agent() == event.now.agent() && !read.none()) {
      bool several = read.clock() == event.now.clock() && read.lane() != event.now.lane();
      read =
          several ? Epoch(event.now.agent(), Epoch::kSeveralLanes, event.now.clock(), event.now.atomic()) : event.now;
      return;
    }
    if (read.none()) {
      free = i;
      break;
    }
    if (ordered(read, event)) { // who comes after us comes after it
      free = i;
    }
  }
  cell.reads[free < 0 ? 0 : free] = event.now;
}

void SharedChecker::writeCell(Cell &cell, const Event &event, uint32_t offset, uint32_t count) {
  if (checks.race) {
    if (!cell.write.none() && !(event.now.atomic() && cell.write.atomic()) && !ordered(cell.write, event)) {
      bool same = event.value && std::memcmp(cta.arena + offset, event.value, count) == 0;
      if (!same) {
        race("a write and an earlier write", event, offset, cell.write, cell.writeSite);
      }
    }
    for (Epoch &read : cell.reads) {
      if (read.none()) {
        break;
      }
      if (!ordered(read, event) && !(event.now.atomic() && read.atomic())) {
        race("a write and an earlier read", event, offset, read, cell.readSite);
      }
    }
  }
  std::memset(static_cast<void *>(cell.reads), 0, sizeof cell.reads);
  cell.write = event.now;
  cell.writeSite = event.site;
}

void SharedChecker::read(const Event &event, const void *address, uint32_t count) {
  if (checks.race || checks.init) {
    shadow.access(offsetOf(address), count, false,
                  [&](Cell &cell, uint32_t offset, uint32_t) { readCell(cell, event, offset); });
  }
}

void SharedChecker::write(const Event &event, const void *address, uint32_t count) {
  if (checks.race || checks.init) {
    uint32_t begin = offsetOf(address);
    shadow.access(begin, count, true, [&](Cell &cell, uint32_t offset, uint32_t bytes) {
      Event part = event;
      part.value = event.value ? event.value + (offset - begin) : nullptr;
      writeCell(cell, part, offset, bytes);
    });
  }
}

void SharedChecker::load(Lane &lane, const void *address, uint32_t count, uint32_t site) {
  if (inBounds(lane, address, count, site, "load")) {
    read({lane, knowledge(lane).seen, now(lane), shortSite(site)}, address, count);
  } else {
    elsewhere(address).remoteLoad(lane, address, count, false, site);
  }
}

void SharedChecker::store(Lane &lane, const void *address, const void *value, uint32_t count, uint32_t site) {
  if (inBounds(lane, address, count, site, "store")) {
    write({lane, knowledge(lane).seen, now(lane), shortSite(site), static_cast<const uint8_t *>(value)}, address,
          count);
  } else {
    elsewhere(address).remoteStore(lane, address, value, count, false, site);
  }
}

void SharedChecker::atomic(Lane &lane, const void *address, uint32_t count, uint32_t flags, uint32_t site) {
  if (inBounds(lane, address, count, site, "atomic")) {
    Event event{lane, knowledge(lane).seen, now(lane, true), shortSite(site)};
    if (flags & kAtomicReads) {
      read(event, address, count);
    }
    if (flags & kAtomicWrites) {
      write(event, address, count);
    }
    return;
  }
  if (flags & kAtomicReads) {
    elsewhere(address).remoteLoad(lane, address, count, true, site);
  }
  if (flags & kAtomicWrites) {
    elsewhere(address).remoteStore(lane, address, nullptr, count, true, site);
  }
}

void SharedChecker::copyWrite(Lane &lane, const void *address, uint32_t count, uint32_t group, uint32_t site) {
  if (inBounds(lane, address, count, site, "copy")) {
    Epoch now(agent(AgentKind::CopyWrite, lane.warp), lane.lane, group);
    write({lane, knowledge(lane).seen, now, shortSite(site)}, address, count);
  }
}

void SharedChecker::bulkWrite(Lane &lane, const void *address, uint32_t count, const Mbarrier *barrier, uint32_t site) {
  if (inBounds(lane, address, count, site, "bulk copy")) {
    uint32_t index = indexOf(barrier);
    if (initialised[index] && checks.race && lane.cta == &cta) {
      report(*cta.worker,
             {Report::Kind::Race,
              "a bulk copy completes on an mbarrier that no fence.mbarrier_init or fence.proxy.async made known "
              "to it",
              site,
              {{"this is " + describe(lane)}, {"the mbarrier was initialised here", initialisedAt[index]}}});
    }
    Epoch now(agent(AgentKind::BulkWrite, index), lane.lane, phases[index] + 1);
    lastBulk[index] = phases[index] + 1;
    lastBulkSite[index] = site;
    if (lane.cta != &cta) {
      checkEnded(lane, site);
    }
    const VectorClock &seen = lane.cta == &cta ? knowledge(lane).seen : seenFrom(lane);
    write({lane, seen, now, shortSite(site)}, address, count);
  }
}

void SharedChecker::bulkRead(Lane &lane, const void *address, uint32_t count, uint32_t group, uint32_t site) {
  if (inBounds(lane, address, count, site, "bulk store")) {
    Event event{lane, knowledge(lane).seen, Epoch(agent(AgentKind::BulkRead, lane.warp), lane.lane, group),
                shortSite(site)};
    read(event, address, count);
    shadow.access(offsetOf(address), count, false,
                  [&](Cell &cell, uint32_t offset, uint32_t) { needFence(cell, event, offset); });
  }
}

void SharedChecker::wgmmaRead(Lane &lane, const void *address, uint32_t count, uint32_t site) {
  if (inBounds(lane, address, count, site, "wgmma operand")) {
    Epoch now(agent(AgentKind::WgmmaRead, lane.warp), lane.lane, lane.wgmmaGroups + 1);
    Event event{lane, knowledge(lane).seen, now, shortSite(site)};
    read(event, address, count);
    shadow.access(offsetOf(address), count, false,
                  [&](Cell &cell, uint32_t offset, uint32_t) { needFence(cell, event, offset); });
  }
}

void SharedChecker::mbarrierUse(Lane &lane, const Mbarrier *barrier, uint32_t site) {
  if (lane.cta != &cta) {
    remoteLoad(lane, barrier, sizeof *barrier, true, site);
  } else if (inBounds(lane, barrier, sizeof *barrier, site, "mbarrier operation")) {
    read({lane, knowledge(lane).seen, now(lane, true), shortSite(site)}, barrier, sizeof *barrier);
  }
}

void SharedChecker::wgmmaBegin(Lane &lane, uint32_t site) {
  if (checks.race && !(wgmmaFenced >> lane.warp & 1)) {
    report(*cta.worker, {Report::Kind::Race, kUnfenced, site, {{"this is " + describe(lane)}}});
  }
}

void SharedChecker::wgmmaFault(Lane &lane, WgmmaFault what, uint32_t other, uint32_t site) {
  if (!checks.race) {
    return;
  }
  Report found{Report::Kind::Race, kUnfenced, site, {{"this is " + describe(lane)}}};
  if (what == WgmmaFault::unfinished) {
    found.message = "a result of a wgmma is used before a wait covers it: it may not be there";
    found.notes.push_back({"the wgmma", other});
  }
  report(*cta.worker, std::move(found));
}

void SharedChecker::exit(Lane &lane) {
  if (!checks.race) {
    return;
  }
  if (lane.wgmmaGroups > knowledge(lane).seen.at[agent(AgentKind::WgmmaRead, lane.warp)]) {
    report(*cta.worker, {Report::Kind::Race,
                         "a thread ends with a wgmma that it never waited for: its results may not have been there",
                         lane.wgmmaSite,
                         {{"this is " + describe(lane)}}});
  }
  if (lane.bulkStoreGroup > knowledge(lane).seen.at[agent(AgentKind::BulkRead, lane.warp)]) {
    report(*cta.worker, {Report::Kind::Race,
                         "a thread ends with a bulk store that it never waited for: shared memory may be another "
                         "block's before it is read",
                         lane.bulkStoreSite,
                         {{"this is " + describe(lane)}}});
  }
  checkEnd(lane);
}

namespace calls {

void wgmmaFault(ThreadContext *thread, WgmmaFault what, uint32_t other, uint32_t site) {
  Lane &lane = laneOf(thread);
  if (SharedChecker *checker = lane.cta->checker.get()) {
    checker->wgmmaFault(lane, what, other, site);
  }
}
void checkSharedLoad(ThreadContext *thread, const void *address, uint32_t bytes, uint32_t site) {
  Lane &lane = laneOf(thread);
  if (SharedChecker *checker = lane.cta->checker.get()) {
    checker->load(lane, address, bytes, site);
  }
}
void checkSharedStore(ThreadContext *thread, const void *address, const void *value, uint32_t bytes, uint32_t site) {
  Lane &lane = laneOf(thread);
  if (SharedChecker *checker = lane.cta->checker.get()) {
    checker->store(lane, address, value, bytes, site);
  }
}

} // namespace calls
} // namespace phobos::host
