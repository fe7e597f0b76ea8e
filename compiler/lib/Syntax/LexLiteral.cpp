// Extents of numbers, strings and identifiers. The number grammar is that of CPython's tokenizer: 1_000, 0xFF, 1e-3,
// 2j, and `1if x` as a number before a keyword.
#include "LexLiteral.h"
#include "phobos/Support/Utf8.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

namespace phobos::syntax {

namespace {

struct CharRange {
  uint32_t first;
  uint32_t last;
};

#include "UnicodeIdentifiers.inc"

bool contains(llvm::ArrayRef<CharRange> table, uint32_t c) {
  auto it = std::lower_bound(table.begin(), table.end(), c, [](CharRange r, uint32_t v) { return r.last < v; });
  return it != table.end() && it->first <= c;
}

char at(llvm::StringRef text, size_t offset) { return offset < text.size() ? text[offset] : '\0'; }

constexpr unsigned kMaxFStringNesting = 50;
constexpr uint32_t kMaxFStringBytes = 1u << 16; // past this, not believed to be one f-string

} // namespace

unsigned identifierStartLength(llvm::StringRef text, uint32_t offset) {
  char c = at(text, offset);
  if (llvm::isASCII(c)) {
    return llvm::isAlpha(c) || c == '_';
  }
  CodePoint point = decodeUtf8(text, offset);
  return point.isValid() && contains(kIdentifierStart, point.value) ? point.length : 0;
}

unsigned identifierContinueLength(llvm::StringRef text, uint32_t offset) {
  char c = at(text, offset);
  if (llvm::isASCII(c)) {
    return llvm::isAlnum(c) || c == '_';
  }
  CodePoint point = decodeUtf8(text, offset);
  bool continues = contains(kIdentifierStart, point.value) || contains(kIdentifierContinueOnly, point.value);
  return point.isValid() && continues ? point.length : 0;
}

uint32_t lineBreakEnd(llvm::StringRef text, uint32_t offset) {
  if (at(text, offset) == '\r') {
    return offset + (at(text, offset + 1) == '\n' ? 2 : 1);
  }
  return offset + (at(text, offset) == '\n' ? 1 : 0);
}

// --- Numbers
/// digit (_? digit)*, from `pos`; returns `pos` if there is no digit.
template <typename IsDigit> static uint32_t scanDigits(llvm::StringRef text, uint32_t pos, IsDigit isDigit) {
  if (!isDigit(at(text, pos))) {
    return pos;
  }
  for (;;) {
    uint32_t next = pos + (at(text, pos) == '_' ? 1 : 0);
    if (!isDigit(at(text, next))) {
      return pos;
    }
    pos = next + 1;
  }
}

static NumberScan finishNumber(llvm::StringRef text, uint32_t end, const char *problem) {
  static constexpr llvm::StringLiteral kMayFollow[] = {"and", "else", "for", "if", "in", "is", "not", "or"};
  if (!identifierContinueLength(text, end)) {
    return {end, nullptr};
  }
  if (llvm::any_of(kMayFollow, [&](llvm::StringRef word) { return text.substr(end).starts_with(word); })) {
    return {end, nullptr};
  }
  while (unsigned length = identifierContinueLength(text, end)) {
    end += length;
  }
  return {end, problem};
}

NumberScan scanNumber(llvm::StringRef text, uint32_t begin) {
  auto isDecimal = [](char c) { return llvm::isDigit(c); };
  if (at(text, begin) == '0') {
    auto radix = [&](auto isDigit, const char *problem) {
      uint32_t first = begin + 2 + (at(text, begin + 2) == '_' ? 1 : 0);
      uint32_t end = scanDigits(text, first, isDigit);
      // No digit at all: the prefix letter is then what does not belong.
      return finishNumber(text, end == first ? begin + 1 : end, problem);
    };
    switch (llvm::toLower(at(text, begin + 1))) {
    case 'x':
      return radix([](char c) { return llvm::isHexDigit(c); }, "invalid hexadecimal literal");
    case 'o':
      return radix([](char c) { return c >= '0' && c <= '7'; }, "invalid octal literal");
    case 'b':
      return radix([](char c) { return c == '0' || c == '1'; }, "invalid binary literal");
    default:
      break;
    }
  }
  uint32_t end = scanDigits(text, begin, isDecimal);
  uint32_t intEnd = end;
  bool isInt = true;
  if (at(text, end) == '.') {
    end = scanDigits(text, end + 1, isDecimal);
    isInt = false;
  }
  if (llvm::toLower(at(text, end)) == 'e') {
    uint32_t digits = end + 1 + (at(text, end + 1) == '+' || at(text, end + 1) == '-' ? 1 : 0);
    uint32_t past = scanDigits(text, digits, isDecimal);
    if (past != digits) {
      end = past;
      isInt = false;
    }
  }
  if (llvm::toLower(at(text, end)) == 'j') {
    return finishNumber(text, end + 1, "invalid imaginary literal");
  }
  NumberScan scan = finishNumber(text, end, "invalid decimal literal");
  bool zeroFirst = isInt && at(text, begin) == '0';
  if (zeroFirst && text.slice(begin, intEnd).find_first_not_of("0_") != llvm::StringRef::npos) {
    scan.problem = "leading zeros in an integer literal are not permitted; an octal number is written 0o17";
  }
  return scan;
}

// --- Strings
size_t stringPrefixLength(llvm::StringRef text, uint32_t begin) {
  size_t length = 0;
  while (length < 3 && llvm::isAlpha(at(text, begin + length))) {
    ++length;
  }
  char quote = at(text, begin + length);
  if (quote != '"' && quote != '\'') {
    return llvm::StringRef::npos;
  }
  std::string prefix = text.substr(begin, length).lower();
  static constexpr llvm::StringLiteral kPrefixes[] = {"", "b", "r", "u", "f", "br", "rb", "fr", "rf"};
  return llvm::is_contained(kPrefixes, llvm::StringRef(prefix)) ? length : llvm::StringRef::npos;
}

namespace {

struct Quote {
  Quote(llvm::StringRef text, uint32_t begin) : mark(text[begin]) {
    triple = at(text, begin + 1) == mark && at(text, begin + 2) == mark;
  }
  uint32_t length() const { return triple ? 3 : 1; }
  bool closesAt(llvm::StringRef text, uint32_t pos) const {
    return at(text, pos) == mark && (!triple || (at(text, pos + 1) == mark && at(text, pos + 2) == mark));
  }
  char mark;
  bool triple;
};

/// Past a backslash and what it escapes.
uint32_t skipEscape(llvm::StringRef text, uint32_t pos) {
  uint32_t past = lineBreakEnd(text, pos + 1);
  return std::min<uint32_t>(past == pos + 1 ? pos + 2 : past, text.size());
}

} // namespace

StringScan scanString(llvm::StringRef text, uint32_t begin) {
  Quote quote(text, begin);
  for (uint32_t pos = begin + quote.length(); pos < text.size();) {
    if (quote.closesAt(text, pos)) {
      return {pos + quote.length(), true};
    }
    if (text[pos] == '\\') {
      pos = skipEscape(text, pos);
    } else if (!quote.triple && lineBreakEnd(text, pos) != pos) {
      return {pos, false};
    } else {
      ++pos;
    }
  }
  return {static_cast<uint32_t>(text.size()), false};
}

namespace {

/// Follows PEP 701: literal parts, replacement fields, format specifiers, strings nested in fields. kFail ends
/// everything.
class FStringScanner {
public:
  FStringScanner(llvm::StringRef text, uint32_t begin)
      : text(text), limit(std::min<uint32_t>(text.size(), begin + kMaxFStringBytes)) {}

  static constexpr uint32_t kFail = UINT32_MAX;

  /// From the opening quote to past the closing one.
  uint32_t string(uint32_t begin) {
    Quote quote(text, begin);
    for (uint32_t pos = begin + quote.length(); pos < limit;) {
      if (quote.closesAt(text, pos)) {
        return pos + quote.length();
      }
      if (text.substr(pos).starts_with("{{")) {
        pos += 2;
      } else if ((pos = literalOrField(pos, quote)) == kFail) {
        return kFail;
      }
    }
    return kFail;
  }

private:
  /// One character of literal text, or one field.
  uint32_t literalOrField(uint32_t pos, Quote quote) {
    char c = text[pos];
    if (c == '{') {
      return field(pos + 1, quote);
    }
    if (c == '\\') {
      if (text.substr(pos).starts_with("\\N{")) {
        size_t close = text.find('}', pos);
        return close < limit ? static_cast<uint32_t>(close + 1) : kFail;
      }
      char next = at(text, pos + 1);
      return next == '{' || next == '}' ? pos + 1 : skipEscape(text, pos);
    }
    if (!quote.triple && lineBreakEnd(text, pos) != pos) {
      return kFail;
    }
    return pos + 1;
  }

  /// From after the `{` to past its `}`.
  uint32_t field(uint32_t pos, Quote quote) {
    if (++nesting > kMaxFStringNesting) {
      return kFail;
    }
    unsigned brackets = 0;
    while (pos < limit) {
      char c = text[pos];
      if (c == '\'' || c == '"') {
        pos = nestedString(pos);
        if (pos == kFail) {
          return kFail;
        }
        continue;
      }
      if (c == '#') {
        pos = std::min<size_t>(text.find_first_of("\r\n", pos), limit);
        continue;
      }
      if (c == '(' || c == '[' || c == '{') {
        ++brackets;
      } else if (brackets == 0 && (c == '}' || c == ':')) {
        uint32_t end = c == '}' ? pos + 1 : formatSpec(pos + 1, quote);
        --nesting;
        return end;
      } else if (c == ')' || c == ']' || c == '}') {
        if (brackets-- == 0) {
          return kFail;
        }
      }
      ++pos;
    }
    return kFail;
  }

  uint32_t formatSpec(uint32_t pos, Quote quote) {
    while (pos < limit && !quote.closesAt(text, pos)) {
      if (text[pos] == '}') {
        return pos + 1;
      }
      if ((pos = literalOrField(pos, quote)) == kFail) {
        return kFail;
      }
    }
    return kFail;
  }

  uint32_t nestedString(uint32_t quote) {
    bool formatted = false;
    for (uint32_t i = quote; i > 0 && llvm::isAlpha(text[i - 1]) && quote - i < 2; --i) {
      formatted |= llvm::toLower(text[i - 1]) == 'f';
    }
    if (!formatted) {
      StringScan scan = scanString(text, quote);
      return scan.terminated ? scan.end : kFail;
    }
    if (++nesting > kMaxFStringNesting) {
      return kFail;
    }
    uint32_t end = string(quote);
    --nesting;
    return end;
  }

  llvm::StringRef text;
  uint32_t limit;
  unsigned nesting = 0;
};

} // namespace

StringScan scanFString(llvm::StringRef text, uint32_t quote) {
  uint32_t end = FStringScanner(text, quote).string(quote);
  if (end == FStringScanner::kFail || end > text.size()) {
    return {quote, false};
  }
  return {end, true};
}

} // namespace phobos::syntax
