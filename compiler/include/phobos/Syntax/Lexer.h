// Text to tokens: the whole of Python 3.11's lexical grammar, as CPython's `tokenize` module gives it (an f-string is
// one String token; 3.12's nested quotes are followed too). Any bytes are accepted: what is no token is reported and
// becomes an Error token, so brackets and indentation stay in step and the parser can go on.
#pragma once

#include "phobos/Support/Diagnostic.h"
#include "phobos/Support/SourceFile.h"
#include <vector>

namespace phobos::syntax {

enum class TokenKind : uint8_t {
#define TOKEN(name) name,
#define PUNCTUATOR(name, spelling) name,
#define KEYWORD(name, spelling) Kw##name,
#include "phobos/Syntax/TokenKinds.def"
};

struct Token {
  TokenKind kind = TokenKind::EndMarker;
  uint32_t begin = 0; ///< byte offsets; Indent covers the indentation, Dedent and EndMarker nothing
  uint32_t end = 0;

  bool is(TokenKind k) const { return kind == k; }
};

/// Spelling of a punctuator or keyword, else a description such as "name" or "end of line".
llvm::StringRef tokenKindName(TokenKind kind);
bool isKeyword(TokenKind kind);
bool isPunctuator(TokenKind kind);

/// All tokens of the file, comments and blank lines included; the last one is EndMarker. Every Indent has its Dedent.
std::vector<Token> tokenize(const SourceFile &file, DiagnosticEngine &diagnostics);

} // namespace phobos::syntax
