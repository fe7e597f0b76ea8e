// The file level: steps over all of Python by its tokens and picks out what matters to kernels: imports, assignments
// and decorated functions, in whatever functions, classes and blocks they stand.
#include "ParserImpl.h"
#include "phobos/Syntax/Parser.h"

namespace phobos::syntax {

Module *Parser::parseModule() {
  LexicalScope *scope = context.create<LexicalScope>();
  ScopeBuilder builder{scope};
  Module *module = context.create<Module>();
  module->file = &file;
  module->scope = scope;
  if (at(TokenKind::String)) {
    llvm::SaveAndRestore silent(quiet, true);
    Expr *text = parseExpr();
    module->docstring = text && atEndOfLine() ? llvm::dyn_cast<StringLiteral>(text) : nullptr;
    index = 0;
  }
  scanBlock(builder, /*conditional=*/false, /*nested=*/false);
  finishScope(builder);
  module->functions = copy(functions);
  return module;
}

void Parser::finishScope(ScopeBuilder &builder) {
  LexicalScope &scope = *builder.scope;
  scope.params = copy(builder.params);
  scope.assignments = copy(builder.assignments);
  scope.imports = copy(builder.imports);
  scope.functions = copy(builder.functions);
  scope.plain = copy(builder.plain);
}

// --- Scanning
/// Statements to the end of the file, or past the Dedent of a nested block. `conditional`: they may not run, or run
/// repeatedly.
void Parser::scanBlock(ScopeBuilder &scope, bool conditional, bool nested) {
  while (!at(TokenKind::EndMarker)) {
    if (at(TokenKind::Dedent)) {
      advance();
      if (nested) {
        return;
      }
      continue; // after an unindent that fits nowhere, which was reported
    }
    scanStatement(scope, conditional);
  }
}

void Parser::scanStatement(ScopeBuilder &scope, bool conditional) {
  while (at(TokenKind::KwAsync)) {
    advance();
  }
  switch (current().kind) {
  case TokenKind::Indent:
    scanBody(scope, true);
    return;
  case TokenKind::At:
    scanDecorated(scope);
    return;
  case TokenKind::KwDef:
    scanDefinition(scope, LexicalScope::Kind::Function);
    return;
  case TokenKind::KwClass:
    scanDefinition(scope, LexicalScope::Kind::Class);
    return;
  case TokenKind::KwFor:
    scanLoopTarget(scope);
    [[fallthrough]];
  case TokenKind::KwIf:
  case TokenKind::KwElif:
  case TokenKind::KwElse:
  case TokenKind::KwWhile:
  case TokenKind::KwTry:
  case TokenKind::KwExcept:
  case TokenKind::KwFinally:
  case TokenKind::KwWith:
    skipToHeaderColon();
    scanBody(scope, true);
    return;
  default:
    scanSimpleLine(scope, conditional);
    return;
  }
}

/// After a header's colon: an indented block, or the rest of the line.
void Parser::scanBody(ScopeBuilder &scope, bool conditional) {
  accept(TokenKind::Newline);
  if (!at(TokenKind::Indent)) {
    if (index > 0 && !tokens[index - 1].is(TokenKind::Newline)) {
      scanSimpleLine(scope, conditional);
    }
    return;
  }
  llvm::SaveAndRestore deeper(blockDepth, blockDepth + 1);
  if (blockDepth > Stmt::kMaxDepth) {
    skipBlock();
    return;
  }
  advance();
  scanBlock(scope, conditional, /*nested=*/true);
}

/// Past the colon that ends a compound statement's header, or to the end of the line if there is none.
void Parser::skipToHeaderColon() {
  for (OpenParts open; !atEndOfLine(); advance()) {
    if (open.none() && accept(TokenKind::Colon)) {
      return;
    }
    open.pass(current().kind);
  }
}

void Parser::scanSimpleLine(ScopeBuilder &scope, bool conditional) {
  while (!atEndOfLine()) {
    size_t start = index;
    if (at(TokenKind::KwImport) || at(TokenKind::KwFrom)) {
      llvm::SaveAndRestore silent(quiet, true);
      if (Stmt *import = at(TokenKind::KwImport) ? parseImport() : parseImportFrom()) {
        scope.imports.push_back(import);
      }
    } else if (at(TokenKind::Name) || at(TokenKind::LParen) || at(TokenKind::LBracket)) {
      if (Stmt *assignment = scanAssignment()) {
        scope.assignments.push_back({assignment, conditional});
      } else {
        index = start;
      }
    }
    while (!atEndOfLine() && !at(TokenKind::Semicolon)) {
      advance();
    }
    accept(TokenKind::Semicolon);
  }
  accept(TokenKind::Newline);
}

static bool onlyNames(const Expr *target) {
  if (auto *tuple = llvm::dyn_cast<TupleExpr>(target)) {
    return llvm::all_of(tuple->elements, onlyNames);
  }
  if (auto *list = llvm::dyn_cast<ListExpr>(target)) {
    return llvm::all_of(list->elements, onlyNames);
  }
  return llvm::isa<NameExpr>(target);
}

/// An assignment to names, its value opaque where it is outside the subset; null if the statement is something else.
Stmt *Parser::scanAssignment() {
  llvm::SaveAndRestore silent(quiet, true);
  uint32_t begin = current().begin;
  // Cheap tests first: most lines of a host program are no assignments.
  if (at(TokenKind::Name) &&
      (peek().is(TokenKind::LParen) || peek().is(TokenKind::Dot) || peek().is(TokenKind::Newline))) {
    return nullptr;
  }
  Expr *first = parseExprList();
  if (!first || !onlyNames(first)) {
    return nullptr;
  }
  if (at(TokenKind::Colon) && llvm::isa<NameExpr>(first)) {
    return scanAnnotated(begin, first);
  }
  if (!at(TokenKind::Equal)) {
    return atAugmentedAssignment() && llvm::isa<NameExpr>(first) ? parseAugmented(begin, first) : nullptr;
  }
  llvm::SmallVector<Expr *, 2> sides{first};
  while (accept(TokenKind::Equal)) {
    sides.push_back(parseExprOrOpaque(/*stopAtComma=*/false));
    if (at(TokenKind::Equal) && !onlyNames(sides.back())) {
      sides.pop_back(); // a target such as `a.b`, which binds no name
    }
  }
  Expr *value = sides.pop_back_val();
  return context.create<AssignStmt>(rangeFrom(begin), copy(sides), value);
}

/// `name: annotation = value`; without a value nothing is bound.
Stmt *Parser::scanAnnotated(uint32_t begin, Expr *target) {
  advance();
  Expr *annotation = parseExprOrOpaque(/*stopAtComma=*/false);
  if (!accept(TokenKind::Equal)) {
    return nullptr;
  }
  Expr *value = parseExprOrOpaque(/*stopAtComma=*/false);
  return context.create<AnnAssignStmt>(rangeFrom(begin), target, annotation, value, target->range.begin == begin);
}

/// `for` targets rebind names, so they count as assignments of values the text does not tell.
void Parser::scanLoopTarget(ScopeBuilder &scope) {
  llvm::SaveAndRestore silent(quiet, true);
  size_t start = index;
  uint32_t begin = current().begin;
  advance();
  Expr *target = parseTargetList();
  if (target && at(TokenKind::KwIn) && onlyNames(target)) {
    Expr *value = context.create<OpaqueExpr>(target->range, "a loop variable");
    Stmt *assign = context.create<AssignStmt>(rangeFrom(begin), context.copy(llvm::ArrayRef<Expr *>(target)), value);
    scope.assignments.push_back({assign, true});
  }
  index = start;
}

/// A function or class that is no kernel: its own scope, searched for kernels in turn. At `def` or `class`.
void Parser::scanDefinition(ScopeBuilder &outer, LexicalScope::Kind kind) {
  advance();
  LexicalScope *scope = context.create<LexicalScope>();
  scope->kind = kind;
  scope->parent = outer.scope;
  ScopeBuilder builder{scope, &outer};
  if (at(TokenKind::Name)) {
    scope->name = textOf(current());
    outer.plain.push_back({scope->name, rangeOf(current()), kind == LexicalScope::Kind::Class});
    advance();
  }
  if (kind == LexicalScope::Kind::Function && at(TokenKind::LParen)) {
    scanParams(builder);
  }
  skipToHeaderColon();
  scanBody(builder, /*conditional=*/false);
  finishScope(builder);
}

/// The names of a function's parameters, from its `(`; leaves the tokens there.
void Parser::scanParams(ScopeBuilder &function) {
  size_t start = index;
  unsigned brackets = 0;
  for (; !atEndOfLine(); advance()) {
    TokenKind before = index ? tokens[index - 1].kind : TokenKind::Newline;
    bool startsParam = before == TokenKind::LParen || before == TokenKind::Comma || before == TokenKind::Star ||
                       before == TokenKind::StarStar;
    if (brackets == 1 && startsParam && at(TokenKind::Name)) {
      function.params.push_back(textOf(current()));
    }
    brackets += at(TokenKind::LParen) || at(TokenKind::LBracket) || at(TokenKind::LBrace);
    brackets -= at(TokenKind::RParen) || at(TokenKind::RBracket) || at(TokenKind::RBrace);
    if (brackets == 0) {
      break;
    }
  }
  index = start;
}

// --- Imports
llvm::StringRef Parser::parseDottedName() {
  uint32_t begin = current().begin;
  std::string name;
  do {
    if (!at(TokenKind::Name)) {
      expected("a module name");
      return {};
    }
    name += textOf(current());
    name += '.';
    advance();
  } while (accept(TokenKind::Dot));
  name.pop_back();
  // As written, unless blanks stand around the dots.
  llvm::StringRef written = file.text().slice(begin, previousEnd());
  return written == name ? written : context.copy(name);
}

bool Parser::parseImportName(ImportAlias &alias, bool dotted) {
  uint32_t begin = current().begin;
  alias.name = dotted ? parseDottedName() : textOf(current());
  if (alias.name.empty() || (!dotted && !expect(TokenKind::Name, "to import"))) {
    return false;
  }
  if (accept(TokenKind::KwAs)) {
    alias.asName = textOf(current());
    if (!expect(TokenKind::Name, "after `as`")) {
      return false;
    }
  }
  alias.range = rangeFrom(begin);
  return true;
}

Stmt *Parser::parseImport() {
  uint32_t begin = current().begin;
  advance();
  llvm::SmallVector<ImportAlias, 2> names;
  do {
    if (!parseImportName(names.emplace_back(), /*dotted=*/true)) {
      return nullptr;
    }
  } while (accept(TokenKind::Comma));
  return context.create<ImportStmt>(rangeFrom(begin), copy(names));
}

Stmt *Parser::parseImportFrom() {
  uint32_t begin = current().begin;
  advance();
  unsigned level = 0;
  for (; at(TokenKind::Dot) || at(TokenKind::Ellipsis); advance()) {
    level += at(TokenKind::Dot) ? 1 : 3;
  }
  llvm::StringRef module;
  if (level == 0 || at(TokenKind::Name)) {
    module = parseDottedName();
    if (module.empty()) {
      return nullptr;
    }
  }
  if (!expect(TokenKind::KwImport, "after the module")) {
    return nullptr;
  }
  llvm::SmallVector<ImportAlias, 4> names;
  if (at(TokenKind::Star)) {
    names.push_back({textOf(current()), {}, rangeOf(current())});
    advance();
    return context.create<ImportFromStmt>(rangeFrom(begin), module, level, copy(names));
  }
  bool parenthesized = accept(TokenKind::LParen);
  do {
    if (!parseImportName(names.emplace_back(), /*dotted=*/false)) {
      return nullptr;
    }
  } while (accept(TokenKind::Comma) && !at(TokenKind::RParen));
  if (parenthesized && !expect(TokenKind::RParen, "to close the list of names")) {
    return nullptr;
  }
  return context.create<ImportFromStmt>(rangeFrom(begin), module, level, copy(names));
}

// --- Entry points
Module *parseModule(const SourceFile &file, ASTContext &context, DiagnosticEngine &diagnostics) {
  return Parser(file, context, diagnostics).parseModule();
}

Expr *parseExpression(const SourceFile &file, ASTContext &context, DiagnosticEngine &diagnostics) {
  return Parser(file, context, diagnostics).parseWholeExpression();
}

} // namespace phobos::syntax
