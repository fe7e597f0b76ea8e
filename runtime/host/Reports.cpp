// Reports: who is meant, equal ones once, and what a deadlock looks like.
#include "Cta.h"

#include <algorithm>

namespace phobos::host {
namespace {

/// Reports that a worker keeps; a launch ends with the block that made the first.
constexpr size_t kMaxReports = 16;

bool hasExited(const Cta &cta, uint32_t thread) {
  return !(cta.warps[thread / kWarpLanes].alive >> thread % kWarpLanes & 1);
}

std::string waitsFor(const Cta &cta, const Waiting &waiting) {
  switch (waiting.what) {
  case Waiting::For::Program:
    return "for the rest of their warp";
  case Waiting::For::Barrier: {
    auto id = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(waiting.at));
    const NamedBarrier &barrier = cta.barriers[id % kNamedBarriers];
    uint32_t expected = barrier.expected ? barrier.expected : cta.alive;
    return "at barrier " + std::to_string(id) + ", where " + std::to_string(barrier.arrived) + " of " +
           std::to_string(expected) + " threads have arrived";
  }
  case Waiting::For::Mbarrier: {
    auto *barrier = static_cast<const Mbarrier *>(waiting.at);
    auto offset = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(barrier)) & ((1u << kClusterRankShift) - 1);
    return "at the mbarrier at shared memory offset " + std::to_string(offset) + ", in phase " +
           std::to_string(barrier->phase) + ": " + std::to_string(barrier->pending) + " of " +
           std::to_string(barrier->expected) + " arrivals and " + std::to_string(barrier->bytes) + " bytes are to come";
  }
  case Waiting::For::Wgmma:
    return "for the rest of their warpgroup, at a wgmma";
  case Waiting::For::Cluster:
    return "for the rest of their cluster";
  case Waiting::For::Bulk:
    return "for a bulk copy";
  case Waiting::For::Nothing:
    break;
  }
  return "for nothing known";
}

bool sameWait(const Cta &cta, uint32_t a, uint32_t b) {
  if (hasExited(cta, a) || hasExited(cta, b)) {
    return hasExited(cta, a) == hasExited(cta, b);
  }
  const Waiting &x = cta.lanes[a].waiting, &y = cta.lanes[b].waiting;
  return x.what == y.what && x.site == y.site && x.at == y.at;
}

/// Runs of threads that wait for the same, each a note.
void addWaits(const Cta &cta, Report &report) {
  for (uint32_t first = 0, next; first < cta.threads; first = next) {
    for (next = first + 1; next < cta.threads && sameWait(cta, first, next);) {
      ++next;
    }
    std::string who = next == first + 1 ? "thread " + std::to_string(first)
                                        : "threads " + std::to_string(first) + " to " + std::to_string(next - 1);
    if (hasExited(cta, first)) {
      report.notes.push_back({who + (next == first + 1 ? " has exited" : " have exited")});
    } else {
      const Waiting &waiting = cta.lanes[first].waiting;
      report.notes.push_back({who + (next == first + 1 ? " waits " : " wait ") + waitsFor(cta, waiting), waiting.site});
    }
  }
}

} // namespace

std::string describe(const Cta &cta) {
  const uint32_t (&at)[3] = cta.registers.ctaid;
  return "block (" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " + std::to_string(at[2]) + ")";
}

std::string describe(const Cta &cta, uint32_t thread) {
  const Extent3 &block = cta.worker->launch->request.block;
  if (block.y == 1 && block.z == 1) {
    return describe(cta) + ", thread " + std::to_string(thread);
  }
  return describe(cta) + ", thread (" + std::to_string(thread % block.x) + ", " +
         std::to_string(thread / block.x % block.y) + ", " + std::to_string(thread / block.x / block.y) + ")";
}

std::string describe(const Lane &lane) {
  bool loop = lane.cta->worker->launch->request.loop; // which does not tell its thread
  return loop ? describe(*lane.cta) : describe(*lane.cta, lane.index);
}

void addReport(std::vector<Report> &reports, Report found) {
  auto same = [&](const Report &other) { // the same pair of places is one fault, wherever it shows
    if (other.kind != found.kind || other.site != found.site || other.notes.size() != found.notes.size()) {
      return false;
    }
    return std::equal(other.notes.begin(), other.notes.end(), found.notes.begin(),
                      [](const Report::Note &a, const Report::Note &b) { return a.site == b.site; });
  };
  if (reports.size() < kMaxReports && std::none_of(reports.begin(), reports.end(), same)) {
    reports.push_back(std::move(found));
  }
}

void report(Worker &worker, Report found) {
  if (!worker.asserted) { // what the others do after a failed assertion means nothing
    addReport(worker.reports, std::move(found));
  }
}

Report describeDeadlock(Worker &worker) {
  Report found{Report::Kind::Deadlock, "", 0, {}};
  for (uint32_t i = 0; i < worker.active; ++i) {
    const Cta &cta = *worker.ctas[i];
    if (!cta.alive) {
      continue;
    }
    if (found.message.empty()) {
      found.message =
          "deadlock in " + describe(cta) + ": " + std::to_string(cta.alive) + " threads wait, none can go on";
    } else {
      found.notes.push_back({"in " + describe(cta)});
    }
    addWaits(cta, found);
  }
  for (const Report::Note &note : found.notes) {
    found.site = found.site ? found.site : note.site;
  }
  return found;
}

} // namespace phobos::host
