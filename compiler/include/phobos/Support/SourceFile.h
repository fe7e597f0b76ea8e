// The text of one source file with its line table. Lines end at \n, \r\n or \r, as Python reads them. A UTF-8 byte
// order mark is dropped, so offset 0 is the first character. Any bytes are accepted: an invalid UTF-8 byte counts as
// one character. Lines and columns are 1-based.
#pragma once

#include "phobos/Support/SourceRange.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>
#include <vector>

namespace phobos {

/// Tabs are expanded to multiples of this many columns wherever a source line is shown.
inline constexpr unsigned kTabColumns = 8;
/// Offsets are 32 bits wide: a longer text must not come here.
inline constexpr uint64_t kMaxFileBytes = 1u << 30;

struct LineColumn {
  unsigned line = 0;   ///< 1-based
  unsigned column = 0; ///< 1-based, in characters (code points)
};

class SourceFile {
public:
  SourceFile(std::string path, std::string text);
  SourceFile(const SourceFile &) = delete;
  SourceFile &operator=(const SourceFile &) = delete;

  llvm::StringRef path() const { return filePath; }
  llvm::StringRef text() const { return contents; }
  llvm::StringRef text(SourceRange range) const;
  uint32_t size() const { return static_cast<uint32_t>(contents.size()); }

  unsigned lineCount() const { return static_cast<unsigned>(lineStarts.size()); }
  unsigned lineNumber(uint32_t offset) const;
  LineColumn lineColumn(uint32_t offset) const;
  /// Byte offset of the first character of a 1-based line.
  uint32_t lineStart(unsigned line) const { return lineStarts[line - 1]; }
  /// The line without its terminator.
  llvm::StringRef lineText(unsigned line) const;

  /// 1-based column on a terminal: tabs expanded, wide characters two columns, combining ones none.
  unsigned displayColumn(uint32_t offset) const;
  /// The line as renderers print it: tabs to spaces, control and invalid bytes to U+FFFD; aligned with displayColumn.
  std::string displayLine(unsigned line) const;

private:
  std::string filePath;
  std::string contents;
  std::vector<uint32_t> lineStarts;
};

} // namespace phobos
