// Statements of a kernel's body, and recovery: a statement that does not parse is skipped with its block, and the next
// one read.
#include "ParserImpl.h"
#include <optional>

namespace phobos::syntax {

// --- Blocks and recovery
/// What follows a header: `:` and then an indented block, or simple statements on the same line.
Block Parser::parseSuite(llvm::StringRef owner) {
  if (!expect(TokenKind::Colon, "after " + owner)) {
    skipStatement();
    return {};
  }
  if (!accept(TokenKind::Newline)) {
    llvm::SmallVector<Stmt *, 4> statements;
    if (!parseSimpleLine(statements)) {
      failed = true;
      skipStatement();
    }
    return copy(statements);
  }
  if (!at(TokenKind::Indent)) {
    expected("an indented block after " + owner).hint("`pass` is the empty block");
    return {};
  }
  llvm::SaveAndRestore deeper(blockDepth, blockDepth + 1);
  if (blockDepth > Stmt::kMaxDepth) {
    error(rangeOf(current()), "blocks are nested more than " + llvm::Twine(Stmt::kMaxDepth) + " deep");
    skipBlock();
    return {};
  }
  advance();
  return parseBlock();
}

/// Statements up to and including the Dedent that ends the block.
Block Parser::parseBlock() {
  llvm::SmallVector<Stmt *, 8> statements;
  while (!at(TokenKind::EndMarker) && !accept(TokenKind::Dedent)) {
    if (at(TokenKind::Indent)) {
      error(rangeOf(peek()), "unexpected indentation");
      skipBlock();
      continue;
    }
    bool isTry = at(TokenKind::KwTry);
    if (!parseStatement(statements)) {
      failed = true;
      skipStatement();
      while (isTry && (at(TokenKind::KwExcept) || at(TokenKind::KwElse) || at(TokenKind::KwFinally))) {
        skipStatement();
      }
    }
  }
  return copy(statements);
}

/// To the start of the next statement of this block. Never past the end of the block.
void Parser::skipStatement() {
  while (!atEndOfLine() && !at(TokenKind::Dedent) && !at(TokenKind::Indent)) {
    advance();
  }
  accept(TokenKind::Newline);
  if (at(TokenKind::Indent)) {
    skipBlock();
  }
}

/// From an Indent past its Dedent.
void Parser::skipBlock() {
  unsigned depth = 0;
  do {
    depth += at(TokenKind::Indent);
    depth -= at(TokenKind::Dedent);
    advance();
  } while (depth > 0 && !at(TokenKind::EndMarker));
}

// --- Statements
bool Parser::parseStatement(llvm::SmallVectorImpl<Stmt *> &out) {
  Stmt *compound = nullptr;
  switch (current().kind) {
  case TokenKind::KwIf:
    compound = parseIf();
    break;
  case TokenKind::KwFor:
    compound = parseFor();
    break;
  case TokenKind::KwWhile:
    compound = parseWhile();
    break;
  default:
    return !refuseStatement() && parseSimpleLine(out);
  }
  if (compound) {
    out.push_back(compound);
  }
  return compound != nullptr;
}

/// Simple statements separated by semicolons, and the end of the line.
bool Parser::parseSimpleLine(llvm::SmallVectorImpl<Stmt *> &out) {
  do {
    if (refuseStatement()) {
      return false;
    }
    Stmt *stmt = parseSimple();
    if (!stmt) {
      return false;
    }
    out.push_back(stmt);
  } while (accept(TokenKind::Semicolon) && !atEndOfLine());
  return endOfStatement();
}

bool Parser::endOfStatement() {
  if (accept(TokenKind::Newline) || at(TokenKind::EndMarker)) {
    return true;
  }
  Diagnostic &diagnostic = expected("the end of the statement");
  if (at(TokenKind::Equal)) {
    diagnostic.hint("`==` compares");
  }
  return false;
}

Stmt *Parser::parseSimple() {
  SourceRange range = rangeOf(current());
  switch (current().kind) {
  case TokenKind::KwPass:
    advance();
    return context.create<PassStmt>(range);
  case TokenKind::KwBreak:
    advance();
    return context.create<BreakStmt>(range);
  case TokenKind::KwContinue:
    advance();
    return context.create<ContinueStmt>(range);
  case TokenKind::KwReturn: {
    advance();
    if (atEndOfLine() || at(TokenKind::Semicolon)) {
      return context.create<ReturnStmt>(range, nullptr);
    }
    Expr *value = parseExprList();
    return value ? context.create<ReturnStmt>(rangeFrom(range.begin), value) : nullptr;
  }
  default:
    return parseExprOrAssignment();
  }
}

Stmt *Parser::parseExprOrAssignment() {
  uint32_t begin = current().begin;
  Expr *first = parseExprList();
  if (!first) {
    return nullptr;
  }
  if (at(TokenKind::Colon)) {
    return parseAnnotated(begin, first);
  }
  if (atAugmentedAssignment()) {
    return parseAugmented(begin, first);
  }
  if (!at(TokenKind::Equal)) {
    return context.create<ExprStmt>(rangeFrom(begin), first);
  }
  llvm::SmallVector<Expr *, 2> sides{first};
  while (accept(TokenKind::Equal)) {
    if (!checkTarget(sides.back(), /*single=*/false)) {
      return nullptr;
    }
    sides.push_back(parseExprList());
    if (!sides.back()) {
      return nullptr;
    }
  }
  Expr *value = sides.pop_back_val();
  return context.create<AssignStmt>(rangeFrom(begin), copy(sides), value);
}

Stmt *Parser::parseAnnotated(uint32_t begin, Expr *target) {
  bool simple = llvm::isa<NameExpr>(target) && target->range.begin == begin;
  if (llvm::isa<TupleExpr, ListExpr>(target)) {
    error(target->range, "only a single name can be annotated, not several")
        .hint("bind and annotate each name on its own line");
    return nullptr;
  }
  if (!checkTarget(target, /*single=*/true)) {
    return nullptr;
  }
  advance();
  Expr *annotation = parseExpr();
  if (!annotation) {
    return nullptr;
  }
  Expr *value = nullptr;
  if (accept(TokenKind::Equal)) {
    value = parseExprList();
    if (!value) {
      return nullptr;
    }
  }
  return context.create<AnnAssignStmt>(rangeFrom(begin), target, annotation, value, simple);
}

static std::optional<BinaryOp> augmentedOp(TokenKind kind) {
  switch (kind) {
  case TokenKind::PlusEqual:
    return BinaryOp::Add;
  case TokenKind::MinusEqual:
    return BinaryOp::Sub;
  case TokenKind::StarEqual:
    return BinaryOp::Mul;
  case TokenKind::StarStarEqual:
    return BinaryOp::Pow;
  case TokenKind::SlashEqual:
    return BinaryOp::Div;
  case TokenKind::SlashSlashEqual:
    return BinaryOp::FloorDiv;
  case TokenKind::PercentEqual:
    return BinaryOp::Mod;
  case TokenKind::AtEqual:
    return BinaryOp::MatMul;
  case TokenKind::AmpEqual:
    return BinaryOp::BitAnd;
  case TokenKind::PipeEqual:
    return BinaryOp::BitOr;
  case TokenKind::CaretEqual:
    return BinaryOp::BitXor;
  case TokenKind::LessLessEqual:
    return BinaryOp::LShift;
  case TokenKind::GreaterGreaterEqual:
    return BinaryOp::RShift;
  default:
    return std::nullopt;
  }
}

bool Parser::atAugmentedAssignment() const { return augmentedOp(current().kind).has_value(); }

Stmt *Parser::parseAugmented(uint32_t begin, Expr *target) {
  if (!checkTarget(target, /*single=*/true)) {
    return nullptr;
  }
  BinaryOp op = *augmentedOp(current().kind);
  SourceRange opRange = rangeOf(current());
  advance();
  Expr *value = parseExprList();
  return value ? context.create<AugAssignStmt>(rangeFrom(begin), target, op, opRange, value) : nullptr;
}

/// Whether `target` can be assigned to; `single` excludes tuples and lists.
bool Parser::checkTarget(const Expr *target, bool single) {
  llvm::StringRef what;
  switch (target->kind) {
  case Expr::Kind::Name:
  case Expr::Kind::Attribute:
  case Expr::Kind::Subscript:
    return true;
  case Expr::Kind::Tuple:
  case Expr::Kind::List: {
    if (single) {
      what = "several targets at once with an augmented assignment";
      break;
    }
    auto *tuple = llvm::dyn_cast<TupleExpr>(target);
    for (const Expr *element : tuple ? tuple->elements : llvm::cast<ListExpr>(target)->elements) {
      if (!checkTarget(element, false)) {
        return false;
      }
    }
    return true;
  }
  case Expr::Kind::Call:
    what = "the result of a call";
    break;
  case Expr::Kind::Conditional:
    what = "a conditional expression";
    break;
  case Expr::Kind::Compare:
    what = "a comparison";
    break;
  case Expr::Kind::Unary:
  case Expr::Kind::Binary:
  case Expr::Kind::BoolOp:
    what = "an expression";
    break;
  default:
    what = "a literal";
    break;
  }
  error(target->range, "cannot assign to " + what).hint("a name, `a[...]` or a tuple of them stands left of the `=`");
  return false;
}

Stmt *Parser::parseIf() {
  uint32_t begin = current().begin;
  llvm::StringRef word = textOf(current());
  advance();
  Expr *condition = parseExpr();
  if (!condition) {
    return nullptr;
  }
  Block body = parseSuite(word == "if" ? "the condition of `if`" : "the condition of `elif`");
  Block orElse;
  if (at(TokenKind::KwElif)) {
    llvm::SaveAndRestore deeper(blockDepth, blockDepth + 1);
    if (blockDepth > Stmt::kMaxDepth) {
      error(rangeOf(current()), "more than " + llvm::Twine(Stmt::kMaxDepth) + " nested blocks and `elif` arms");
      return nullptr;
    }
    Stmt *rest = parseIf();
    if (!rest) {
      return nullptr;
    }
    orElse = context.copy(Block(rest));
  } else if (accept(TokenKind::KwElse)) {
    orElse = parseSuite("`else`");
  }
  return context.create<IfStmt>(SourceRange(&file, begin, previousTextEnd()), condition, body, orElse);
}

Stmt *Parser::parseFor() {
  uint32_t begin = current().begin;
  advance();
  Expr *target = parseTargetList();
  if (!target || !checkTarget(target, /*single=*/false) || !expect(TokenKind::KwIn, "after the target of `for`")) {
    return nullptr;
  }
  Expr *iterable = parseExprList();
  if (!iterable) {
    return nullptr;
  }
  Block body = parseSuite("the range of `for`");
  auto *loop = context.create<ForStmt>(SourceRange(&file, begin, previousTextEnd()), target, iterable, body);
  return refuseLoopElse() ? nullptr : loop;
}

Stmt *Parser::parseWhile() {
  uint32_t begin = current().begin;
  advance();
  Expr *condition = parseExpr();
  if (!condition) {
    return nullptr;
  }
  Block body = parseSuite("the condition of `while`");
  auto *loop = context.create<WhileStmt>(SourceRange(&file, begin, previousTextEnd()), condition, body);
  return refuseLoopElse() ? nullptr : loop;
}

bool Parser::refuseLoopElse() {
  if (at(TokenKind::KwElse)) {
    unsupported(rangeOf(current()), "`else` on a loop", "set a flag before `break` and test it after the loop");
    return true;
  }
  return false;
}

// --- Statements outside the subset
/// `match` and `type` are keywords only where a statement of theirs follows: a word, then something no expression goes
/// on with.
static bool startsSoftKeywordStatement(TokenKind next) {
  switch (next) {
  case TokenKind::Name:
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::KwNone:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
    return true;
  default:
    return false;
  }
}

bool Parser::refuseStatement() {
  SourceRange range = rangeOf(current());
  llvm::StringRef word = textOf(current());
  auto refuse = [&](llvm::StringRef hint) {
    unsupported(range, ("`" + word + "`").str(), hint);
    return true;
  };
  switch (current().kind) {
  case TokenKind::KwDef:
  case TokenKind::At:
    unsupported(range, "a function inside a kernel", "define it outside, with `@ph.fn`");
    return true;
  case TokenKind::KwClass:
    unsupported(range, "a class");
    return true;
  case TokenKind::KwAssert:
    return refuse("use `ph.assert_(condition, \"message\")`");
  case TokenKind::KwImport:
  case TokenKind::KwFrom:
    return refuse("import at the top of the file");
  case TokenKind::KwGlobal:
  case TokenKind::KwNonlocal:
    return refuse("outer names are constants here; store results through a tensor parameter");
  case TokenKind::KwTry:
  case TokenKind::KwRaise:
    return refuse("a kernel cannot raise; `ph.assert_` checks");
  case TokenKind::KwWith:
  case TokenKind::KwDel:
  case TokenKind::KwAsync:
    return refuse({});
  case TokenKind::KwElse:
  case TokenKind::KwElif:
    error(range, "`" + word + "` without an `if` before it");
    return true;
  case TokenKind::KwExcept:
  case TokenKind::KwFinally:
    error(range, "`" + word + "` without a `try` before it");
    return true;
  case TokenKind::KwIf:
  case TokenKind::KwFor:
  case TokenKind::KwWhile:
    // Reached only after another statement or a header on the same line.
    error(range, "`" + word + "` must start a line of its own");
    return true;
  case TokenKind::Name:
    if (word == "match" && startsSoftKeywordStatement(peek().kind)) {
      return refuse("use `if` and `elif`");
    }
    if (word == "print" && startsSoftKeywordStatement(peek().kind)) {
      error(range, "`print` is a function").hint("write `ph.print(...)`");
      return true;
    }
    return false;
  default:
    return false;
  }
}

} // namespace phobos::syntax
