// Elements of memory by type: their sizes, and arithmetic on them that other workers cannot tear.
#pragma once

#include "phobos/host/Abi.h"

namespace phobos::host {

uint32_t elementBytes(Element element);
/// What a tensor map's NaN fill writes.
uint64_t nanBits(Element element);
/// *target = *target OP *value, atomically: a reduction of TMA.
void combineAtomically(Element element, BulkReduction kind, void *target, const void *value);

} // namespace phobos::host
