// The lexer proper: lines, indentation, brackets, operators. Numbers and strings are measured by LexLiteral.
#include "phobos/Syntax/Lexer.h"
#include "LexLiteral.h"
#include "phobos/Support/Utf8.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace phobos::syntax {

llvm::StringRef tokenKindName(TokenKind kind) {
  switch (kind) {
  case TokenKind::EndMarker:
    return "end of file";
  case TokenKind::Newline:
  case TokenKind::Nl:
    return "end of line";
  case TokenKind::Comment:
    return "comment";
  case TokenKind::Indent:
    return "indentation";
  case TokenKind::Dedent:
    return "end of block";
  case TokenKind::Name:
    return "name";
  case TokenKind::Number:
    return "number";
  case TokenKind::String:
    return "string";
  case TokenKind::Error:
    return "malformed token";
#define PUNCTUATOR(name, spelling)                                                                                     \
  case TokenKind::name:                                                                                                \
    return spelling;
#define KEYWORD(name, spelling)                                                                                        \
  case TokenKind::Kw##name:                                                                                            \
    return spelling;
#include "phobos/Syntax/TokenKinds.def"
  }
  llvm_unreachable("unknown token kind");
}

bool isKeyword(TokenKind kind) {
  switch (kind) {
#define KEYWORD(name, spelling) case TokenKind::Kw##name:
#include "phobos/Syntax/TokenKinds.def"
    return true;
  default:
    return false;
  }
}

bool isPunctuator(TokenKind kind) {
  switch (kind) {
#define PUNCTUATOR(name, spelling) case TokenKind::name:
#include "phobos/Syntax/TokenKinds.def"
    return true;
  default:
    return false;
  }
}

static TokenKind nameOrKeyword(llvm::StringRef word) {
  return llvm::StringSwitch<TokenKind>(word)
#define KEYWORD(name, spelling) .Case(spelling, TokenKind::Kw##name)
#include "phobos/Syntax/TokenKinds.def"
      .Default(TokenKind::Name);
}

/// Keywords that begin a statement and can stand nowhere inside brackets: one at the start of a line shows that a
/// bracket above was never closed.
static bool beginsStatementOnly(llvm::StringRef word) {
  switch (nameOrKeyword(word)) {
  case TokenKind::KwAssert:
  case TokenKind::KwBreak:
  case TokenKind::KwClass:
  case TokenKind::KwContinue:
  case TokenKind::KwDef:
  case TokenKind::KwDel:
  case TokenKind::KwExcept:
  case TokenKind::KwFinally:
  case TokenKind::KwGlobal:
  case TokenKind::KwImport:
  case TokenKind::KwNonlocal:
  case TokenKind::KwPass:
  case TokenKind::KwRaise:
  case TokenKind::KwReturn:
  case TokenKind::KwTry:
  case TokenKind::KwWhile:
  case TokenKind::KwWith:
    return true;
  default:
    return false;
  }
}

static TokenKind closerOf(TokenKind opener) {
  return opener == TokenKind::LParen     ? TokenKind::RParen
         : opener == TokenKind::LBracket ? TokenKind::RBracket
                                         : TokenKind::RBrace;
}

namespace {

class Lexer {
public:
  Lexer(const SourceFile &file, DiagnosticEngine &diagnostics)
      : file(file), text(file.text()), size(file.size()), diagnostics(diagnostics) {}

  std::vector<Token> run() {
    checkEncoding();
    bool lineStart = true;
    while (pos < size) {
      if (lineStart) {
        indentation();
      }
      lineStart = restOfLine();
    }
    finish();
    return std::move(tokens);
  }

private:
  /// Columns of an indentation with tabs to multiples of eight, and with tabs as one: where the two order lines
  /// differently, the meaning depends on the width of a tab.
  struct Indent {
    unsigned column = 0;
    unsigned tabsAsOne = 0;
  };
  struct Bracket {
    TokenKind kind;
    uint32_t begin;
  };

  Diagnostic &error(uint32_t begin, uint32_t end, const llvm::Twine &message) {
    return diagnostics.error({&file, begin, end}, message);
  }
  void emit(TokenKind kind, uint32_t begin, uint32_t end) { tokens.push_back({kind, begin, end}); }
  void skipBlanks() {
    while (pos < size && (text[pos] == ' ' || text[pos] == '\t' || text[pos] == '\f')) {
      ++pos;
    }
  }

  void checkEncoding();
  void indentation();
  bool restOfLine();
  bool newline();
  void backslash();
  void token();
  void string(uint32_t begin, uint32_t quote);
  void punctuator();
  void bracket(TokenKind kind, uint32_t begin);
  void strayCharacter();
  void neverClosed();
  void finish();

  const SourceFile &file;
  llvm::StringRef text;
  uint32_t size;
  DiagnosticEngine &diagnostics;
  std::vector<Token> tokens;
  uint32_t pos = 0;
  llvm::SmallVector<Indent, 16> indents{Indent()};
  llvm::SmallVector<Bracket, 16> brackets;
  bool lineHasTokens = false; ///< the logical line so far, comments aside
  bool tabsReported = false;
  bool nestedFStrings = true; ///< until one f-string does not scan as PEP 701 has it
};

void Lexer::checkEncoding() {
  for (uint32_t i = 0; i < size;) {
    CodePoint point = decodeUtf8(text, i);
    if (!point.isValid()) {
      error(i, i + 1, "invalid UTF-8 byte 0x" + llvm::utohexstr(static_cast<unsigned char>(text[i])))
          .hint("save the file as UTF-8");
      return;
    }
    i += point.length;
  }
}

/// At the start of a logical line: measures its indentation and, unless the line is blank, emits Indent or Dedents.
void Lexer::indentation() {
  uint32_t begin = pos;
  Indent indent;
  for (; pos < size; ++pos) {
    char c = text[pos];
    if (c == ' ') {
      ++indent.column;
      ++indent.tabsAsOne;
    } else if (c == '\t') {
      indent.column = (indent.column / 8 + 1) * 8;
      ++indent.tabsAsOne;
    } else if (c == '\f') {
      indent = Indent();
    } else {
      break;
    }
  }
  if (pos == size || text[pos] == '#' || lineBreakEnd(text, pos) != pos) {
    return;
  }
  Indent previous = indents.back();
  if (indent.column > previous.column) {
    emit(TokenKind::Indent, begin, pos);
    indents.push_back(indent);
  }
  while (indent.column < indents.back().column) {
    indents.pop_back();
    emit(TokenKind::Dedent, pos, pos);
  }
  if (indent.column != indents.back().column) {
    error(begin, pos, "unindent does not match any outer indentation level");
    return;
  }
  bool deeper = indent.column > previous.column;
  bool consistent = deeper ? indent.tabsAsOne > previous.tabsAsOne : indent.tabsAsOne == indents.back().tabsAsOne;
  if (!consistent && !tabsReported) {
    tabsReported = true;
    error(begin, pos, "tabs and spaces are mixed so that the indentation depends on the width of a tab")
        .hint("indent with spaces only");
  }
}

/// Tokens up to the end of the physical line; whether a logical line starts after it.
bool Lexer::restOfLine() {
  while (pos < size) {
    skipBlanks();
    if (pos == size) {
      break;
    }
    char c = text[pos];
    if (lineBreakEnd(text, pos) != pos) {
      return newline();
    }
    if (c == '#') {
      uint32_t begin = pos;
      pos = std::min<size_t>(text.find_first_of("\r\n", pos), size);
      emit(TokenKind::Comment, begin, pos);
      continue;
    }
    lineHasTokens = true;
    if (c == '\\') {
      backslash();
    } else {
      token();
    }
  }
  return false;
}

bool Lexer::newline() {
  uint32_t begin = pos;
  pos = lineBreakEnd(text, pos);
  if (!brackets.empty()) {
    auto inWord = [](char c) { return llvm::isAlnum(c) || c == '_' || !llvm::isASCII(c); };
    size_t word = text.find_first_not_of(" \t\f", pos);
    bool unclosed = word != llvm::StringRef::npos && beginsStatementOnly(text.substr(word).take_while(inWord));
    if (!unclosed) {
      emit(TokenKind::Nl, begin, pos);
      return false;
    }
    neverClosed();
  }
  emit(lineHasTokens ? TokenKind::Newline : TokenKind::Nl, begin, pos);
  lineHasTokens = false;
  return true;
}

void Lexer::backslash() {
  uint32_t past = lineBreakEnd(text, pos + 1);
  if (past != pos + 1) {
    pos = past;
    return;
  }
  error(pos, pos + 1,
        pos + 1 == size ? "unexpected end of file after a line continuation"
                        : "unexpected character after a line continuation: nothing may follow the backslash");
  emit(TokenKind::Error, pos, pos + 1);
  ++pos;
}

void Lexer::token() {
  uint32_t begin = pos;
  char c = text[pos];
  size_t prefix = stringPrefixLength(text, begin);
  if (prefix != llvm::StringRef::npos) {
    string(begin, begin + static_cast<uint32_t>(prefix));
  } else if (unsigned length = identifierStartLength(text, pos)) {
    while (length) {
      pos += length;
      length = identifierContinueLength(text, pos);
    }
    emit(nameOrKeyword(text.slice(begin, pos)), begin, pos);
  } else if (llvm::isDigit(c) || (c == '.' && pos + 1 < size && llvm::isDigit(text[pos + 1]))) {
    NumberScan scan = scanNumber(text, begin);
    pos = scan.end;
    if (scan.problem) {
      error(begin, pos, scan.problem);
    }
    emit(scan.problem ? TokenKind::Error : TokenKind::Number, begin, pos);
  } else {
    punctuator();
  }
}

void Lexer::string(uint32_t begin, uint32_t quote) {
  StringScan scan{quote, false};
  if (nestedFStrings && text.slice(begin, quote).contains_insensitive("f")) {
    scan = scanFString(text, quote);
    nestedFStrings = scan.terminated;
  }
  if (!scan.terminated) {
    scan = scanString(text, quote);
  }
  pos = scan.end;
  if (!scan.terminated) {
    bool triple = text.substr(quote).starts_with("\"\"\"") || text.substr(quote).starts_with("'''");
    uint32_t shown = quote + (triple ? 3 : 1);
    error(begin, shown, triple ? "unterminated triple-quoted string" : "unterminated string")
        .hint(llvm::Twine("close it with ") + text.slice(quote, shown));
    if (!triple) {
      brackets.clear(); // what closes them may be in the string
    }
  }
  emit(scan.terminated ? TokenKind::String : TokenKind::Error, begin, pos);
}

void Lexer::punctuator() {
  struct Spelling {
    llvm::StringLiteral text;
    TokenKind kind;
  };
  static constexpr Spelling kSpellings[] = {
#define PUNCTUATOR(name, spelling) {spelling, TokenKind::name},
#include "phobos/Syntax/TokenKinds.def"
  };
  llvm::StringRef rest = text.substr(pos, 3);
  const Spelling *longest = nullptr;
  for (const Spelling &candidate : kSpellings) {
    if (rest.starts_with(candidate.text) && (!longest || candidate.text.size() > longest->text.size())) {
      longest = &candidate;
    }
  }
  if (!longest) {
    strayCharacter();
    return;
  }
  uint32_t begin = pos;
  pos += static_cast<uint32_t>(longest->text.size());
  bracket(longest->kind, begin);
}

/// Emits a punctuator, keeping the stack of brackets. A closing bracket that closes nothing is an Error token.
void Lexer::bracket(TokenKind kind, uint32_t begin) {
  switch (kind) {
  case TokenKind::LParen:
  case TokenKind::LBracket:
  case TokenKind::LBrace:
    brackets.push_back({kind, begin});
    break;
  case TokenKind::RParen:
  case TokenKind::RBracket:
  case TokenKind::RBrace: {
    llvm::StringRef closing = tokenKindName(kind);
    if (brackets.empty()) {
      error(begin, pos, "unmatched `" + closing + "`");
      kind = TokenKind::Error;
      break;
    }
    Bracket opener = brackets.pop_back_val();
    if (closerOf(opener.kind) != kind) {
      error(begin, pos, "closing `" + closing + "` does not match opening `" + tokenKindName(opener.kind) + "`")
          .note({&file, opener.begin, opener.begin + 1}, "opened here");
      kind = TokenKind::Error;
    }
    break;
  }
  default:
    break;
  }
  emit(kind, begin, pos);
}

void Lexer::strayCharacter() {
  uint32_t begin = pos;
  CodePoint point = decodeUtf8(text, pos);
  pos += point.length;
  emit(TokenKind::Error, begin, pos);
  if (!point.isValid()) {
    return; // checkEncoding has reported it, or an earlier one
  }
  llvm::StringRef shown = text.slice(begin, pos);
  std::string code = "U+" + llvm::utohexstr(point.value, /*LowerCase=*/false, /*Width=*/4);
  if (point.value < 0x20 || point.value == 0x7F) {
    error(begin, pos, "invalid control character " + code);
  } else if (shown == "!") {
    error(begin, pos, "unexpected `!`").hint("`not` negates; `!=` compares");
  } else {
    error(begin, pos, "invalid character `" + shown + "` (" + code + ")");
  }
}

void Lexer::neverClosed() {
  Bracket opener = brackets.back();
  error(opener.begin, opener.begin + 1, "`" + tokenKindName(opener.kind) + "` was never closed");
  brackets.clear();
  emit(TokenKind::Error, opener.begin, opener.begin); // so that the parser does not report the same again
}

void Lexer::finish() {
  if (!brackets.empty()) {
    neverClosed();
  }
  // A last line without a line break ends all the same.
  if (lineHasTokens) {
    emit(TokenKind::Newline, size, size);
  } else if (!tokens.empty() && tokens.back().is(TokenKind::Comment)) {
    emit(TokenKind::Nl, size, size);
  }
  for (; indents.size() > 1; indents.pop_back()) {
    emit(TokenKind::Dedent, size, size);
  }
  emit(TokenKind::EndMarker, size, size);
}

} // namespace

std::vector<Token> tokenize(const SourceFile &file, DiagnosticEngine &diagnostics) {
  return Lexer(file, diagnostics).run();
}

} // namespace phobos::syntax
