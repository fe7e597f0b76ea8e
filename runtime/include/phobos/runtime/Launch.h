// From a compiled variant and bound arguments to a plan, and from a plan to one driver call.
#pragma once

#include "phobos/runtime/Kernel.h"
#include "phobos/runtime/Variants.h"

namespace phobos::runtime {

/// Lays out the parameter block of the variant's entry point, with extents and strides filled in.
Result<std::shared_ptr<Plan>> makePlan(const Signature &signature, const Binding &binding, const Variant &variant,
                                       Device &device, const Function &function);

/// The warm path's end: addresses and scalars into a copy of the block on the stack, then the driver.
Status launchPlan(const Signature &signature, const Plan &plan, const Argument *arguments, const Grid &grid,
                  void *stream);

/// An error if the hardware takes no such grid.
Status checkGrid(const Signature &signature, const Grid &grid);

} // namespace phobos::runtime
