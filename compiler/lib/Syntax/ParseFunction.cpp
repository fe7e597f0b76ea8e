// Decorated functions: which are ours, and for those the decorators, parameters and body in full.
#include "ParserImpl.h"
#include <optional>

namespace phobos::syntax {

// --- Whose decorator
/// What an import binds `name` to, as a dotted path ("phobos.lang.kernel"); empty path: something of a relative import.
static std::optional<std::string> importedAs(const Stmt *stmt, llvm::StringRef name) {
  if (auto *import = llvm::dyn_cast<ImportStmt>(stmt)) {
    for (const ImportAlias &alias : import->names) {
      if (!alias.asName.empty() ? alias.asName == name : alias.name.split('.').first == name) {
        return alias.asName.empty() ? name.str() : alias.name.str();
      }
    }
    return std::nullopt;
  }
  auto *from = llvm::cast<ImportFromStmt>(stmt);
  for (const ImportAlias &alias : from->names) {
    if ((alias.asName.empty() ? alias.name : alias.asName) == name) {
      return from->level ? std::string() : (from->module + "." + alias.name).str();
    }
  }
  return std::nullopt;
}

static bool importsAllOfPhobos(const Stmt *stmt) {
  auto *from = llvm::dyn_cast<ImportFromStmt>(stmt);
  return from && from->names.front().name == "*" && from->module.starts_with("phobos");
}

/// `X.kernel` and `X.fn` are ours unless X is imported from elsewhere, so a kernel is seen even where its import is
/// not; likewise a bare `kernel`. A bare `fn` is too common a name: it must come from phobos.
FunctionRole Parser::roleOf(llvm::StringRef decorator, const ScopeBuilder &innermost) const {
  auto [root, rest] = decorator.split('.');
  llvm::StringRef leaf = decorator.rsplit('.').second;
  if (rest.empty()) {
    leaf = root;
  }
  bool ours = leaf != "fn" || !rest.empty();
  bool found = false;
  std::string path;
  for (const ScopeBuilder *scope = &innermost; scope && !found; scope = scope->parent) {
    for (const Stmt *import : llvm::reverse(scope->imports)) {
      if (std::optional<std::string> bound = importedAs(import, root)) {
        path = *bound;
        found = true;
        break;
      }
      ours |= importsAllOfPhobos(import);
    }
  }
  if (found && !path.empty()) {
    llvm::StringRef full = path;
    // A name `ph` is taken for ours even if some module of the user's hands it on.
    ours = full.split('.').first == "phobos" || root == "ph";
    if (rest.empty()) {
      leaf = full.rsplit('.').second;
    }
  }
  if (!ours) {
    return FunctionRole::Other;
  }
  return leaf == "kernel" ? FunctionRole::Kernel : leaf == "fn" ? FunctionRole::Device : FunctionRole::Other;
}

// --- Decorators
/// Past one decorator and the end of its line; its name is all that is looked at.
Decorator Parser::scanDecorator() {
  advance(); // the `@`
  uint32_t begin = current().begin;
  Decorator decorator{{}, {}, nullptr};
  if (at(TokenKind::Name)) {
    llvm::SaveAndRestore silent(quiet, true);
    llvm::StringRef name = parseDottedName();
    if (at(TokenKind::Newline) || at(TokenKind::LParen)) {
      decorator.name = name;
    }
  }
  while (!atEndOfLine()) {
    advance();
  }
  decorator.range = rangeFrom(begin);
  accept(TokenKind::Newline);
  return decorator;
}

/// A kernel's decorator: a dotted name, or a call of one whose arguments may be any Python.
Expr *Parser::parseDecorator(size_t start) {
  index = start;
  uint32_t begin = current().begin;
  Expr *expr = make<NameExpr>(rangeOf(current()), textOf(current()));
  advance();
  while (expr && accept(TokenKind::Dot)) {
    Token name = current();
    advance();
    expr = make<AttributeExpr>(rangeFrom(begin), expr, textOf(name), rangeOf(name));
  }
  if (!expr || !accept(TokenKind::LParen)) {
    return expr;
  }
  llvm::SmallVector<Expr *, 4> args;
  llvm::SmallVector<KeywordArg, 4> keywords;
  while (!at(TokenKind::RParen) && !atEndOfLine()) {
    bool named = at(TokenKind::Name) && peek().is(TokenKind::Equal);
    Token name = current();
    if (named) {
      advance();
      advance();
    }
    Expr *value = parseExprOrOpaque(/*stopAtComma=*/true);
    if (!value) {
      return nullptr;
    }
    if (named) {
      keywords.push_back({textOf(name), rangeOf(name), value});
    } else if (!keywords.empty()) {
      error(value->range, "a positional argument follows a keyword argument");
      return nullptr;
    } else {
      args.push_back(value);
    }
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  if (!expect(TokenKind::RParen, "to close the call")) {
    return nullptr;
  }
  return make<CallExpr>(rangeFrom(begin), expr, copy(args), copy(keywords));
}

void Parser::scanDecorated(ScopeBuilder &scope) {
  llvm::SmallVector<Decorator, 8> decorators;
  llvm::SmallVector<size_t, 8> starts;
  FunctionRole role = FunctionRole::Other;
  SourceRange roleRange;
  while (at(TokenKind::At)) {
    starts.push_back(index + 1);
    decorators.push_back(scanDecorator());
    FunctionRole own = decorators.back().name.empty() ? FunctionRole::Other : roleOf(decorators.back().name, scope);
    if (own == FunctionRole::Other) {
      continue;
    }
    if (role != FunctionRole::Other) {
      failed = true;
      error(decorators.back().range, "a function is decorated once as a kernel or device function")
          .note(roleRange, "decorated here already");
    }
    role = own;
    roleRange = decorators.back().range;
  }
  bool async = accept(TokenKind::KwAsync);
  bool ours = role != FunctionRole::Other;
  if (ours && (async || !at(TokenKind::KwDef))) {
    error(roleRange, "`@" + file.text(roleRange).split('(').first + "` decorates a plain function, got " +
                         (async ? "an async one" : describe(current())));
    ours = false;
  }
  if (!at(TokenKind::KwDef) || !peek().is(TokenKind::Name)) {
    return; // a class, or no Python: the next statement as far as this one is concerned
  }
  auto *function = context.create<FunctionDef>(rangeOf(current()), textOf(peek()), rangeOf(peek()));
  function->role = ours ? role : FunctionRole::Other;
  function->enclosing = scope.scope;
  std::string qualified = function->name.str();
  for (const LexicalScope *s = scope.scope; s->parent; s = s->parent) {
    qualified = (s->name + (s->kind == LexicalScope::Kind::Class ? "." : ".<locals>.") + qualified).str();
  }
  function->qualifiedName = context.copy(qualified);
  functions.push_back(function);
  scope.functions.push_back(function);

  size_t definition = index;
  if (!ours) {
    scanDefinition(scope, LexicalScope::Kind::Function);
    function->range.end = std::max(function->range.end, previousTextEnd());
  } else {
    llvm::SaveAndRestore fresh(failed, false);
    for (size_t i = 0; i < decorators.size(); ++i) {
      if (!decorators[i].name.empty()) {
        decorators[i].expr = parseDecorator(starts[i]);
      } else {
        error(decorators[i].range, "expected a decorator such as `ph.launch(128)`");
      }
    }
    index = definition;
    parseFunction(*function);
    function->hasErrors = failed;
  }
  function->decorators = copy(decorators);
}

// --- Kernels and device functions
/// At `def`; past the body afterwards, whatever happens.
void Parser::parseFunction(FunctionDef &function) {
  advance(); // def
  advance(); // its name
  llvm::SmallVector<Param, 8> params;
  bool good = expect(TokenKind::LParen, "after the function's name") && parseParams(params);
  if (good && accept(TokenKind::Arrow)) {
    function.returns = parseExpr();
    good = function.returns != nullptr;
  }
  llvm::ArrayRef<Param> stored = copy(params);
  function.params = {const_cast<Param *>(stored.data()), stored.size()};
  if (!good) {
    // The body is still worth reading: its errors are separate ones.
    skipToHeaderColon();
    if (index && tokens[index - 1].is(TokenKind::Colon)) {
      --index;
    }
  }
  function.body = parseSuite("the function's header");
  function.range.end = std::max(function.range.end, previousTextEnd());
  if (!function.body.empty()) {
    if (auto *first = llvm::dyn_cast<ExprStmt>(function.body.front())) {
      function.docstring = llvm::dyn_cast<StringLiteral>(first->value);
    }
  }
}

/// From after `(` to past `)`.
bool Parser::parseParams(llvm::SmallVectorImpl<Param> &params) {
  ParamKind kind = ParamKind::Normal;
  while (!at(TokenKind::RParen)) {
    SourceRange range = rangeOf(current());
    if (accept(TokenKind::Slash)) {
      bool first = params.empty() || kind == ParamKind::KeywordOnly;
      if (first || params.front().kind == ParamKind::PositionalOnly) {
        error(range, "misplaced `/` among the parameters");
        return false;
      }
      for (Param &param : params) {
        param.kind = ParamKind::PositionalOnly;
      }
    } else if (at(TokenKind::Star) && (peek().is(TokenKind::Comma) || peek().is(TokenKind::RParen))) {
      advance();
      bool last = at(TokenKind::RParen) || peek().is(TokenKind::RParen);
      if (kind == ParamKind::KeywordOnly || last) {
        error(range,
              kind == ParamKind::KeywordOnly ? "a second `*` among the parameters" : "a parameter must follow `*`");
        return false;
      }
      kind = ParamKind::KeywordOnly;
    } else if (at(TokenKind::Star) || at(TokenKind::StarStar)) {
      unsupported(range, "a variable number of parameters", "name each parameter");
      advance();
      if (!parseParam(params, kind)) {
        return false;
      }
    } else if (!parseParam(params, kind)) {
      return false;
    }
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  return expect(TokenKind::RParen, "to close the parameters");
}

bool Parser::parseParam(llvm::SmallVectorImpl<Param> &params, ParamKind kind) {
  Token name = current();
  if (!at(TokenKind::Name)) {
    expected("a parameter");
    return false;
  }
  advance();
  for (const Param &other : params) {
    if (other.name == textOf(name)) {
      error(rangeOf(name), "parameter `" + other.name + "` is named twice").note(other.nameRange, "first here");
      break;
    }
  }
  Param param{textOf(name), rangeOf(name), {}, kind, nullptr, nullptr};
  if (accept(TokenKind::Colon)) {
    param.annotation = parseExpr();
    if (!param.annotation) {
      return false;
    }
  }
  param.range = rangeFrom(name.begin);
  if (accept(TokenKind::Equal)) {
    param.defaultValue = parseExpr();
    if (!param.defaultValue) {
      return false;
    }
  } else if (kind != ParamKind::KeywordOnly && !params.empty() && params.back().defaultValue) {
    error(param.range, "a parameter without a default follows one with a default");
    return false;
  }
  params.push_back(param);
  return true;
}

} // namespace phobos::syntax
