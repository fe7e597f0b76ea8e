// Between the stage type and the algebra's shared-memory layouts.
#pragma once

#include "phobos/Dialect/Dot/IR/Dot.h"
#include "phobos/Layout/SharedLayout.h"

namespace phobos::dot {

/// Where the elements of one slot lie, in bytes from the slot's start. Extents are padded up to powers of two.
layout::SharedLayout sharedLayoutOf(StageType stage);

} // namespace phobos::dot
