// cp.async: copies lie in the thread's queue until one of its waits, or its exit, asks for them. A missing wait shows
// as stale data, not as luck.
#include "Counting.h"
#include "Cta.h"
#include "Global.h"
#include "Mbarrier.h"
#include "Races.h"

#include <cstring>

namespace phobos::host {

void land(Lane &lane, uint32_t end) {
  while (static_cast<int32_t>(end - lane.copies.head()) > 0) {
    const AsyncCopy &copy = lane.copies.front();
    if (copy.target) {
      if (copy.bytes == 16) { // nearly always
        std::memcpy(copy.target, copy.source, 16);
      } else {
        if (copy.bytes) {
          std::memcpy(copy.target, copy.source, copy.bytes);
        }
        std::memset(copy.target + copy.bytes, 0, copy.size - copy.bytes);
      }
      ++lane.cta->worker->counters.copies;
      lane.copies.pop();
    } else { // an arrival that waited for the copies before it
      auto *barrier = const_cast<uint8_t *>(copy.source);
      bool counts = copy.bytes != 0;
      lane.copies.pop();
      arriveForCopies(lane, reinterpret_cast<Mbarrier *>(barrier), counts);
    }
  }
}

namespace calls {

void copyAsync(ThreadContext *thread, void *target, const void *source, uint32_t size, uint32_t bytes, uint32_t site) {
  Lane &lane = laneOf(thread);
  if (lane.cta->checker) { // it may be written from now on
    lane.cta->checker->copyWrite(lane, static_cast<uint8_t *>(target), size, lane.copyGroups.tail() + 1, site);
  }
  bytes = bytes < size ? bytes : size;
  if (Counting *counting = lane.cta->worker->counting.get()) {
    counting->instruction(site, InstructionClass::Copy, 1);
    counting->shared(lane, target, size, site);
    if (bytes) {
      counting->global(lane, source, bytes, site);
    }
  }
  GlobalChecker *global = lane.cta->worker->launch->global.get();
  if (global && bytes) {
    global->access(lane, source, nullptr, bytes, Access::load, site);
  }
  lane.copies.push({static_cast<uint8_t *>(target), static_cast<const uint8_t *>(source), static_cast<uint16_t>(size),
                    static_cast<uint16_t>(bytes), site});
}

void copyCommit(ThreadContext *thread, uint32_t) {
  Lane &lane = laneOf(thread);
  lane.copyGroups.push(lane.copies.tail());
}

void copyWait(ThreadContext *thread, uint32_t pending, uint32_t site) {
  Lane &lane = laneOf(thread);
  if (pending == ~0u) { // committed or not
    lane.copyGroups.push(lane.copies.tail());
    pending = 0;
  }
  while (lane.copyGroups.size() > pending) {
    land(lane, lane.copyGroups.front());
    lane.copyGroups.pop();
  }
  if (lane.cta->checker) {
    lane.cta->checker->copiesDone(lane, lane.copyGroups.head());
  }
}

void copyArrive(ThreadContext *thread, void *barrier, uint32_t noIncrement, uint32_t site) {
  Lane &lane = laneOf(thread);
  auto *mbarrier = static_cast<Mbarrier *>(barrier);
  if (!noIncrement) { // the arrival to come is one more than the barrier was made for
    ++mbarrier->pending;
  }
  if (lane.copies.empty()) {
    return arriveForCopies(lane, mbarrier, true);
  }
  lane.copies.push({nullptr, static_cast<const uint8_t *>(barrier), 0, 1, site});
}

} // namespace calls
} // namespace phobos::host
