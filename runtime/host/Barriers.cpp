// Barriers of a CTA, named and counted, and of a cluster. The last to arrive lets all go and goes on itself.
#include "Counting.h"
#include "Cta.h"
#include "Races.h"

#include <cstring>

namespace phobos::host {
namespace {

void release(Cta &cta, NamedBarrier &barrier, Lane *last) {
  uint32_t id = static_cast<uint32_t>(&barrier - cta.barriers);
  if (cta.checker) {
    cta.checker->barrierRelease(id, barrier.waits, last);
  }
  uint32_t result = barrier.reduction == BarrierReduction::popc  ? barrier.predicates
                    : barrier.reduction == BarrierReduction::all ? barrier.predicates == barrier.participants
                                                                 : barrier.predicates != 0;
  for (uint32_t warp = 0; warp < cta.warpCount; ++warp) {
    uint32_t lanes = barrier.waits[warp];
    wake(cta, warp, lanes);
    if (barrier.participants) {
      for (uint32_t left = lanes; left; left &= left - 1) {
        cta.lanes[warp * kWarpLanes + __builtin_ctz(left)].barrierResult = result;
      }
    }
  }
  if (last) {
    last->barrierResult = result;
  }
  ++cta.worker->counters.barriers;
  std::memset(&barrier, 0, sizeof barrier);
}

std::string barrierName(uint32_t id) { return id ? "barrier " + std::to_string(id) : "the block's barrier"; }

/// The first to arrive decides how many are waited for; who then says otherwise is reported.
void enter(Lane &lane, NamedBarrier &barrier, uint32_t id, uint32_t threads, uint32_t site) {
  Cta &cta = *lane.cta;
  if (barrier.arrived == 0) {
    barrier.site = site;
    barrier.expected = threads;
    return;
  }
  if (!cta.worker->launch->request.checks.deadlock) {
    return;
  }
  if (barrier.expected != threads) {
    auto count = [](uint32_t n) { return n ? std::to_string(n) + " threads" : "all threads"; };
    report(*cta.worker, {Report::Kind::Divergence,
                         barrierName(id) + ": " + describe(lane) + " waits for " + count(threads) +
                             ", who came first for " + count(barrier.expected),
                         site,
                         {{"the first to arrive", barrier.site}}});
  } else if (barrier.site != site && threads == 0 && (barrier.waits[lane.warp] || barrier.site == 0)) {
    report(*cta.worker, {Report::Kind::Divergence,
                         barrierName(id) + " is reached by threads of one warp at two places",
                         site,
                         {{"others of the warp wait here", barrier.site}}});
  }
}

/// True if this was the last: the barrier has let all go.
bool arrive(Lane &lane, NamedBarrier &barrier, uint32_t id, uint32_t threads, uint32_t site) {
  Cta &cta = *lane.cta;
  enter(lane, barrier, id, threads, site);
  if (Counting *counting = cta.worker->counting.get()) {
    counting->barrier(lane, site);
  }
  if (cta.checker) {
    cta.checker->barrierArrive(lane, id);
  }
  return ++barrier.arrived == (threads ? threads : cta.alive);
}

void wait(Lane &lane, NamedBarrier &barrier, uint32_t id, uint32_t site) {
  barrier.waits[lane.warp] |= laneBit(lane);
  block(lane, {Waiting::For::Barrier, site, reinterpret_cast<const void *>(uintptr_t(id))});
}

/// Lets the cluster go if all its threads have arrived.
void settleCluster(Cta &cta) {
  Worker &worker = *cta.worker;
  uint32_t size = worker.launch->unitBlocks, first = cta.slot / size * size;
  for (uint32_t i = first; i < first + size; ++i) {
    if (worker.ctas[i]->clusterArrived < worker.ctas[i]->alive) {
      return;
    }
  }
  Horizon released;
  for (uint32_t i = first; i < first + size; ++i) {
    if (SharedChecker *checker = worker.ctas[i]->checker.get()) {
      checker->releaseCluster(released);
    }
  }
  for (uint32_t i = first; i < first + size; ++i) {
    Cta &other = *worker.ctas[i];
    if (other.checker) {
      other.checker->clusterRelease(released);
    }
    other.clusterArrived = 0;
    ++other.clusterPhase;
    for (uint32_t warp = 0; warp < other.warpCount; ++warp) {
      wake(other, warp, other.clusterWaits[warp]);
      other.clusterWaits[warp] = 0;
    }
  }
}

} // namespace

void barriersAfterExit(Cta &cta) {
  for (NamedBarrier &barrier : cta.barriers) {
    if (barrier.arrived && !barrier.expected && barrier.arrived == cta.alive) {
      release(cta, barrier, nullptr);
    }
  }
  if (cta.clusterArrived) {
    settleCluster(cta);
  }
}

namespace calls {

void ctaBarrier(ThreadContext *thread, uint32_t id, uint32_t threads, uint32_t site) {
  Lane &lane = laneOf(thread);
  NamedBarrier &barrier = lane.cta->barriers[id % kNamedBarriers];
  if (arrive(lane, barrier, id, threads, site)) {
    return release(*lane.cta, barrier, &lane);
  }
  wait(lane, barrier, id, site);
}

void ctaBarrierArrive(ThreadContext *thread, uint32_t id, uint32_t threads, uint32_t site) {
  Lane &lane = laneOf(thread);
  NamedBarrier &barrier = lane.cta->barriers[id % kNamedBarriers];
  if (arrive(lane, barrier, id, threads, site)) {
    release(*lane.cta, barrier, nullptr);
  }
}

uint32_t ctaBarrierReduce(ThreadContext *thread, uint32_t id, uint32_t threads, BarrierReduction kind,
                          uint32_t predicate, uint32_t site) {
  Lane &lane = laneOf(thread);
  NamedBarrier &barrier = lane.cta->barriers[id % kNamedBarriers];
  bool last = arrive(lane, barrier, id, threads, site);
  barrier.reduction = kind;
  barrier.predicates += predicate != 0;
  ++barrier.participants;
  if (last) {
    release(*lane.cta, barrier, &lane);
  } else {
    wait(lane, barrier, id, site);
  }
  return lane.barrierResult;
}

void clusterArrive(ThreadContext *thread, uint32_t relaxed, uint32_t) {
  Lane &lane = laneOf(thread);
  Cta &cta = *lane.cta;
  lane.clusterPhase = cta.clusterPhase;
  if (cta.checker) {
    cta.checker->clusterArrive(lane, relaxed != 0);
  }
  ++cta.clusterArrived;
  settleCluster(cta);
}

void clusterWait(ThreadContext *thread, uint32_t site) {
  Lane &lane = laneOf(thread);
  Cta &cta = *lane.cta;
  if (lane.clusterPhase == cta.clusterPhase) {
    cta.clusterWaits[lane.warp] |= laneBit(lane);
    block(lane, {Waiting::For::Cluster, site, nullptr});
  }
  if (cta.checker) {
    cta.checker->clusterWait(lane);
  }
}

} // namespace calls
} // namespace phobos::host
