// mbarriers, for those who complete their phases.
#pragma once

#include "Cta.h"

namespace phobos::host {

/// The CTA of the cluster in whose shared memory this is; null if it is in none.
Cta *ctaOfShared(Worker &worker, const Cta &near, const void *address);
/// `bytes` bytes have come: of a bulk copy.
void completeBytes(Worker &worker, Cta &near, Mbarrier *barrier, uint32_t bytes);
/// An arrival by this thread's cp.async.
void arriveForCopies(Lane &lane, Mbarrier *barrier, bool counts);

} // namespace phobos::host
