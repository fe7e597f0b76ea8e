// The threads that simulate, one for each core, kept for the life of the process. One launch runs at a time; its caller
// waits and looks, now and then, whether it was interrupted.
#pragma once

#include <functional>

namespace phobos::host {

/// $PHOBOS_SIM_WORKERS, else the cores that this process may use.
unsigned workerCount();

/// Runs `work(i)` for i in [0, workers) on threads of the pool and waits for all of them. `poll` is called on the
/// caller's thread every 50 ms.
void runOnPool(unsigned workers, const std::function<void(unsigned)> &work, const std::function<void()> &poll);

} // namespace phobos::host
