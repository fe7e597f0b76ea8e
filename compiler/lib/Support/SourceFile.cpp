// Line table, and the two notions of column: characters for messages, terminal cells for carets.
#include "phobos/Support/SourceFile.h"
#include "phobos/Support/Utf8.h"
#include "llvm/Support/Unicode.h"

namespace phobos {

static constexpr llvm::StringLiteral kByteOrderMark = "\xEF\xBB\xBF";
static constexpr llvm::StringLiteral kReplacement = "\xEF\xBF\xBD";

SourceFile::SourceFile(std::string path, std::string text) : filePath(std::move(path)), contents(std::move(text)) {
  if (llvm::StringRef(contents).starts_with(kByteOrderMark)) {
    contents.erase(0, kByteOrderMark.size());
  }
  lineStarts.push_back(0);
  for (size_t i = 0; i < contents.size(); ++i) {
    bool returnOnly = contents[i] == '\r' && (i + 1 == contents.size() || contents[i + 1] != '\n');
    if (contents[i] == '\n' || returnOnly) {
      lineStarts.push_back(static_cast<uint32_t>(i + 1));
    }
  }
}

llvm::StringRef SourceFile::text(SourceRange range) const { return text().slice(range.begin, range.end); }

unsigned SourceFile::lineNumber(uint32_t offset) const {
  auto after = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  return static_cast<unsigned>(after - lineStarts.begin());
}

LineColumn SourceFile::lineColumn(uint32_t offset) const {
  LineColumn where{lineNumber(offset), 1};
  for (uint32_t i = lineStart(where.line); i < offset && i < size(); ++where.column) {
    i += decodeUtf8(contents, i).length;
  }
  return where;
}

llvm::StringRef SourceFile::lineText(unsigned line) const {
  uint32_t end = line < lineCount() ? lineStarts[line] : size();
  return text().slice(lineStart(line), end).rtrim("\r\n");
}

/// Cells that one character takes at a 0-based column, and the text that shows it.
static std::pair<unsigned, llvm::StringRef> displayCell(llvm::StringRef line, size_t at, unsigned length,
                                                        unsigned column) {
  static constexpr llvm::StringLiteral kSpaces = "        ";
  static_assert(kSpaces.size() == kTabColumns);
  llvm::StringRef bytes = line.substr(at, length);
  if (bytes == "\t") {
    unsigned width = kTabColumns - column % kTabColumns;
    return {width, kSpaces.take_front(width)};
  }
  int width = decodeUtf8(line, at).isValid() ? llvm::sys::unicode::columnWidthUTF8(bytes) : -1;
  if (width < 0) {
    return {1, kReplacement};
  }
  return {static_cast<unsigned>(width), bytes};
}

unsigned SourceFile::displayColumn(uint32_t offset) const {
  unsigned lineIndex = lineNumber(offset);
  llvm::StringRef line = lineText(lineIndex);
  size_t stop = offset - lineStart(lineIndex);
  unsigned column = 0;
  for (size_t i = 0; i < stop && i < line.size();) {
    unsigned length = decodeUtf8(line, i).length;
    column += displayCell(line, i, length, column).first;
    i += length;
  }
  return column + 1;
}

std::string SourceFile::displayLine(unsigned lineIndex) const {
  llvm::StringRef line = lineText(lineIndex);
  std::string shown;
  unsigned column = 0;
  for (size_t i = 0; i < line.size();) {
    unsigned length = decodeUtf8(line, i).length;
    auto [width, cell] = displayCell(line, i, length, column);
    shown += cell;
    column += width;
    i += length;
  }
  return shown;
}

} // namespace phobos
