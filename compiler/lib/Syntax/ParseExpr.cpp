// Expressions, by precedence climbing. Ranges are those of CPython's `ast`: an operation starts at its first token, so
// at the parenthesis of a parenthesised left operand, while the operand itself excludes it.
#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"

namespace phobos::syntax {

namespace {

struct BinaryOperator {
  unsigned precedence; ///< 0: not a binary operator
  BinaryOp op;
};

constexpr unsigned kLowestBinary = 1;

BinaryOperator binaryOperator(TokenKind kind) {
  switch (kind) {
  case TokenKind::Pipe:
    return {kLowestBinary, BinaryOp::BitOr};
  case TokenKind::Caret:
    return {2, BinaryOp::BitXor};
  case TokenKind::Amp:
    return {3, BinaryOp::BitAnd};
  case TokenKind::LessLess:
    return {4, BinaryOp::LShift};
  case TokenKind::GreaterGreater:
    return {4, BinaryOp::RShift};
  case TokenKind::Plus:
    return {5, BinaryOp::Add};
  case TokenKind::Minus:
    return {5, BinaryOp::Sub};
  case TokenKind::Star:
    return {6, BinaryOp::Mul};
  case TokenKind::Slash:
    return {6, BinaryOp::Div};
  case TokenKind::SlashSlash:
    return {6, BinaryOp::FloorDiv};
  case TokenKind::Percent:
    return {6, BinaryOp::Mod};
  case TokenKind::At:
    return {6, BinaryOp::MatMul};
  default:
    return {0, BinaryOp::Add};
  }
}

} // namespace

bool Parser::atListEnd() const {
  switch (current().kind) {
  case TokenKind::RParen:
  case TokenKind::RBracket:
  case TokenKind::RBrace:
  case TokenKind::Colon:
  case TokenKind::Semicolon:
  case TokenKind::Equal:
  case TokenKind::Newline:
  case TokenKind::EndMarker:
    return true;
  default:
    return false;
  }
}

Expr *Parser::parseWholeExpression() {
  Expr *expr = parseExprList();
  if (expr && !atEndOfLine()) {
    expected("the end of the expression");
    return nullptr;
  }
  return expr;
}

Expr *Parser::parseExprList() {
  uint32_t begin = current().begin;
  Expr *first = parseExpr();
  if (!first || !at(TokenKind::Comma)) {
    return first;
  }
  llvm::SmallVector<Expr *, 4> elements{first};
  while (accept(TokenKind::Comma) && !atListEnd()) {
    elements.push_back(parseExpr());
    if (!elements.back()) {
      return nullptr;
    }
  }
  return make<TupleExpr>(rangeFrom(begin), copy(elements));
}

Expr *Parser::parseExpr() {
  llvm::SaveAndRestore deeper(nesting, nesting + 1);
  if (tooDeep() || refuseExpressionStart()) {
    return nullptr;
  }
  uint32_t begin = current().begin;
  Expr *value = parseOr();
  if (!value) {
    return nullptr;
  }
  if (at(TokenKind::ColonEqual)) {
    return unsupported(rangeOf(current()), "an assignment inside an expression (`:=`)", "assign on a line of its own");
  }
  if (!accept(TokenKind::KwIf)) {
    return value;
  }
  Expr *condition = parseOr();
  if (!condition || !expect(TokenKind::KwElse, "in a conditional expression")) {
    return nullptr;
  }
  Expr *otherwise = parseExpr();
  return otherwise ? make<ConditionalExpr>(rangeFrom(begin), condition, value, otherwise) : nullptr;
}

bool Parser::refuseExpressionStart() {
  SourceRange range = rangeOf(current());
  switch (current().kind) {
  case TokenKind::KwLambda:
    unsupported(range, "a lambda", "write a function with `@ph.fn`");
    return true;
  case TokenKind::KwAwait:
    unsupported(range, "`await`");
    return true;
  case TokenKind::KwYield:
    unsupported(range, "`yield`", "a device function gives its values with `return`");
    return true;
  case TokenKind::Star:
  case TokenKind::StarStar:
    unsupported(range, "unpacking with `" + textOf(current()).str() + "`", "write the elements out");
    return true;
  default:
    return false;
  }
}

Expr *Parser::parseOr() {
  uint32_t begin = current().begin;
  Expr *first = parseAnd();
  if (!first || !at(TokenKind::KwOr)) {
    return first;
  }
  llvm::SmallVector<Expr *, 4> values{first};
  while (accept(TokenKind::KwOr)) {
    values.push_back(parseAnd());
    if (!values.back()) {
      return nullptr;
    }
  }
  return make<BoolOpExpr>(rangeFrom(begin), BoolOp::Or, copy(values));
}

Expr *Parser::parseAnd() {
  uint32_t begin = current().begin;
  Expr *first = parseNot();
  if (!first || !at(TokenKind::KwAnd)) {
    return first;
  }
  llvm::SmallVector<Expr *, 4> values{first};
  while (accept(TokenKind::KwAnd)) {
    values.push_back(parseNot());
    if (!values.back()) {
      return nullptr;
    }
  }
  return make<BoolOpExpr>(rangeFrom(begin), BoolOp::And, copy(values));
}

Expr *Parser::parseNot() {
  uint32_t begin = current().begin;
  if (!accept(TokenKind::KwNot)) {
    return parseComparison();
  }
  llvm::SaveAndRestore deeper(nesting, nesting + 1);
  Expr *operand = tooDeep() ? nullptr : parseNot();
  return operand ? make<UnaryExpr>(rangeFrom(begin), UnaryOp::Not, operand) : nullptr;
}

Expr *Parser::parseComparison() {
  uint32_t begin = current().begin;
  Expr *first = parseBinary(kLowestBinary);
  llvm::SmallVector<CompareOp, 2> ops;
  llvm::SmallVector<Expr *, 2> rest;
  while (first) {
    switch (current().kind) {
    case TokenKind::EqualEqual:
      ops.push_back(CompareOp::Eq);
      break;
    case TokenKind::NotEqual:
      ops.push_back(CompareOp::NotEq);
      break;
    case TokenKind::Less:
      ops.push_back(CompareOp::Lt);
      break;
    case TokenKind::LessEqual:
      ops.push_back(CompareOp::LtE);
      break;
    case TokenKind::Greater:
      ops.push_back(CompareOp::Gt);
      break;
    case TokenKind::GreaterEqual:
      ops.push_back(CompareOp::GtE);
      break;
    case TokenKind::KwIn:
      ops.push_back(CompareOp::In);
      break;
    case TokenKind::KwIs:
      ops.push_back(peek().is(TokenKind::KwNot) ? CompareOp::IsNot : CompareOp::Is);
      break;
    case TokenKind::KwNot:
      if (peek().is(TokenKind::KwIn)) {
        ops.push_back(CompareOp::NotIn);
        break;
      }
      [[fallthrough]];
    default:
      return ops.empty() ? first : make<CompareExpr>(rangeFrom(begin), first, copy(ops), copy(rest));
    }
    if (ops.back() == CompareOp::IsNot || ops.back() == CompareOp::NotIn) {
      advance();
    }
    advance();
    rest.push_back(parseBinary(kLowestBinary));
    if (!rest.back()) {
      return nullptr;
    }
  }
  return nullptr;
}

Expr *Parser::parseBinary(unsigned minPrecedence) {
  uint32_t begin = current().begin;
  Expr *lhs = parseUnary();
  while (lhs) {
    BinaryOperator found = binaryOperator(current().kind);
    if (found.precedence < minPrecedence || found.precedence == 0) {
      return lhs;
    }
    SourceRange opRange = rangeOf(current());
    advance();
    Expr *rhs = parseBinary(found.precedence + 1);
    lhs = rhs ? make<BinaryExpr>(rangeFrom(begin), found.op, opRange, lhs, rhs) : nullptr;
  }
  return nullptr;
}

Expr *Parser::parseUnary() {
  UnaryOp op;
  switch (current().kind) {
  case TokenKind::Plus:
    op = UnaryOp::Plus;
    break;
  case TokenKind::Minus:
    op = UnaryOp::Minus;
    break;
  case TokenKind::Tilde:
    op = UnaryOp::Invert;
    break;
  default:
    return parsePower();
  }
  llvm::SaveAndRestore deeper(nesting, nesting + 1);
  uint32_t begin = current().begin;
  advance();
  Expr *operand = tooDeep() ? nullptr : parseUnary();
  return operand ? make<UnaryExpr>(rangeFrom(begin), op, operand) : nullptr;
}

Expr *Parser::parsePower() {
  uint32_t begin = current().begin;
  Expr *base = parsePostfix();
  if (!base || !at(TokenKind::StarStar)) {
    return base;
  }
  SourceRange opRange = rangeOf(current());
  advance();
  llvm::SaveAndRestore deeper(nesting, nesting + 1);
  Expr *exponent = tooDeep() ? nullptr : parseUnary();
  return exponent ? make<BinaryExpr>(rangeFrom(begin), BinaryOp::Pow, opRange, base, exponent) : nullptr;
}

Expr *Parser::parsePostfix() {
  uint32_t begin = current().begin;
  Expr *expr = parseAtom();
  while (expr) {
    if (at(TokenKind::LParen)) {
      expr = parseCall(begin, expr);
    } else if (at(TokenKind::LBracket)) {
      expr = parseSubscript(begin, expr);
    } else if (accept(TokenKind::Dot)) {
      Token name = current();
      if (!expect(TokenKind::Name, "after `.`")) {
        return nullptr;
      }
      expr = make<AttributeExpr>(rangeFrom(begin), expr, textOf(name), rangeOf(name));
    } else {
      return expr;
    }
  }
  return nullptr;
}

Expr *Parser::parseAtom() {
  SourceRange range = rangeOf(current());
  switch (current().kind) {
  case TokenKind::Name: {
    llvm::StringRef name = textOf(current());
    advance();
    return make<NameExpr>(range, name);
  }
  case TokenKind::Number:
    return parseNumber();
  case TokenKind::String:
    return parseStrings();
  case TokenKind::LParen:
    return parseParenthesized();
  case TokenKind::LBracket:
    return parseList();
  case TokenKind::LBrace:
    return parseBraces();
  case TokenKind::Ellipsis:
    advance();
    return make<EllipsisLiteral>(range);
  case TokenKind::KwNone:
    advance();
    return make<NoneLiteral>(range);
  case TokenKind::KwTrue:
  case TokenKind::KwFalse: {
    bool value = at(TokenKind::KwTrue);
    advance();
    return make<BoolLiteral>(range, value);
  }
  default:
    if (!refuseExpressionStart()) {
      expected("an expression");
    }
    return nullptr;
  }
}

/// After the first element inside brackets: a comprehension is refused by name.
bool Parser::refuseAfterElement(llvm::StringRef comprehension) {
  if (!at(TokenKind::KwFor) && !at(TokenKind::KwAsync)) {
    return false;
  }
  unsupported(rangeOf(current()), comprehension, "write the elements out, or fill a tile in a loop");
  return true;
}

Expr *Parser::parseParenthesized() {
  uint32_t begin = current().begin;
  advance();
  if (accept(TokenKind::RParen)) {
    return make<TupleExpr>(rangeFrom(begin), llvm::ArrayRef<Expr *>());
  }
  Expr *first = parseExpr();
  if (!first || refuseAfterElement("a generator expression")) {
    return nullptr;
  }
  if (!at(TokenKind::Comma)) {
    return expect(TokenKind::RParen, "to close the parenthesis") ? first : nullptr;
  }
  llvm::SmallVector<Expr *, 4> elements{first};
  while (accept(TokenKind::Comma) && !at(TokenKind::RParen)) {
    elements.push_back(parseExpr());
    if (!elements.back()) {
      return nullptr;
    }
  }
  if (!expect(TokenKind::RParen, "to close the tuple")) {
    return nullptr;
  }
  return make<TupleExpr>(rangeFrom(begin), copy(elements));
}

Expr *Parser::parseList() {
  uint32_t begin = current().begin;
  advance();
  llvm::SmallVector<Expr *, 4> elements;
  while (!at(TokenKind::RBracket)) {
    elements.push_back(parseExpr());
    if (!elements.back() || refuseAfterElement("a list comprehension")) {
      return nullptr;
    }
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  if (!expect(TokenKind::RBracket, "to close the list")) {
    return nullptr;
  }
  return make<ListExpr>(rangeFrom(begin), copy(elements));
}

Expr *Parser::parseBraces() {
  Token brace = current();
  advance();
  if (at(TokenKind::RBrace) || at(TokenKind::StarStar)) {
    return unsupported(rangeOf(brace), "a dict");
  }
  // One element tells a dict from a set; what it says does not matter.
  Expr *first = nullptr;
  {
    llvm::SaveAndRestore silent(quiet, true);
    first = parseExpr();
  }
  return unsupported(rangeOf(brace), first && at(TokenKind::Colon) ? "a dict" : "a set or dict");
}

Expr *Parser::parseCall(uint32_t begin, Expr *callee) {
  advance();
  llvm::SmallVector<Expr *, 4> args;
  llvm::SmallVector<KeywordArg, 4> keywords;
  while (!at(TokenKind::RParen)) {
    if (at(TokenKind::Name) && peek().is(TokenKind::Equal)) {
      Token name = current();
      advance();
      advance();
      Expr *value = parseExpr();
      if (!value) {
        return nullptr;
      }
      llvm::StringRef word = textOf(name);
      const KeywordArg *same = llvm::find_if(keywords, [&](const KeywordArg &k) { return k.name == word; });
      if (same != keywords.end()) {
        error(rangeOf(name), "keyword argument `" + word + "` is given twice")
            .note(same->nameRange, "first given here");
        return nullptr;
      }
      keywords.push_back({word, rangeOf(name), value});
    } else {
      Expr *value = parseExpr();
      if (!value || refuseAfterElement("a generator expression")) {
        return nullptr;
      }
      if (!keywords.empty()) {
        error(value->range, "a positional argument follows a keyword argument");
        return nullptr;
      }
      args.push_back(value);
    }
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  if (!expect(TokenKind::RParen, "to close the call")) {
    return nullptr;
  }
  return make<CallExpr>(rangeFrom(begin), callee, copy(args), copy(keywords));
}

Expr *Parser::parseSubscript(uint32_t begin, Expr *base) {
  advance();
  uint32_t itemsBegin = current().begin;
  llvm::SmallVector<Expr *, 4> items;
  bool hasComma = false;
  do {
    items.push_back(parseSubscriptItem());
    if (!items.back() || refuseAfterElement("a generator expression")) {
      return nullptr;
    }
    if (!accept(TokenKind::Comma)) {
      break;
    }
    hasComma = true;
  } while (!at(TokenKind::RBracket));
  SourceRange itemsRange = rangeFrom(itemsBegin);
  if (!expect(TokenKind::RBracket, "to close the subscript")) {
    return nullptr;
  }
  return make<SubscriptExpr>(rangeFrom(begin), base, copy(items), itemsRange, hasComma);
}

Expr *Parser::parseSubscriptItem() {
  uint32_t begin = current().begin;
  auto atPartEnd = [&] { return at(TokenKind::Colon) || at(TokenKind::Comma) || at(TokenKind::RBracket); };
  Expr *start = nullptr;
  if (!at(TokenKind::Colon)) {
    start = parseExpr();
    if (!start || !at(TokenKind::Colon)) {
      return start;
    }
  }
  advance();
  Expr *stop = nullptr;
  Expr *step = nullptr;
  Expr *span = nullptr;
  if (!atPartEnd()) {
    bool plusLeads = at(TokenKind::Plus);
    stop = parseExpr();
    if (!stop) {
      return nullptr;
    }
    auto *unary = llvm::dyn_cast<UnaryExpr>(stop);
    if (unary && unary->op == UnaryOp::Plus) {
      span = unary->operand;
    } else if (plusLeads && llvm::isa<BinaryExpr>(stop)) {
      span = stop;
    }
  }
  if (accept(TokenKind::Colon) && !atPartEnd()) {
    step = parseExpr();
    if (!step) {
      return nullptr;
    }
  }
  return make<SliceExpr>(rangeFrom(begin), start, stop, step, span);
}

/// The targets of `for`, which end before `in`: operands, so that `in` is not taken for a comparison.
Expr *Parser::parseTargetList() {
  uint32_t begin = current().begin;
  if (refuseExpressionStart()) {
    return nullptr;
  }
  Expr *first = parseBinary(kLowestBinary);
  if (!first || !at(TokenKind::Comma)) {
    return first;
  }
  llvm::SmallVector<Expr *, 4> elements{first};
  while (accept(TokenKind::Comma) && !at(TokenKind::KwIn)) {
    elements.push_back(parseBinary(kLowestBinary));
    if (!elements.back()) {
      return nullptr;
    }
  }
  return make<TupleExpr>(rangeFrom(begin), copy(elements));
}

Expr *Parser::parseExprOrOpaque(bool stopAtComma) {
  auto atEnd = [&] {
    return atEndOfLine() || at(TokenKind::Semicolon) || at(TokenKind::RParen) || at(TokenKind::Equal) ||
           (stopAtComma && at(TokenKind::Comma));
  };
  size_t start = index;
  uint32_t begin = current().begin;
  lastUnsupported.clear();
  {
    llvm::SaveAndRestore silent(quiet, true);
    Expr *expr = stopAtComma ? parseExpr() : parseExprList();
    if (expr && atEnd()) {
      return expr;
    }
  }
  index = start;
  for (OpenParts open; !atEndOfLine() && !(open.none() && atEnd()); advance()) {
    open.pass(current().kind);
  }
  llvm::StringRef what = lastUnsupported.empty() ? llvm::StringRef("this expression") : context.copy(lastUnsupported);
  return make<OpaqueExpr>(rangeFrom(begin), what);
}

} // namespace phobos::syntax
