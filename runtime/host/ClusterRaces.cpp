// Shared memory of a cluster: a CTA's accesses to another's memory are one agent in the other's clocks, and what it
// knows of the other is in its own horizon. And what a CTA may not leave behind when it ends.
#include "Mbarrier.h"
#include "Races.h"

namespace phobos::host {
namespace {

uint32_t rankOf(const Cta &cta) { return cta.registers.clusterCtarank; }
uint32_t remoteAgent(uint32_t rank) { return agent(AgentKind::Remote, rank); }

Cta &sibling(const Cta &cta, uint32_t rank) {
  uint32_t size = cta.worker->launch->unitBlocks;
  return *cta.worker->ctas[cta.slot / size * size + rank];
}

} // namespace

SharedChecker &SharedChecker::elsewhere(const void *address) const {
  return *ctaOfShared(*cta.worker, cta, address)->checker;
}

bool SharedChecker::ordered(Epoch earlier, const Event &event) const {
  if (event.lane.cta == &cta) {
    return ordered(earlier, event.lane, event.seen);
  }
  // Threads of the other CTA are not told apart.
  bool same = earlier.agent() == event.now.agent() && earlier.kind() == AgentKind::Remote;
  return aged || same || earlier.clock() <= event.seen.at[earlier.agent()];
}

const VectorClock &SharedChecker::seenFrom(const Lane &lane) const {
  static const VectorClock kNothing{};
  const VectorClock *known = lane.cta->checker->known(lane, block());
  return known ? *known : kNothing;
}

Epoch SharedChecker::remoteNow(const Lane &lane, bool atomic, uint32_t site) {
  uint32_t rank = rankOf(*lane.cta), clock = lane.cta->checker->remoteClock;
  lastRemote[rank] = clock;
  lastRemoteSite[rank] = site;
  checkEnded(lane, site);
  return Epoch(remoteAgent(rank), lane.lane, clock, atomic);
}

void SharedChecker::remoteLoad(Lane &lane, const void *address, uint32_t count, bool atomic, uint32_t site) {
  read({lane, seenFrom(lane), remoteNow(lane, atomic, site), static_cast<uint16_t>(site)}, address, count);
}

void SharedChecker::remoteStore(Lane &lane, const void *address, const void *value, uint32_t count, bool atomic,
                                uint32_t site) {
  write({lane, seenFrom(lane), remoteNow(lane, atomic, site), static_cast<uint16_t>(site),
         static_cast<const uint8_t *>(value)},
        address, count);
}

VectorClock SharedChecker::snapshot(const Knowledge &knowledge) {
  VectorClock clock = knowledge.seen;
  clock.at[remoteAgent(rankOf(cta))] = remoteClock;
  tickRemote();
  return clock;
}

void SharedChecker::noteRemote(Knowledge &knowledge) const {
  for (uint32_t rank = 0; !knowledge.others.empty() && rank < cta.worker->launch->unitBlocks; ++rank) {
    uint32_t theirs = remoteAgent(rank);
    const VectorClock *known = knowledge.others.find(sibling(cta, rank).checker->block());
    if (known && rank != rankOf(cta)) {
      knowledge.seen.at[theirs] = std::max(knowledge.seen.at[theirs], known->at[theirs]);
    }
  }
}

// --- the cluster's barrier
void SharedChecker::clusterArrive(Lane &lane, bool relaxed) {
  usedCluster = true;
  if (!relaxed) {
    cluster.join(knowledge(lane));
    cluster.seen.at[remoteAgent(rankOf(cta))] = remoteClock;
  } else if (usedReleased >> lane.warp & 1) {
    cluster.join(released[lane.warp]);
  }
  tick(lane.warp);
}

void SharedChecker::releaseCluster(Horizon &all) {
  all.join(cluster.others);
  all.add(block(), cluster.seen);
  tickRemote();
}

void SharedChecker::clusterRelease(const Horizon &all) {
  clusterDone = cluster;
  clusterDone.others.join(all);
  cluster = {};
  for (uint32_t rank = 0; rank < cta.worker->launch->unitBlocks; ++rank) {
    arrived[rank] = sibling(cta, rank).checker->remoteClock - 1; // relaxed or not: it has come this far
  }
}

void SharedChecker::clusterWait(Lane &lane) {
  Knowledge &k = learning(lane.warp);
  k.join(clusterDone);
  noteRemote(k);
  copiesSynced[lane.warp] = k.seen.at[agent(AgentKind::CopyWrite, lane.warp)];
}

// --- the end
void SharedChecker::checkEnded(const Lane &lane, uint32_t site) {
  if (checks.race && cta.alive == 0) {
    report(*cta.worker, {Report::Kind::Race,
                         "shared memory of a block of the cluster is accessed that has ended",
                         site,
                         {{"this is " + describe(lane)}, {"the memory is of " + describe(cta)}}});
  }
}

void SharedChecker::checkEnd(Lane &lane) {
  if (brings(endingJoined, lane.warp)) {
    ending.join(knowledge(lane));
  }
  if (cta.alive > 1) {
    return;
  }
  for (uint32_t rank = 0; rank < cta.worker->launch->unitBlocks; ++rank) {
    if (lastRemote[rank] > std::max(ending.seen.at[remoteAgent(rank)], arrived[rank])) {
      report(*cta.worker, {Report::Kind::Race,
                           "a block ends while another of its cluster may still access its shared memory",
                           lastRemoteSite[rank],
                           {{"the memory is of " + describe(cta) + ", this is " + describe(sibling(cta, rank))}}});
    }
  }
  for (uint32_t i = 0; i < kAgentsOfAKind; ++i) {
    if (lastBulk[i] > ending.seen.at[agent(AgentKind::BulkWrite, i)]) {
      report(*cta.worker, {Report::Kind::Race,
                           "a block ends with a bulk copy that nobody waited for: its shared memory may be another "
                           "block's before it is written",
                           lastBulkSite[i],
                           {{"this is " + describe(cta)}}});
    }
  }
}

} // namespace phobos::host
