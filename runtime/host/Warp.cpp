// Warp programs: lanes meet, the last to arrive runs the whole program for all and goes on without a switch. A lane
// writes operands into its own column only, and reads its results before it can write again, so one buffer does.
#include "Warp.h"

#include "Counting.h"

#include "Cta.h"

namespace phobos::host {
namespace {

/// Runs the program that `meeting` was about for its lanes, and wakes them.
void run(Cta &cta, Warp &warp, int which) {
  Meeting meeting = warp.meeting[which];
  warp.meeting[which] = warp.meeting[--warp.meetings];
  uint32_t lanes = meeting.mask & warp.alive;
  Counters &counters = cta.worker->counters;
  ++counters.programs;
  counters.warpOps += meeting.count;
  if (Counting *counting = cta.worker->counting.get()) {
    counting->program(meeting.ops, meeting.count, static_cast<uint32_t>(__builtin_popcount(lanes)));
  }
  runProgram(cta, warp, meeting.ops, meeting.count, lanes);
  wake(cta, warp.index, lanes);
}

} // namespace

void meetingsAfterExit(Cta &cta, Warp &warp) {
  for (int i = 0; i < warp.meetings; ++i) {
    if (uint32_t lanes = warp.meeting[i].mask & warp.alive; lanes && warp.meeting[i].arrived == lanes) {
      run(cta, warp, i--);
    }
  }
}

void calls::warpProgram(ThreadContext *thread, const WarpOp *ops, uint32_t count, uint32_t mask) {
  Lane &lane = laneOf(thread);
  Warp &warp = *lane.itsWarp;
  int i = 0;
  while (i < warp.meetings && (warp.meeting[i].ops != ops || warp.meeting[i].mask != mask)) {
    ++i;
  }
  if (i == warp.meetings) {
    warp.meeting[warp.meetings++] = {ops, count, mask, 0};
  }
  Meeting &meeting = warp.meeting[i];
  meeting.arrived |= laneBit(lane);
  if (meeting.arrived == (mask & warp.alive)) {
    return run(*lane.cta, warp, i);
  }
  block(lane, {Waiting::For::Program, count ? ops->site : 0, ops});
}

} // namespace phobos::host
