// Who runs next. Lanes of a warp go round, then the warps of the CTA, then the worker's other CTAs; bulk copies land
// only when no lane can run. Under a seed the choice is random and copies may land early: any order that is legal.
#include "Cta.h"
#include "Memory.h"

#include <sched.h>

namespace phobos::host {
namespace {

/// Turns of spin loops on a worker, nothing else happening, before it begins another block or gives up its time slice.
constexpr uint32_t kPatience = 256;

/// Bits above `bit`.
uint32_t above(uint32_t mask, uint32_t bit) { return mask & ~((2u << bit) - 1); }
uint32_t lowest(uint32_t mask) { return static_cast<uint32_t>(__builtin_ctz(mask)); }

Lane &firstLane(Cta &cta, uint32_t warp) { return cta.lanes[warp * kWarpLanes + lowest(cta.warps[warp].runnable)]; }

uint32_t randomBit(Worker &worker, uint32_t mask) {
  for (uint32_t skip = worker.nextRandom(__builtin_popcount(mask)); skip; --skip) {
    mask &= mask - 1;
  }
  return lowest(mask);
}

/// Any runnable lane; null if there is none.
Lane *pickRandom(Worker &worker) {
  Cta &lucky = *worker.ctas[worker.nextRandom(worker.active)];
  Lane &lane = lucky.lanes[worker.nextRandom(lucky.threads)];
  if (!lane.copies.empty() && worker.nextRandom(4) == 0) {
    land(lane, lane.copies.head() + 1);
  }
  if (worker.nextRandom(8) == 0) {
    runBulkCopy(worker);
  }
  do {
    uint32_t first = worker.nextRandom(worker.active);
    for (uint32_t i = 0; i < worker.active; ++i) {
      Cta &cta = *worker.ctas[(first + i) % worker.active];
      if (cta.ready) {
        uint32_t warp = randomBit(worker, cta.ready);
        return &cta.lanes[warp * kWarpLanes + randomBit(worker, cta.warps[warp].runnable)];
      }
    }
  } while (runBulkCopy(worker));
  return nullptr;
}

/// A lane of some CTA, beginning with the one after `cta`.
Lane *pickAnywhere(Worker &worker, const Cta &cta) {
  do {
    for (uint32_t i = 1; i <= worker.active; ++i) {
      uint32_t slot = cta.slot + i;
      Cta &other = *worker.ctas[slot < worker.active ? slot : slot - worker.active];
      if (other.ready) {
        return &firstLane(other, lowest(other.ready));
      }
    }
  } while (runBulkCopy(worker));
  return nullptr;
}

Lane *pickAfter(const Lane &lane) {
  Cta &cta = *lane.cta;
  Warp &warp = *lane.itsWarp;
  if (cta.worker->random) [[unlikely]] {
    return pickRandom(*cta.worker);
  }
  if (warp.runnable) {
    uint32_t later = above(warp.runnable, lane.lane);
    return &cta.lanes[warp.index * kWarpLanes + lowest(later ? later : warp.runnable)];
  }
  if (cta.ready) {
    uint32_t later = above(cta.ready, warp.index);
    return &firstLane(cta, lowest(later ? later : cta.ready));
  }
  return pickAnywhere(*cta.worker, cta);
}

/// The next lane in an order that leaves none out, however the others spin.
Lane *pickInTurn(const Lane &lane) {
  Cta &cta = *lane.cta;
  if (cta.worker->random) {
    return pickRandom(*cta.worker);
  }
  if (uint32_t later = above(lane.itsWarp->runnable, lane.lane)) {
    return &cta.lanes[lane.warp * kWarpLanes + lowest(later)];
  }
  if (uint32_t later = above(cta.ready, lane.warp)) {
    return &firstLane(cta, lowest(later));
  }
  return pickAnywhere(*cta.worker, cta);
}

void goTo(Lane &from, Lane *to) {
  Worker &worker = *from.cta->worker;
  if (to == &from) {
    return;
  }
  ++worker.counters.switches;
  worker.current = to;
  Fiber::jump(from.fiber, to ? to->fiber : worker.main);
}

} // namespace

uint32_t Worker::nextRandom(uint32_t below) {
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  return static_cast<uint32_t>((random >> 16) % below);
}

void block(Lane &lane, Waiting waiting) {
  if (*lane.interrupt) [[unlikely]] {
    leave(lane);
  }
  Cta &cta = *lane.cta;
  Warp &warp = *lane.itsWarp;
  lane.waiting = waiting;
  warp.runnable &= ~laneBit(lane);
  if (!warp.runnable) {
    cta.ready &= ~(1u << warp.index);
  }
  cta.worker->idleTurns = 0;
  goTo(lane, pickAfter(lane));
}

void passTurn(Lane &lane) {
  if (*lane.interrupt) [[unlikely]] {
    leave(lane);
  }
  Worker &worker = *lane.cta->worker;
  if (++worker.idleTurns >= kPatience) {
    // What they wait for may be in a block that has not begun, in a copy, or on another worker.
    worker.idleTurns = 0;
    if (worker.asserted) {
      leave(lane);
    }
    if (!runBulkCopy(worker) && !worker.beginMore()) {
      sched_yield();
    }
  }
  goTo(lane, pickInTurn(lane));
}

void leave(Lane &lane) {
  Worker &worker = *lane.cta->worker;
  worker.endMeeting();
  worker.launch->stop();
  worker.abandoned = true;
  worker.current = nullptr;
  Fiber::jump(lane.fiber, worker.main);
  __builtin_unreachable(); // nobody goes back to an abandoned fiber
}

void fail(Lane &lane, Report found) {
  report(*lane.cta->worker, std::move(found));
  leave(lane);
}

} // namespace phobos::host
