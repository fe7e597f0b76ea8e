// What all parts of the parser share: the token stream, and how it speaks of what it found.
#include "phobos/Syntax/Parser.h"
#include "ParserImpl.h"

namespace phobos::syntax {

Parser::Parser(const SourceFile &file, ASTContext &context, DiagnosticEngine &diagnostics)
    : file(file), context(context), diagnostics(diagnostics), tokens(tokenize(file, diagnostics)) {
  std::erase_if(tokens, [](const Token &token) { return token.is(TokenKind::Nl) || token.is(TokenKind::Comment); });
}

uint32_t Parser::previousTextEnd() const {
  auto isLayout = [](const Token &token) {
    return token.is(TokenKind::Newline) || token.is(TokenKind::Indent) || token.is(TokenKind::Dedent);
  };
  size_t last = index;
  while (last > 0 && isLayout(tokens[last - 1])) {
    --last;
  }
  return last ? tokens[last - 1].end : 0;
}

Diagnostic &Parser::error(SourceRange range, const llvm::Twine &message) {
  failed |= !quiet;
  return (quiet ? ignored : diagnostics).error(range, message);
}

std::string Parser::describe(const Token &token) const {
  switch (token.kind) {
  case TokenKind::Name:
  case TokenKind::Number:
    return ("`" + textOf(token) + "`").str();
  case TokenKind::String:
    return "a string";
  default:
    if (isKeyword(token.kind) || isPunctuator(token.kind)) {
      return ("`" + tokenKindName(token.kind) + "`").str();
    }
    return ("the " + tokenKindName(token.kind)).str();
  }
}

/// After a bracket that is never closed all lines are read as parts of it; the lexer has reported it, and left a token
/// of no length that lies at the bracket.
bool Parser::isInUnclosedBracket() const {
  return std::any_of(tokens.begin() + index, tokens.end(), [&](const Token &token) {
    return token.is(TokenKind::Error) && token.begin == token.end && token.begin < current().begin;
  });
}

Diagnostic &Parser::expected(const llvm::Twine &what) {
  failed |= !quiet;
  if (at(TokenKind::Error) || isInUnclosedBracket()) {
    return ignored.error(rangeOf(current()), "");
  }
  SourceRange where = rangeOf(current());
  if (at(TokenKind::Newline) || at(TokenKind::EndMarker) || at(TokenKind::Dedent)) {
    // Point after the last thing written, not at a line break or into the next line.
    where = {&file, previousEnd(), previousEnd()};
  }
  return error(where, "expected " + what + ", got " + describe(current()));
}

bool Parser::expect(TokenKind kind, const llvm::Twine &where) {
  if (accept(kind)) {
    return true;
  }
  llvm::StringRef name = tokenKindName(kind);
  std::string wanted = isKeyword(kind) || isPunctuator(kind) ? ("`" + name + "`").str() : ("a " + name).str();
  Diagnostic &diagnostic = expected(llvm::Twine(wanted) + " " + where);
  if (kind == TokenKind::Colon && at(TokenKind::Equal)) {
    diagnostic.hint("`==` compares");
  } else if (kind == TokenKind::Name && isKeyword(current().kind)) {
    diagnostic.hint(describe(current()) + " is a keyword of Python");
  }
  return false;
}

void OpenParts::pass(TokenKind kind) {
  switch (kind) {
  case TokenKind::LParen:
  case TokenKind::LBracket:
  case TokenKind::LBrace:
    ++brackets;
    break;
  case TokenKind::RParen:
  case TokenKind::RBracket:
  case TokenKind::RBrace:
    brackets -= brackets > 0;
    break;
  case TokenKind::KwLambda:
    lambdas += brackets == 0;
    break;
  case TokenKind::Colon:
    lambdas -= brackets == 0 && lambdas > 0;
    break;
  default:
    break;
  }
}

std::nullptr_t Parser::unsupported(SourceRange range, llvm::StringRef what, llvm::StringRef hint) {
  lastUnsupported = what.str();
  Diagnostic &diagnostic = error(range, what + " is not part of the kernel language");
  if (!hint.empty()) {
    diagnostic.hint(hint);
  }
  return nullptr;
}

bool Parser::tooDeep() {
  if (nesting <= kMaxNesting) {
    return false;
  }
  error(rangeOf(current()), "the expression is nested more than " + llvm::Twine(kMaxNesting) + " deep");
  return true;
}

Expr *Parser::checkDepth(Expr *expr) {
  if (expr->depth <= Expr::kMaxDepth) {
    return expr;
  }
  error(expr->range,
        "the expression has more than " + llvm::Twine(Expr::kMaxDepth) + " operations one within the other")
      .hint("split it over several statements");
  return nullptr;
}

llvm::StringRef spelling(UnaryOp op) {
  static constexpr llvm::StringLiteral kSpellings[] = {"+", "-", "not", "~"};
  return kSpellings[static_cast<size_t>(op)];
}

llvm::StringRef spelling(BinaryOp op) {
  static constexpr llvm::StringLiteral kSpellings[] = {"+",  "-",  "*",  "@", "/", "//", "%",
                                                       "**", "<<", ">>", "|", "^", "&"};
  return kSpellings[static_cast<size_t>(op)];
}

llvm::StringRef spelling(BoolOp op) { return op == BoolOp::And ? "and" : "or"; }

llvm::StringRef spelling(CompareOp op) {
  static constexpr llvm::StringLiteral kSpellings[] = {"==", "!=", "<",      "<=", ">",
                                                       ">=", "is", "is not", "in", "not in"};
  return kSpellings[static_cast<size_t>(op)];
}

} // namespace phobos::syntax
