// Faults of simulated code: an access to memory that is not there ends the launch with a report, not the process.
#pragma once

#include "Cta.h"

namespace phobos::host {

/// While one lives, faults on threads that watch a worker are the kernel's. What handled them before is put back at the
/// end.
class FaultHandler {
public:
  FaultHandler();
  ~FaultHandler();
  FaultHandler(const FaultHandler &) = delete;
  FaultHandler &operator=(const FaultHandler &) = delete;
};

/// This thread runs `worker`'s fibers from now on; null: no longer.
void watchFaults(Worker *worker);

} // namespace phobos::host
