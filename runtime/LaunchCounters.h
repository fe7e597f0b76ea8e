// Counters in device memory that belong to a launch (EntryParameter::Kind::Counters): blocks drawn by a persistent
// kernel, and arrivals at the barrier of the grid.
//
// Each launch leaves them as it must find them. Launches of one stream follow one another,
// so a stream has one set. What is recorded for a graph may run beside its stream and beside the rest of the graph:
// each recorded launch has one to itself. They are never freed: launches of a stream that is destroyed, or of a graph,
// may still be running.
#pragma once

#include "phobos/runtime/CudaDriver.h"

#include <map>
#include <mutex>
#include <utility>

namespace phobos::runtime::cuda {

class LaunchCounters {
public:
  /// The counters of the next launch on `stream`; the device's context is current.
  Result<void *> of(const Api &api, CuStream stream);

private:
  Status grow(const Api &api);

  std::mutex mutex;
  std::map<unsigned long long, CuAddress> counters; // by stream
  CuAddress next = 0, end = 0;                      // room for more
};

} // namespace phobos::runtime::cuda
