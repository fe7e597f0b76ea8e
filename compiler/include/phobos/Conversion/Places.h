// Locations of ops as places in a file.
#pragma once

#include "mlir/IR/Location.h"

namespace phobos {

/// The innermost place in a file that a location speaks of: inside a device function, its own. Null if there is none.
mlir::FileLineColLoc placeOf(mlir::Location location);

} // namespace phobos
