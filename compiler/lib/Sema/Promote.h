// Which element two operands meet at, and whether a literal fits one: the rules of the language in one place.
#pragma once

#include "phobos/Driver/Contract.h"
#include "phobos/Sema/Types.h"
#include <optional>
#include <string>

namespace phobos::sema {

/// How strongly an operand insists on its element.
enum class Strength : uint8_t {
  Literal, ///< a Python constant: takes the other side's dtype
  Scalar,  ///< a run-time scalar; an index among them takes a tile's dtype
  Tile,
};

struct Party {
  Element element = Element::index(); ///< of a Literal: bool, index or f32
  Strength strength = Strength::Literal;
};

/// The element both sides are computed in; none if there is no such. `comparing`: an index must not lose bits to a
/// narrow tile.
std::optional<Element> join(Party a, Party b, bool comparing);

/// As join for two typed values: wider float wins, f16 with bf16 meets at f32, an integer takes the float, signed and
/// unsigned meet at the next signed width.
std::optional<Element> joinStrong(Element a, Element b);

/// The element of a literal that meets nothing.
Element elementOf(const ConstantValue &value);

/// Empty if the number can stand as `element`; else why not: "300 does not fit in i8 (-128 to 127)".
std::string whyNotFits(const ConstantValue &value, Element element);

/// What sums and products of `element` accumulate in.
Element accumulatorOf(Element element);
/// What a dot of two operands accumulates in; none if they cannot be multiplied.
std::optional<Element> dotResult(Element a, Element b);

/// Least and greatest of an integer element that is not u64 (whose greatest is beyond int64_t).
std::pair<int64_t, int64_t> integerRange(Element element);

} // namespace phobos::sema
