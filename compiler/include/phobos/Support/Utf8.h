// One code point at a time out of, and into, UTF-8. Decoding is strict (no overlong forms, no surrogates, at most
// U+10FFFF) and total: a byte that starts no valid sequence is one invalid character of length one.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace phobos {

struct CodePoint {
  static constexpr uint32_t kInvalid = 0xFFFFFFFF;
  uint32_t value;
  unsigned length; ///< bytes, at least 1

  bool isValid() const { return value != kInvalid; }
};

/// Decodes the character at `offset`, which must lie in `text`.
CodePoint decodeUtf8(llvm::StringRef text, size_t offset);

/// Appends `value`; surrogates are written as the three bytes that their number gives, as Python's surrogatepass does.
void appendUtf8(std::string &out, uint32_t value);

} // namespace phobos
