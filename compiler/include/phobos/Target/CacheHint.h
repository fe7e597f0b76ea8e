// The attribute of loads that says how caches are to treat them.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace phobos::target {

/// A string, as PTX has it: ".cg", ".L1::evict_last" (PTX ISA, "ld"). Of tile.load, and of llvm.load where it is
/// lowered; the simulator has no caches.
inline constexpr llvm::StringLiteral kCacheHintAttr = "cache.hint";

} // namespace phobos::target
