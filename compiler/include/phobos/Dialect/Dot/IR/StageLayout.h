// Between the ops on stages and the layout algebra.
#pragma once

#include "phobos/Dialect/Dot/IR/Dot.h"
#include "phobos/Layout/SharedLayout.h"

namespace phobos::dot {

/// Where the elements of one slot lie, in bytes from the slot's start. Extents are padded up to powers of two.
layout::SharedLayout sharedLayoutOf(StageType stage);

/// The layout of the tile as it is stored: rows first.
layout::LinearLayout storedLayoutOf(StoreAsyncOp store);

} // namespace phobos::dot
