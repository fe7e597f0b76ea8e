// Counters in device memory from which persistent kernels draw blocks (`@ph.persistent(order="queue")`).
//
// A counter is 0 between launches: the last draw of a launch sets it back. Launches of one stream follow one another,
// so a stream has one. What is recorded for a graph may run beside its stream and beside the rest of the graph: each
// recorded launch has one to itself. Counters are never freed: launches of a stream that is destroyed, or of a graph,
// may still be running.
#pragma once

#include "phobos/runtime/CudaDriver.h"

#include <map>
#include <mutex>
#include <utility>

namespace phobos::runtime::cuda {

class Queues {
public:
  /// Of the next launch on `stream`; the device's context is current.
  Result<void *> counter(const Api &api, CuStream stream);

private:
  Status grow(const Api &api);

  std::mutex mutex;
  std::map<unsigned long long, CuAddress> counters; // by stream
  CuAddress next = 0, end = 0;                      // room for more
};

} // namespace phobos::runtime::cuda
