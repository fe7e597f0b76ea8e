// What mma.sync computes for a whole warp, on the words of its 32 lanes. A register over the lanes is a row of 32
// words; with PTX's fragment layouts such a row is, in memory, an 8 x (128 / bits) matrix, so operands are read as they
// lie.
#pragma once

#include <cstdint>

namespace phobos::host {

/// A register over the lanes of a warp.
using LaneWords = uint32_t[32];

enum class MmaElement : uint8_t { F16, BF16, TF32, S8, U8, Count };
enum class MmaSum : uint8_t { F32, F16, S32, S32Saturated, Count };

/// m16n8kK: the words of A, B and the accumulator, as places in `words`. K follows from the element: a quarter word row
/// (K = 128 / bits) or, `wide`, two.
struct MmaPlaces {
  const uint16_t *a, *b, *c, *d;
};

/// Sums in f32 in the order of k with one rounding a step, and rounds the result once. s32 is exact.
using MmaFunction = void (*)(LaneWords *words, const MmaPlaces &places);

/// Null if there is no such instruction.
MmaFunction mmaFunction(MmaElement a, MmaElement b, MmaSum sum, bool wide);

} // namespace phobos::host
