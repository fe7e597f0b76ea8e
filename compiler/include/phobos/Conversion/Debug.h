// What the lowering of printing and assertions tells the simulator beside the calls that a GPU's device runtime
// understands: attributes of calls of vprintf.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace phobos::lowering {

/// An i32: so many of the arguments after the three that number the block are the index of a tile's element.
inline constexpr llvm::StringLiteral kCoordinatesAttr = "tile.coordinates";
/// A string, a format of the same arguments: the line is about the assertion that fails next, of which this is a note.
inline constexpr llvm::StringLiteral kExplainsAttr = "tile.explains";

} // namespace phobos::lowering
