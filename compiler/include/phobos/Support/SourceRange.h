// A half-open span of bytes in one source file: what every AST node, diagnostic and, later, IR location is tied to.
// Cheap to copy; the file must outlive it. Offsets count bytes of SourceFile::text(), that is after a byte order mark.
#pragma once

#include <algorithm>
#include <cstdint>

namespace phobos {

class SourceFile;

struct SourceRange {
  const SourceFile *file = nullptr;
  uint32_t begin = 0;
  uint32_t end = 0;

  SourceRange() = default;
  SourceRange(const SourceFile *file, uint32_t begin, uint32_t end) : file(file), begin(begin), end(end) {}

  bool isValid() const { return file != nullptr; }
  uint32_t size() const { return end - begin; }
  bool operator==(const SourceRange &) const = default;

  /// The smallest range over both; an invalid one does not count.
  static SourceRange join(SourceRange a, SourceRange b) {
    if (!a.isValid()) {
      return b;
    }
    if (!b.isValid()) {
      return a;
    }
    return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
  }
};

} // namespace phobos
