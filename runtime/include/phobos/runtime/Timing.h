// The time of a piece of device work: recorded into a CUDA graph often enough to last a while, replayed, the median
// taken. Graph replays leave the host's launch cost out.
#pragma once

#include "phobos/runtime/CudaDriver.h"

#include <functional>

namespace phobos::runtime::cuda {

/// Median milliseconds of one run of `work`. The device's context must be current. `work` runs many times.
Result<double> timeWithGraphs(const Api &api, const std::function<Status(void *stream)> &work);

/// The same by events on a stream of the caller's: for work that cannot be recorded. Launch cost shows where it is the
/// longer.
Result<double> timeWithEvents(const Api &api, CuStream stream, const std::function<Status()> &work);

} // namespace phobos::runtime::cuda
