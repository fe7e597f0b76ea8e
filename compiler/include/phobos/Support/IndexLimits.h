// What an index of 32 bits can be relied on to hold.
#pragma once

#include <cstdint>

namespace phobos {

/// Tiles reach past the last element by less than this many elements, and their offsets must not wrap either.
inline constexpr int64_t kTileOverhang = 1 << 20;

/// Extents, and offsets of last elements, with which indices have 32 bits.
inline constexpr int64_t kMaxExtent32 = INT32_MAX - kTileOverhang;

} // namespace phobos
