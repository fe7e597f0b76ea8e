// Atomic accesses: what orders threads that meet at an address, in shared or in global memory. Between begin and end
// nobody else is at the address, so that who reads a value acquires what its writer released, neither more nor less.
#include "Global.h"
#include "Mbarrier.h"
#include "Races.h"

namespace phobos::host {
namespace {

/// A thread has done its access to an address.
void settle(Lane &lane, Releases &releases, const void *address, uint32_t flags, bool wrote) {
  SharedChecker &clocks = *lane.cta->checker;
  auto key = reinterpret_cast<uintptr_t>(address);
  auto found = releases.find(key);
  if (found != releases.end() && (flags & kAtomicReads)) {
    clocks.acquire(lane, found->second, flags);
  }
  if (!wrote || !(flags & kAtomicWrites)) {
    return;
  }
  if (found != releases.end() && !(flags & kAtomicReads)) {
    releases.erase(found); // what others released cannot be read any more
  }
  Released released = clocks.release(lane, flags);
  if (!released.empty()) {
    releases[key].join(released);
  }
}

} // namespace

void GlobalChecker::meet(Lane &lane, const void *address) {
  std::mutex &mutex = meetingAt(address).mutex;
  mutex.lock();
  lane.cta->worker->meeting = &mutex;
}

void GlobalChecker::part(Lane &lane, const void *address, uint32_t flags, bool wrote) {
  settle(lane, meetingAt(address).released, address, flags, wrote);
  lane.cta->worker->endMeeting();
}

void Worker::endMeeting() {
  if (meeting) {
    meeting->unlock();
    meeting = nullptr;
  }
}

namespace calls {

void atomicBegin(ThreadContext *thread, const void *address, uint32_t bytes, uint32_t flags, uint32_t site) {
  Lane &lane = laneOf(thread);
  SharedChecker *clocks = lane.cta->checker.get();
  if (ctaOfShared(*lane.cta->worker, *lane.cta, address)) {
    if (clocks) {
      clocks->atomic(lane, address, bytes, flags, site);
    }
  } else if (GlobalChecker *global = lane.cta->worker->launch->global.get()) {
    global->access(lane, address, nullptr, bytes, Access::atomic, flags, site);
    if (clocks && lane.cta->worker->launch->request.checks.race) {
      global->meet(lane, address);
    }
  }
}

void atomicEnd(ThreadContext *thread, const void *address, uint32_t flags, uint32_t wrote) {
  Lane &lane = laneOf(thread);
  if (!lane.cta->checker || !lane.cta->worker->launch->request.checks.race) {
    return;
  }
  if (Cta *home = ctaOfShared(*lane.cta->worker, *lane.cta, address)) {
    settle(lane, home->checker->releasedAt, address, flags, wrote != 0);
  } else {
    lane.cta->worker->launch->global->part(lane, address, flags, wrote != 0);
  }
}

} // namespace calls
} // namespace phobos::host
