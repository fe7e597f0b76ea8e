// The checker of shared memory: accesses out of bounds, races, and reads of what nothing wrote. One for each CTA.
//
// Clocks are kept for warps, not for lanes: accesses of one warp are ordered by its own barriers and bar.warp.sync, and
// within one lane. Stores of equal bytes do not race: replicated layouts write the same value from many threads.
#pragma once

#include "Cta.h"
#include "Horizon.h"
#include "Shadow.h"

#include <utility>

namespace phobos::host {

class SharedChecker {
public:
  explicit SharedChecker(Cta &cta) : cta(cta) {}
  /// For a launch whose blocks have `bytes` of shared memory.
  void configure(const Checks &checks, uint32_t bytes);
  /// A block begins.
  void begin();

  // Accesses, before they happen. One out of bounds does not return.
  void load(Lane &lane, const void *address, uint32_t bytes, uint32_t site);
  /// `value`: the bytes that will be there, or null if that is not known yet.
  void store(Lane &lane, const void *address, const void *value, uint32_t bytes, uint32_t site);
  void atomic(Lane &lane, const void *address, uint32_t bytes, uint32_t flags, uint32_t site);
  void copyWrite(Lane &lane, const void *address, uint32_t bytes, uint32_t group, uint32_t site);
  void bulkWrite(Lane &lane, const void *address, uint32_t bytes, const Mbarrier *barrier, uint32_t site);
  void bulkRead(Lane &lane, const void *address, uint32_t bytes, uint32_t group, uint32_t site);
  void wgmmaRead(Lane &lane, const void *address, uint32_t bytes, uint32_t site);
  /// An operation on an mbarrier: its initialisation must be ordered before it.
  void mbarrierUse(Lane &lane, const Mbarrier *barrier, uint32_t site);
  /// The access of a thread to another CTA's memory, in that one's checker. `value` as in store.
  void remoteLoad(Lane &lane, const void *address, uint32_t bytes, bool atomic, uint32_t site);
  void remoteStore(Lane &lane, const void *address, const void *value, uint32_t bytes, bool atomic, uint32_t site);
  /// A warp's wgmmas begin.
  void wgmmaBegin(Lane &lane, uint32_t site);
  /// What is found wrong with the registers of wgmmas, of which the code knows more than the runtime.
  void wgmmaFault(Lane &lane, WgmmaFault what, uint32_t other, uint32_t site);
  /// A thread exits.
  void exit(Lane &lane);

  // For accesses to other memory, in the same clocks: an access now; is an earlier one of this block ordered before it?
  Epoch now(const Lane &lane, bool atomic = false) {
    accessedSince |= 1u << lane.warp;
    return Epoch(lane.warp, lane.lane, knowledge(lane).seen.at[lane.warp], atomic);
  }
  bool ordered(Epoch earlier, const Lane &lane) const { return aged || ordered(earlier, lane, warps[lane.warp].seen); }
  /// The clocks of another block that the lane's accesses come after, or null.
  const VectorClock *known(const Lane &lane, uint32_t block) const { return warps[lane.warp].others.find(block); }

  // What orders them.
  void syncWarp(Warp &warp);
  void barrierArrive(Lane &lane, uint32_t id);
  void barrierRelease(uint32_t id, const uint32_t *waits, Lane *last);
  void clusterArrive(Lane &lane, bool relaxed);
  /// What the arrivals at the cluster's barrier released, and, once all have come, what those of all its blocks did.
  void releaseCluster(Horizon &all);
  void clusterRelease(const Horizon &all);
  void clusterWait(Lane &lane);
  void mbarrierInit(Lane &lane, const Mbarrier *barrier, uint32_t site);
  void mbarrierArrive(Lane &lane, const Mbarrier *barrier);
  void mbarrierComplete(const Mbarrier *barrier);
  void mbarrierWait(Lane &lane, const Mbarrier *barrier);
  void copiesDone(Lane &lane, uint32_t groups);
  void bulkReadsDone(Lane &lane, uint32_t groups);
  void wgmmaDone(Lane &lane, uint32_t groups);
  void fence(Lane &lane, FenceKind kind);
  void awaitPrevious(Lane &lane);
  /// Does the lane's next access come after the kernel before this one?
  bool isAfterPrevious(const Lane &lane) const { return known(lane, kPreviousKernel) != nullptr; }
  /// What an atomic write releases, and what an atomic read that finds this acquires (AtomicFlags).
  Released release(Lane &lane, uint32_t flags);
  void acquire(Lane &lane, const Released &found, uint32_t flags);
  /// By address in this CTA's shared memory.
  Releases releasedAt;

private:
  /// Stands among what is known of other blocks for the kernel before, as a whole. Blocks are numbered from 1.
  static constexpr uint32_t kPreviousKernel = 0;

  /// What a warp, a barrier or an mbarrier knows of the others.
  struct Knowledge {
    VectorClock seen;
    VectorClock fenced; // of that, what the asynchronous proxy sees: what a fence.proxy.async came after
    Horizon others;     // of other blocks
    Released released;  // what a fence came after: relaxed atomics release it
    Released found;     // by relaxed atomics: the next fence acquires it
    void join(const Knowledge &other) {
      seen.join(other.seen);
      fenced.join(other.fenced);
      others.join(other.others);
      released.join(other.released);
      found.join(other.found);
    }
  };
  /// One access on its way into the shadow.
  struct Event {
    Lane &lane;
    const VectorClock &seen; // what the lane knows of this CTA
    Epoch now;
    uint16_t site;
    const uint8_t *value = nullptr; // of a write: the bytes, or null
  };

  const Knowledge &knowledge(const Lane &lane) const { return warps[lane.warp]; }
  /// To be changed: who has joined it must do so again.
  Knowledge &learning(uint32_t warp) {
    ++versions[warp];
    return warps[warp];
  }
  /// What a barrier, or the end, has joined of each warp's knowledge: lanes of a warp mostly bring the same.
  using Versions = uint32_t[kAgentsOfAKind];
  bool brings(Versions &joined, uint32_t warp) const {
    return std::exchange(joined[warp], versions[warp]) != versions[warp];
  }
  bool ordered(Epoch earlier, const Lane &lane, const VectorClock &seen) const;
  bool ordered(Epoch earlier, const Event &event) const;
  /// Of a thread of another CTA: what it knows of this one, and its access now.
  const VectorClock &seenFrom(const Lane &lane) const;
  Epoch remoteNow(const Lane &lane, bool atomic, uint32_t site);
  /// The checker of the CTA of the cluster whose memory this is.
  SharedChecker &elsewhere(const void *address) const;
  /// The clocks of this CTA as others of the cluster see them: what comes next comes after what they tell.
  VectorClock snapshot(const Knowledge &knowledge);
  void tickRemote() { remoteClock = std::min(remoteClock + 1, Epoch::kLastClock); }
  /// What the others of the cluster have released of their accesses to this CTA's memory.
  void noteRemote(Knowledge &knowledge) const;
  void checkEnd(Lane &lane);
  void checkEnded(const Lane &lane, uint32_t site);
  /// Is it in this CTA's shared memory? In another's of its cluster is fine too, anywhere else fails.
  bool inBounds(Lane &lane, const void *address, uint32_t bytes, uint32_t site, const char *what);
  void read(const Event &event, const void *address, uint32_t bytes);
  void write(const Event &event, const void *address, uint32_t bytes);
  void readCell(Cell &cell, const Event &event, uint32_t offset);
  void writeCell(Cell &cell, const Event &event, uint32_t offset, uint32_t bytes);
  void needFence(const Cell &cell, const Event &event, uint32_t offset);
  void race(const char *what, const Event &event, uint32_t offset, Epoch other, uint16_t otherSite);
  void tick(uint32_t warp);
  void done(uint32_t warp, uint32_t agent, uint32_t groups);
  uint32_t block() const { return static_cast<uint32_t>(cta.linear + 1); }
  void acquire(Knowledge &knowledge, const Released &found, bool ofCta);
  void fenceMemory(Lane &lane, bool ofCta);
  static uint32_t indexOf(const Mbarrier *barrier) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(barrier) / sizeof(Mbarrier) % kAgentsOfAKind);
  }

  Cta &cta;
  Checks checks;
  uint32_t bytes = 0;
  bool aged = false; // clocks began again: epochs that others keep mean nothing any more
  Shadow shadow;
  Knowledge warps[kAgentsOfAKind];
  Versions versions = {}; // of `warps`
  Knowledge barriers[kNamedBarriers], cluster, clusterDone;
  Versions barrierJoined[kNamedBarriers] = {}, endingJoined = {};
  Knowledge released[kAgentsOfAKind]; // by warp: what its last fence of cluster scope came after
  Knowledge arriving[kAgentsOfAKind], completed[kAgentsOfAKind]; // by mbarrier
  uint32_t phases[kAgentsOfAKind];                               // by mbarrier: completed
  Versions phaseSeen[kAgentsOfAKind] = {};                       // by mbarrier and warp: that of its last wait
  uint32_t initialised[kAgentsOfAKind];   // by mbarrier: the warp that did, plus 1, until it fences
  uint16_t initialisedAt[kAgentsOfAKind]; // and where
  uint32_t wgmmaFenced = 0;               // warps that have executed wgmma.fence
  uint32_t accessedSince = 0;             // warps that accessed memory since their clock last went on
  uint32_t remoteClock = 1;               // of this CTA's accesses to others' memory
  /// By rank: when that CTA last accessed this one's memory, and where; what the cluster's barrier said of it.
  uint32_t lastRemote[kMaxClusterBlocks] = {}, lastRemoteSite[kMaxClusterBlocks] = {}, arrived[kMaxClusterBlocks] = {};
  /// By mbarrier: the phase in which the last bulk copy completes, plus 1, and where it is.
  uint32_t lastBulk[kAgentsOfAKind] = {}, lastBulkSite[kAgentsOfAKind] = {};
  Knowledge ending; // what its threads knew when they ended
  // What the block used of these, to be cleared before the next.
  uint32_t usedBarriers = ~0u, usedMbarriers = ~0u, usedReleased = ~0u;
  bool usedCluster = true;
  uint32_t copiesSynced[kAgentsOfAKind]; // by warp: cp.async groups waited for before its last barrier or bar.warp.sync
};

} // namespace phobos::host
