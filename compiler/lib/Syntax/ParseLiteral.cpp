// The values of number and string literals.
#include "ParserImpl.h"
#include "phobos/Support/Utf8.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace phobos::syntax {

static constexpr size_t kMaxIntegerDigits = 4300; // as CPython's limit on int literals; conversion is quadratic

Expr *Parser::parseNumber() {
  SourceRange range = rangeOf(current());
  std::string digits;
  for (char c : textOf(current())) {
    if (c != '_') {
      digits.push_back(llvm::toLower(c));
    }
  }
  llvm::StringRef text = digits;
  unsigned radix =
      llvm::StringSwitch<unsigned>(text.take_front(2)).Case("0x", 16).Case("0o", 8).Case("0b", 2).Default(10);
  if (radix == 10 && text.ends_with("j")) {
    return unsupported(range, "a complex number");
  }
  advance();
  if (radix == 10 && text.find_first_of(".e") != llvm::StringRef::npos) {
    // Too large is infinity and too small is zero, as in Python; getAsDouble fails for neither.
    double value = 0;
    bool bad = text.getAsDouble(value);
    if (bad) {
      error(range, "malformed floating-point literal");
      return nullptr;
    }
    return make<FloatLiteral>(range, value);
  }
  text = text.drop_front(radix == 10 ? 0 : 2);
  llvm::APInt value;
  if (text.size() > kMaxIntegerDigits || text.getAsInteger(radix, value)) {
    error(range, "integer literal has more than " + llvm::Twine(kMaxIntegerDigits) + " digits");
    return nullptr;
  }
  llvm::SmallString<24> decimal;
  value.toString(decimal, 10, /*Signed=*/false);
  bool fits = value.getActiveBits() <= 64;
  return make<IntLiteral>(range, fits ? value.getZExtValue() : 0, fits, context.copy(decimal.str()));
}

Expr *Parser::parseStrings() {
  uint32_t begin = current().begin;
  std::string value;
  for (; at(TokenKind::String); advance()) {
    if (!decodeString(current(), value)) {
      return nullptr;
    }
  }
  return make<StringLiteral>(rangeFrom(begin), context.copy(value));
}

/// Appends the characters that a string token stands for.
bool Parser::decodeString(const Token &token, std::string &out) {
  llvm::StringRef text = textOf(token);
  size_t prefixLength = text.find_first_of("'\"");
  std::string prefix = text.take_front(prefixLength).lower();
  llvm::StringRef prefixText = prefix;
  if (prefixText.contains('b')) {
    unsupported(rangeOf(token), "a bytes literal", "use a string without the `b` prefix");
    return false;
  }
  if (prefixText.contains('f')) {
    unsupported(rangeOf(token), "an f-string", "`ph.print` and `ph.assert_` take values as further arguments");
    return false;
  }
  llvm::StringRef body = text.drop_front(prefixLength);
  size_t quotes = body.size() >= 6 && body[1] == body[0] && body[2] == body[0] ? 3 : 1;
  uint32_t pos = token.begin + static_cast<uint32_t>(prefixLength + quotes);
  uint32_t end = token.end - static_cast<uint32_t>(quotes);
  llvm::StringRef source = file.text();
  bool raw = prefixText.contains('r');
  while (pos < end) {
    char c = source[pos];
    if (c == '\\' && !raw) {
      if (!decodeEscape(pos, end, out)) {
        return false;
      }
    } else if (c == '\r') { // line breaks in strings are \n whatever the file has
      pos += source.substr(pos).starts_with("\r\n") ? 2 : 1;
      out.push_back('\n');
    } else {
      out.push_back(c);
      ++pos;
    }
  }
  return true;
}

/// One escape sequence, `pos` at its backslash and afterwards past it.
bool Parser::decodeEscape(uint32_t &pos, uint32_t end, std::string &out) {
  static constexpr llvm::StringLiteral kLetters = "abfnrtv\\'\"";
  static constexpr llvm::StringLiteral kMeanings = "\a\b\f\n\r\t\v\\'\"";
  llvm::StringRef source = file.text();
  uint32_t begin = pos;
  char c = source[pos + 1];
  pos += 2;
  if (size_t letter = kLetters.find(c); letter != llvm::StringRef::npos) {
    out.push_back(kMeanings[letter]);
    return true;
  }
  if (c == '\n' || c == '\r') { // a continued line
    pos += c == '\r' && pos < end && source[pos] == '\n';
    return true;
  }
  if (c >= '0' && c <= '7') {
    uint32_t value = 0;
    for (--pos; pos < end && pos < begin + 4 && source[pos] >= '0' && source[pos] <= '7'; ++pos) {
      value = value * 8 + static_cast<uint32_t>(source[pos] - '0');
    }
    appendUtf8(out, value);
    return true;
  }
  if (c == 'N') {
    unsupported({&file, begin, pos}, "a character by name (`\\N{...}`)",
                "write the character itself, or `\\u` and its number");
    return false;
  }
  unsigned digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits == 0) { // no escape: the backslash stands for itself
    out.push_back('\\');
    pos = begin + 1;
    return true;
  }
  uint32_t value = 0;
  llvm::StringRef hex = source.slice(pos, std::min(end, pos + digits));
  if (hex.size() != digits || hex.getAsInteger(16, value) || !llvm::all_of(hex, llvm::isHexDigit)) {
    error({&file, begin, std::min(end, pos + digits)},
          "expected " + llvm::Twine(digits) + " hexadecimal digits after `\\" + llvm::Twine(c) + "`");
    return false;
  }
  if (value > 0x10FFFF) {
    error({&file, begin, pos + digits}, "no character has a number above `\\U0010FFFF`");
    return false;
  }
  pos += digits;
  appendUtf8(out, value);
  return true;
}

} // namespace phobos::syntax
