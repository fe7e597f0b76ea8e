// The recursive-descent parser's state and its members, shared by the Parse*.cpp files. A parse function that fails has
// reported why, returns null or false, and leaves the tokens wherever it stopped; parseBlock() and the module scanner
// are where parsing resumes, at the next statement.
#pragma once

#include "phobos/Support/Diagnostic.h"
#include "phobos/Support/SourceFile.h"
#include "phobos/Syntax/AST.h"
#include "phobos/Syntax/Lexer.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/SaveAndRestore.h"
#include <vector>

namespace phobos::syntax {

/// A LexicalScope while its lists still grow.
struct ScopeBuilder {
  LexicalScope *scope = nullptr;
  ScopeBuilder *parent = nullptr;
  llvm::SmallVector<llvm::StringRef, 4> params{};
  llvm::SmallVector<LexicalScope::Assignment, 8> assignments{};
  llvm::SmallVector<Stmt *, 4> imports{};
  llvm::SmallVector<FunctionDef *, 4> functions{};
  llvm::SmallVector<PlainDefinition, 4> plain{};
};

/// What is open at a token of a line: brackets, and lambdas whose colon is still to come (their commas separate
/// parameters, their `=` are defaults).
struct OpenParts {
  unsigned brackets = 0, lambdas = 0;
  bool none() const { return brackets == 0 && lambdas == 0; }
  void pass(TokenKind kind);
};

class Parser {
public:
  Parser(const SourceFile &file, ASTContext &context, DiagnosticEngine &diagnostics);

  Module *parseModule();
  Expr *parseWholeExpression();

private:
  // --- Tokens and errors
  const Token &current() const { return tokens[index]; }
  const Token &peek(size_t ahead = 1) const { return tokens[std::min(index + ahead, tokens.size() - 1)]; }
  bool at(TokenKind kind) const { return current().is(kind); }
  bool atEndOfLine() const { return at(TokenKind::Newline) || at(TokenKind::EndMarker); }
  void advance() {
    if (index + 1 < tokens.size()) {
      ++index;
    }
  }
  bool accept(TokenKind kind) {
    bool found = at(kind);
    if (found) {
      advance();
    }
    return found;
  }
  /// Consumes `kind`, or reports "expected `)` <where>, got ...".
  bool expect(TokenKind kind, const llvm::Twine &where);

  uint32_t previousEnd() const { return index ? tokens[index - 1].end : 0; }
  /// As previousEnd(), past the line breaks and dedents that end a block.
  uint32_t previousTextEnd() const;
  SourceRange rangeOf(const Token &token) const { return {&file, token.begin, token.end}; }
  SourceRange rangeFrom(uint32_t begin) const { return {&file, begin, std::max(begin, previousEnd())}; }
  llvm::StringRef textOf(const Token &token) const { return file.text().slice(token.begin, token.end); }

  /// Goes nowhere while `quiet`.
  Diagnostic &error(SourceRange range, const llvm::Twine &message);
  /// "expected X, got Y" at the current token; silent at an Error token, which the lexer reported.
  Diagnostic &expected(const llvm::Twine &what);
  bool isInUnclosedBracket() const;
  /// A construct that is Python but not of the subset.
  std::nullptr_t unsupported(SourceRange range, llvm::StringRef what, llvm::StringRef hint = {});
  std::string describe(const Token &token) const;

  /// Bounds the recursion of the parser itself; the depth of the trees is bounded by make().
  static constexpr unsigned kMaxNesting = 200;
  bool tooDeep();

  /// Creates an expression, or reports that it is too deep and returns null.
  template <typename T, typename... Args> Expr *make(SourceRange range, Args &&...args) {
    Expr *expr = context.create<T>(range, std::forward<Args>(args)...);
    return checkDepth(expr);
  }
  Expr *checkDepth(Expr *expr);

  template <typename T, unsigned N> llvm::ArrayRef<T> copy(const llvm::SmallVector<T, N> &items) {
    return context.copy(llvm::ArrayRef<T>(items));
  }

  // --- ParseExpr.cpp
  Expr *parseExpr();
  /// `a, b` without parentheses is a tuple.
  Expr *parseExprList();
  Expr *parseOr();
  Expr *parseAnd();
  Expr *parseNot();
  Expr *parseComparison();
  Expr *parseBinary(unsigned minPrecedence);
  Expr *parseUnary();
  Expr *parsePower();
  Expr *parsePostfix();
  Expr *parseAtom();
  Expr *parseParenthesized();
  Expr *parseList();
  Expr *parseBraces();
  Expr *parseCall(uint32_t begin, Expr *callee);
  Expr *parseSubscript(uint32_t begin, Expr *base);
  Expr *parseSubscriptItem();
  Expr *parseTargetList();
  bool atListEnd() const;
  /// Reports a construct that begins at the current token and is no expression of the subset; false if there is none.
  bool refuseExpressionStart();
  bool refuseAfterElement(llvm::StringRef comprehension);

  /// An expression up to `,` `)` `;` or the end of the line, or, if it is outside the subset, an OpaqueExpr over as
  /// much.
  Expr *parseExprOrOpaque(bool stopAtComma);

  // --- ParseLiteral.cpp
  Expr *parseNumber();
  Expr *parseStrings();
  bool decodeString(const Token &token, std::string &out);
  bool decodeEscape(uint32_t &pos, uint32_t end, std::string &out);

  // --- ParseStmt.cpp
  Block parseSuite(llvm::StringRef owner);
  Block parseBlock();
  bool parseStatement(llvm::SmallVectorImpl<Stmt *> &out);
  bool parseSimpleLine(llvm::SmallVectorImpl<Stmt *> &out);
  Stmt *parseSimple();
  Stmt *parseExprOrAssignment();
  Stmt *parseAnnotated(uint32_t begin, Expr *target);
  Stmt *parseAugmented(uint32_t begin, Expr *target);
  bool atAugmentedAssignment() const;
  Stmt *parseIf();
  Stmt *parseFor();
  Stmt *parseWhile();
  bool refuseLoopElse();
  bool refuseStatement();
  bool checkTarget(const Expr *target, bool single);
  bool endOfStatement();
  void skipStatement();
  void skipBlock();

  // --- ParseModule.cpp
  void scanBlock(ScopeBuilder &scope, bool conditional, bool nested);
  void scanStatement(ScopeBuilder &scope, bool conditional);
  void scanSimpleLine(ScopeBuilder &scope, bool conditional);
  Stmt *scanAssignment();
  Stmt *scanAnnotated(uint32_t begin, Expr *target);
  void scanLoopTarget(ScopeBuilder &scope);
  void scanDefinition(ScopeBuilder &scope, LexicalScope::Kind kind);
  void scanBody(ScopeBuilder &scope, bool conditional);
  void scanParams(ScopeBuilder &function);
  void skipToHeaderColon();
  void finishScope(ScopeBuilder &builder);
  Stmt *parseImport();
  Stmt *parseImportFrom();
  bool parseImportName(ImportAlias &alias, bool dotted);
  llvm::StringRef parseDottedName();

  // --- ParseFunction.cpp
  void scanDecorated(ScopeBuilder &scope);
  Decorator scanDecorator();
  Expr *parseDecorator(size_t start);
  FunctionRole roleOf(llvm::StringRef decorator, const ScopeBuilder &scope) const;
  void parseFunction(FunctionDef &function);
  bool parseParams(llvm::SmallVectorImpl<Param> &params);
  bool parseParam(llvm::SmallVectorImpl<Param> &params, ParamKind kind);

  const SourceFile &file;
  ASTContext &context;
  DiagnosticEngine &diagnostics;
  DiagnosticEngine ignored;  ///< where errors go while quiet
  std::vector<Token> tokens; ///< without comments and non-logical line breaks
  size_t index = 0;
  bool quiet = false;
  bool failed = false;         ///< something was wrong in the function being parsed
  std::string lastUnsupported; ///< what the latest unsupported() was about
  unsigned nesting = 0;
  unsigned blockDepth = 0;
  llvm::SmallVector<FunctionDef *, 8> functions;
};

} // namespace phobos::syntax
