// What the checker of shared memory knows of the order of things: clocks go on, are handed over, and are joined.
#include "Races.h"

namespace phobos::host {

void SharedChecker::configure(const Checks &itsChecks, uint32_t itsBytes) {
  checks = itsChecks;
  bytes = itsBytes;
}

void SharedChecker::begin() {
  if (!checks.race && !checks.init) {
    return;
  }
  shadow.clear(bytes);
  aged = false;
  for (uint32_t i = 0; i < cta.warpCount; ++i) {
    learning(i) = {};
    warps[i].seen.at[i] = 1;
    copiesSynced[i] = 0;
  }
  for (uint32_t i = 0; i < kNamedBarriers; ++i) {
    if (usedBarriers >> i & 1) {
      barriers[i] = {};
    }
  }
  for (uint32_t i = 0; i < kAgentsOfAKind; ++i) {
    if (usedMbarriers >> i & 1) {
      arriving[i] = completed[i] = {};
      phases[i] = initialised[i] = 0;
      std::fill_n(phaseSeen[i], kAgentsOfAKind, 0);
    }
  }
  if (usedCluster) {
    cluster = clusterDone = {};
  }
  releasedAt.clear();
  usedBarriers = usedMbarriers = usedReleased = wgmmaFenced = accessedSince = 0;
  usedCluster = false;
  std::fill_n(lastRemote, kMaxClusterBlocks, 0);
  std::fill_n(arrived, kMaxClusterBlocks, 0);
  std::fill_n(lastBulk, kAgentsOfAKind, 0);
  remoteClock = 1;
  ending = {};
}

/// The warp's own clock goes on; what it did so far can be told from what it does next.
void SharedChecker::tick(uint32_t warp) {
  accessedSince &= ~(1u << warp);
  uint32_t &clock = learning(warp).seen.at[warp];
  if (++clock < Epoch::kLastClock) {
    return;
  }
  shadow.age(bytes); // a hundred thousand barriers: begin to count again
  aged = true;
  for (uint32_t i = 0; i < kAgentsOfAKind; ++i) {
    for (Knowledge &k : warps) {
      k.seen.at[i] = k.fenced.at[i] = 0;
    }
    learning(i).seen.at[i] = 1;
  }
}

void SharedChecker::syncWarp(Warp &warp) {
  copiesSynced[warp.index] = warps[warp.index].seen.at[agent(AgentKind::CopyWrite, warp.index)];
  tick(warp.index);
}

void SharedChecker::barrierArrive(Lane &lane, uint32_t id) {
  if (!checks.race) {
    return;
  }
  usedBarriers |= 1u << id % kNamedBarriers;
  if (brings(barrierJoined[id % kNamedBarriers], lane.warp)) {
    barriers[id % kNamedBarriers].join(knowledge(lane));
  }
}

void SharedChecker::barrierRelease(uint32_t id, const uint32_t *waits, Lane *last) {
  if (!checks.race) {
    return;
  }
  Knowledge &barrier = barriers[id % kNamedBarriers];
  for (uint32_t warp = 0; warp < cta.warpCount; ++warp) {
    if (waits[warp] || (last && last->warp == warp)) {
      learning(warp).join(barrier);
      copiesSynced[warp] = warps[warp].seen.at[agent(AgentKind::CopyWrite, warp)];
      tick(warp);
    }
  }
  barrier = {};
  std::fill_n(barrierJoined[id % kNamedBarriers], kAgentsOfAKind, 0);
}

void SharedChecker::mbarrierInit(Lane &lane, const Mbarrier *barrier, uint32_t site) {
  uint32_t index = indexOf(barrier);
  usedMbarriers |= 1u << index;
  arriving[index] = completed[index] = {};
  initialised[index] = lane.warp + 1;
  initialisedAt[index] = static_cast<uint16_t>(site);
  store(lane, barrier, nullptr, sizeof *barrier, site);
}

void SharedChecker::mbarrierArrive(Lane &lane, const Mbarrier *barrier) {
  Knowledge &arrived = arriving[indexOf(barrier)];
  if (lane.cta == &cta) {
    arrived.join(knowledge(lane));
    return tick(lane.warp);
  }
  SharedChecker &theirs = *lane.cta->checker;
  const Knowledge &known = theirs.knowledge(lane);
  arrived.others.join(known.others);
  arrived.others.add(theirs.block(), theirs.snapshot(known));
  theirs.tick(lane.warp);
}

void SharedChecker::mbarrierComplete(const Mbarrier *barrier) {
  uint32_t index = indexOf(barrier);
  arriving[index].seen.at[agent(AgentKind::BulkWrite, index)] = ++phases[index];
  completed[index].join(arriving[index]);
}

void SharedChecker::mbarrierWait(Lane &lane, const Mbarrier *barrier) {
  uint32_t index = indexOf(barrier);
  if (lane.cta != &cta || std::exchange(phaseSeen[index][lane.warp], phases[index]) == phases[index]) {
    return; // another lane of the warp has been told
  }
  Knowledge &k = learning(lane.warp);
  k.join(completed[index]);
  noteRemote(k);
}

/// A warp has waited for what an agent of its own did.
void SharedChecker::done(uint32_t warp, uint32_t agent, uint32_t groups) {
  if (groups > warps[warp].seen.at[agent]) {
    learning(warp).seen.at[agent] = groups;
  }
}

void SharedChecker::copiesDone(Lane &lane, uint32_t groups) {
  done(lane.warp, agent(AgentKind::CopyWrite, lane.warp), groups);
}

void SharedChecker::bulkReadsDone(Lane &lane, uint32_t groups) {
  done(lane.warp, agent(AgentKind::BulkRead, lane.warp), groups);
}

void SharedChecker::wgmmaDone(Lane &lane, uint32_t groups) {
  done(lane.warp, agent(AgentKind::WgmmaRead, lane.warp), groups);
}

void SharedChecker::fence(Lane &lane, FenceKind kind) {
  if (kind == FenceKind::wgmma) {
    wgmmaFenced |= 1u << lane.warp;
  }
  if (kind <= FenceKind::sys && checks.race) {
    fenceMemory(lane, kind == FenceKind::cta);
  }
  if (kind == FenceKind::mbarrierInit || kind == FenceKind::cluster || kind == FenceKind::gpu ||
      kind == FenceKind::sys) {
    released[lane.warp] = knowledge(lane);
    released[lane.warp].seen = snapshot(knowledge(lane));
    usedReleased |= 1u << lane.warp;
    tick(lane.warp);
  }
  bool async = kind == FenceKind::proxyAsync || kind == FenceKind::proxyAsyncShared;
  for (uint32_t i = 0; (async || kind == FenceKind::mbarrierInit) && i < kAgentsOfAKind; ++i) {
    initialised[i] = initialised[i] == lane.warp + 1 ? 0 : initialised[i];
  }
  if (async) {
    Knowledge &k = learning(lane.warp);
    k.fenced = k.seen;
    tick(lane.warp);
  }
}

void SharedChecker::awaitPrevious(Lane &lane) {
  static const Horizon complete = [] {
    Horizon horizon;
    horizon.add(kPreviousKernel, VectorClock());
    return horizon;
  }();
  if (checks.race && !isAfterPrevious(lane)) {
    learning(lane.warp).others.join(complete);
  }
}

// --- fences and atomics
/// Of what was released, all that concerns this block is seen now.
void SharedChecker::acquire(Knowledge &knowledge, const Released &found, bool ofCta) {
  if (found.empty()) {
    return;
  }
  if (!ofCta) {
    knowledge.others.join(found.everywhere);
    noteRemote(knowledge);
  }
  for (const Horizon *horizon : {&found.everywhere, &found.locally}) {
    if (const VectorClock *own = horizon->find(block())) {
      knowledge.seen.join(*own);
    }
  }
}

void SharedChecker::fenceMemory(Lane &lane, bool ofCta) {
  Knowledge &k = learning(lane.warp);
  acquire(k, k.found, ofCta);
  if (!ofCta) {
    k.found = {};
    k.released.everywhere.join(k.others);
  }
  // Lanes of a warp fence one by one: what the first released is as good.
  Horizon &horizon = ofCta ? k.released.locally : k.released.everywhere;
  VectorClock now = k.seen;
  now.at[lane.warp] -= 1;
  const VectorClock *before = horizon.find(block());
  if (before && !(accessedSince >> lane.warp & 1) && std::equal(now.at, now.at + kOwnAgents, before->at)) {
    return;
  }
  horizon.add(block(), snapshot(k));
  tick(lane.warp);
}

Released SharedChecker::release(Lane &lane, uint32_t flags) {
  const Knowledge &k = knowledge(lane);
  Released result = k.released;
  if (flags & kAtomicReleases) {
    if (flags & kAtomicOfCta) {
      result.locally.add(block(), k.seen);
    } else {
      result.everywhere.join(k.others);
      result.everywhere.add(block(), snapshot(k));
    }
    tick(lane.warp);
  }
  return result;
}

void SharedChecker::acquire(Lane &lane, const Released &found, uint32_t flags) {
  if (flags & kAtomicAcquires) {
    acquire(learning(lane.warp), found, (flags & kAtomicOfCta) != 0);
  } else {
    learning(lane.warp).found.join(found);
  }
}

} // namespace phobos::host
