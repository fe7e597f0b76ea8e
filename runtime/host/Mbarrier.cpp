// mbarriers: arrivals and bytes to come, in shared memory as on the device. Waiting lanes are kept by the worker and
// woken when a phase ends.
#include "Mbarrier.h"
#include "Races.h"

#include <algorithm>

namespace phobos::host {

Cta *ctaOfShared(Worker &worker, const Cta &near, const void *address) {
  auto at = reinterpret_cast<uintptr_t>(address),
       window = reinterpret_cast<uintptr_t>(near.arena) & ~(kWindowBytes - 1);
  uint64_t rank = (at - window) >> kClusterRankShift;
  uint32_t size = worker.launch->unitBlocks, first = near.slot / size * size;
  return at >= window && rank < size ? worker.ctas[first + rank].get() : nullptr;
}

namespace {

/// Begins the next phase if nothing is to come in this one.
void settle(Worker &worker, Cta &home, Mbarrier *barrier) {
  if (barrier->pending || barrier->bytes) {
    return;
  }
  if (home.checker) {
    home.checker->mbarrierComplete(barrier);
  }
  barrier->phase ^= 1;
  barrier->pending = barrier->expected;
  std::erase_if(worker.mbarrierWaiters, [&](const MbarrierWaiter &waiter) {
    if (waiter.barrier != barrier) {
      return false;
    }
    wake(*waiter.lane);
    return true;
  });
}

Cta &homeOf(Lane &lane, const void *barrier, uint32_t site) {
  Cta *home = ctaOfShared(*lane.cta->worker, *lane.cta, barrier);
  if (!home) {
    fail(lane, {Report::Kind::Bounds, "an mbarrier is used that is not in shared memory", site, {{describe(lane)}}});
  }
  return *home;
}

void noteUse(Lane &lane, Cta &home, const Mbarrier *barrier, uint32_t site) {
  if (home.checker) {
    home.checker->mbarrierUse(lane, barrier, site);
  }
}

void waitWhile(Lane &lane, Mbarrier *barrier, uint64_t phase, uint32_t site) {
  Worker &worker = *lane.cta->worker;
  Cta &home = homeOf(lane, barrier, site);
  noteUse(lane, home, barrier, site);
  while (barrier->phase == phase) {
    worker.mbarrierWaiters.push_back({barrier, &lane});
    block(lane, {Waiting::For::Mbarrier, site, barrier});
  }
  if (home.checker) {
    home.checker->mbarrierWait(lane, barrier);
  }
}

bool test(Lane &lane, Mbarrier *barrier, uint64_t phase, uint32_t site) {
  Cta &home = homeOf(lane, barrier, site);
  noteUse(lane, home, barrier, site);
  if (barrier->phase == phase) {
    passTurn(lane);
  }
  if (barrier->phase == phase) {
    return false;
  }
  if (home.checker) {
    home.checker->mbarrierWait(lane, barrier);
  }
  return true;
}

/// A state is the barrier's word as it was.
uint64_t stateOf(const Mbarrier *barrier) { return __builtin_bit_cast(uint64_t, *barrier); }
uint64_t phaseOf(uint64_t state) { return state >> 63; }

Mbarrier *at(void *barrier) { return static_cast<Mbarrier *>(barrier); }

} // namespace

void completeBytes(Worker &worker, Cta &near, Mbarrier *barrier, uint32_t bytes) {
  Cta *home = ctaOfShared(worker, near, barrier);
  barrier->bytes -= bytes;
  settle(worker, home ? *home : near, barrier);
}

void arriveForCopies(Lane &lane, Mbarrier *barrier, bool counts) {
  Cta &home = homeOf(lane, barrier, 0);
  if (home.checker) {
    lane.cta->checker->copiesDone(lane, lane.copyGroups.tail() + 1);
    home.checker->mbarrierArrive(lane, barrier);
  }
  if (counts) {
    --barrier->pending;
  }
  settle(*lane.cta->worker, home, barrier);
}

namespace calls {

void mbarInit(ThreadContext *thread, void *barrier, uint32_t count, uint32_t site) {
  Lane &lane = laneOf(thread);
  Cta &home = homeOf(lane, barrier, site);
  *at(barrier) = {count, count, 0, 0};
  if (home.checker) {
    home.checker->mbarrierInit(lane, at(barrier), site);
  }
}

void mbarInval(ThreadContext *, void *, uint32_t) {}

void mbarExpectTx(ThreadContext *thread, void *barrier, uint32_t bytes, uint32_t site) {
  Lane &lane = laneOf(thread);
  noteUse(lane, homeOf(lane, barrier, site), at(barrier), site);
  at(barrier)->bytes += bytes;
}

void mbarCompleteTx(ThreadContext *thread, void *barrier, uint32_t bytes, uint32_t site) {
  Lane &lane = laneOf(thread);
  homeOf(lane, barrier, site);
  completeBytes(*lane.cta->worker, *lane.cta, at(barrier), bytes);
}

uint64_t mbarArrive(ThreadContext *thread, void *barrier, uint32_t count, uint32_t bytes, uint32_t flags,
                    uint32_t site) {
  Lane &lane = laneOf(thread);
  Cta &home = homeOf(lane, barrier, site);
  Mbarrier *mbarrier = at(barrier);
  noteUse(lane, home, mbarrier, site);
  uint64_t state = stateOf(mbarrier);
  if (flags & kMbarExpectTx) {
    mbarrier->bytes += bytes;
  }
  if (home.checker) {
    home.checker->mbarrierArrive(lane, mbarrier);
  }
  if (mbarrier->pending < count) {
    fail(lane, {Report::Kind::Deadlock,
                "more arrivals at an mbarrier than it was made for: " + std::to_string(uint32_t(mbarrier->expected)),
                site,
                {{describe(lane)}}});
  }
  if (flags & kMbarDrop) {
    mbarrier->expected -= count;
  }
  mbarrier->pending -= count;
  settle(*lane.cta->worker, home, mbarrier);
  return state;
}

void mbarWaitParity(ThreadContext *thread, void *barrier, uint32_t parity, uint32_t site) {
  waitWhile(laneOf(thread), at(barrier), parity & 1, site);
}
uint32_t mbarTestParity(ThreadContext *thread, void *barrier, uint32_t parity, uint32_t site) {
  return test(laneOf(thread), at(barrier), parity & 1, site);
}
void mbarWaitState(ThreadContext *thread, void *barrier, uint64_t state, uint32_t site) {
  waitWhile(laneOf(thread), at(barrier), phaseOf(state), site);
}
uint32_t mbarTestState(ThreadContext *thread, void *barrier, uint64_t state, uint32_t site) {
  return test(laneOf(thread), at(barrier), phaseOf(state), site);
}
uint32_t mbarPending(ThreadContext *, uint64_t state, uint32_t) {
  return static_cast<uint32_t>(__builtin_bit_cast(Mbarrier, state).pending);
}

} // namespace calls
} // namespace phobos::host
