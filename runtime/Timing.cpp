// Times device work by graph replays on a stream of its own.
#include "phobos/runtime/Timing.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace phobos::runtime::cuda {
namespace {

constexpr double kReplayMilliseconds = 2.0; // long enough for the events' half microsecond not to matter
constexpr int kMaxRunsInGraph = 200;
constexpr int kReplays = 7;
constexpr int kMaxCalls = 1000; // between two events
// A chip at its power limit gives less clock after heavy work than after rest: without the same rest before each, what
// is timed first looks fastest.
constexpr std::chrono::milliseconds kRest{50};

Error failure(const char *function, CuResult result) { return Error::launch(errorText(function, result)); }

/// Everything made for one timing, destroyed at its end whatever happened.
struct Resources {
  explicit Resources(const Api &api) : api(api) {}
  ~Resources() {
    if (exec) {
      api.graphExecDestroy(exec);
    }
    if (graph) {
      api.graphDestroy(graph);
    }
    for (CuEvent event : {begin, end}) {
      if (event) {
        api.eventDestroy(event);
      }
    }
    if (stream && ownsStream) {
      api.streamDestroy(stream);
    }
  }
  Resources(const Resources &) = delete;
  Resources &operator=(const Resources &) = delete;

  const Api &api;
  CuStream stream = nullptr;
  bool ownsStream = true;
  CuEvent begin = nullptr, end = nullptr;
  CuGraph graph = nullptr;
  CuGraphExec exec = nullptr;
};

/// Milliseconds between two events around `enqueue`.
template <typename F> Result<double> between(Resources &r, F enqueue) {
  if (CuResult result = r.api.eventRecord(r.begin, r.stream); result != kSuccess) {
    return failure("cuEventRecord", result);
  }
  if (Status status = enqueue(); !status) {
    return status.error();
  }
  if (CuResult result = r.api.eventRecord(r.end, r.stream); result != kSuccess) {
    return failure("cuEventRecord", result);
  }
  if (CuResult result = r.api.eventSynchronize(r.end); result != kSuccess) {
    return failure("cuEventSynchronize", result);
  }
  float milliseconds = 0;
  if (CuResult result = r.api.eventElapsedTime(&milliseconds, r.begin, r.end); result != kSuccess) {
    return failure("cuEventElapsedTime", result);
  }
  return milliseconds;
}

Status record(Resources &r, const std::function<Status(void *)> &work, int runs) {
  if (CuResult result = r.api.streamBeginCapture(r.stream, kCaptureThreadLocal); result != kSuccess) {
    return failure("cuStreamBeginCapture", result);
  }
  Status status;
  for (int i = 0; i < runs && status; ++i) {
    status = work(r.stream);
  }
  CuResult result =
      r.api.streamEndCapture(r.stream, &r.graph); // also after a failure: the stream must not stay recording
  if (!status) {
    return status;
  }
  if (result != kSuccess) {
    return failure("cuStreamEndCapture", result);
  }
  result = r.api.graphInstantiate(&r.exec, r.graph, 0);
  return result == kSuccess ? Status() : Status(failure("cuGraphInstantiate", result));
}

} // namespace

Result<double> timeWithGraphs(const Api &api, const std::function<Status(void *)> &work) {
  Resources r(api);
  constexpr unsigned kNonBlocking = 1;
  if (CuResult result = api.streamCreate(&r.stream, kNonBlocking); result != kSuccess) {
    return failure("cuStreamCreate", result);
  }
  for (CuEvent *event : {&r.begin, &r.end}) {
    if (CuResult result = api.eventCreate(event, 0); result != kSuccess) {
      return failure("cuEventCreate", result);
    }
  }
  // The first run loads code and faults pages in; the second is an estimate.
  double estimate = 0;
  for (int i = 0; i < 2; ++i) {
    auto once = between(r, [&] { return work(r.stream); });
    if (!once) {
      return once.error();
    }
    estimate = *once;
  }
  int runs = static_cast<int>(std::clamp(kReplayMilliseconds / std::max(estimate, 1e-3), 1.0, double(kMaxRunsInGraph)));
  if (Status status = record(r, work, runs); !status) {
    return status.error();
  }
  std::this_thread::sleep_for(kRest);
  std::vector<double> times;
  for (int i = 0; i <= kReplays; ++i) {
    auto replay = between(r, [&]() -> Status {
      CuResult result = api.graphLaunch(r.exec, r.stream);
      return result == kSuccess ? Status() : Status(failure("cuGraphLaunch", result));
    });
    if (!replay) {
      return replay.error();
    }
    if (i > 0) { // the first replay uploads the graph
      times.push_back(*replay / runs);
    }
  }
  std::nth_element(times.begin(), times.begin() + kReplays / 2, times.end());
  return times[kReplays / 2];
}

Result<double> timeWithEvents(const Api &api, CuStream stream, const std::function<Status()> &work) {
  Resources r(api);
  r.stream = stream;
  r.ownsStream = false;
  for (CuEvent *event : {&r.begin, &r.end}) {
    if (CuResult result = api.eventCreate(event, 0); result != kSuccess) {
      return failure("cuEventCreate", result);
    }
  }
  std::vector<double> times;
  int calls = 1;
  for (int i = 0; i < kReplays + 2; ++i) { // the first two warm up and estimate
    auto taken = between(r, [&]() -> Status {
      Status status;
      for (int call = 0; call < calls && status; ++call) {
        status = work();
      }
      return status;
    });
    if (!taken) {
      return taken.error();
    }
    if (i == 1) {
      calls = static_cast<int>(std::clamp(kReplayMilliseconds / std::max(*taken, 1e-3), 1.0, double(kMaxCalls)));
    } else if (i > 1) {
      times.push_back(*taken / calls);
    }
  }
  std::nth_element(times.begin(), times.begin() + kReplays / 2, times.end());
  return times[kReplays / 2];
}

} // namespace phobos::runtime::cuda
