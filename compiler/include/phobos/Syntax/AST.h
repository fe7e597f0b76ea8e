// The syntax tree of the kernel subset of Python. Names and shapes follow CPython's `ast`; nodes are plain data in an
// arena, each with its source range, told apart by `kind` (llvm::isa / cast / dyn_cast work).
//
// Nothing changes a tree once it is parsed: threads and variants of a kernel share it, and what sema finds out goes
// into a tree of its own (Sema/Tree.h). An OpaqueExpr stands for an expression that is legal Python outside the subset
// where that is no error: in decorator arguments and in the assignments of enclosing scopes. It never occurs inside a
// kernel's body, parameters or annotations.
#pragma once

#include "phobos/Support/SourceRange.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"
#include <memory>
#include <type_traits>

namespace phobos::syntax {

struct Expr;
struct Stmt;
struct FunctionDef;

/// Owns every node, array and decoded string of a tree. Nothing is destroyed before the context itself.
class ASTContext {
public:
  template <typename T, typename... Args> T *create(Args &&...args) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    return new (arena.Allocate<T>()) T(std::forward<Args>(args)...);
  }
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> items) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    T *memory = arena.Allocate<T>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), memory);
    return {memory, items.size()};
  }
  llvm::StringRef copy(llvm::StringRef text) { return text.copy(arena); }

private:
  llvm::BumpPtrAllocator arena;
};

// --- Expressions
enum class UnaryOp : uint8_t { Plus, Minus, Not, Invert };
enum class BinaryOp : uint8_t { Add, Sub, Mul, MatMul, Div, FloorDiv, Mod, Pow, LShift, RShift, BitOr, BitXor, BitAnd };
enum class BoolOp : uint8_t { And, Or };
enum class CompareOp : uint8_t { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };

/// The operators as written: "//", "is not".
llvm::StringRef spelling(UnaryOp op);
llvm::StringRef spelling(BinaryOp op);
llvm::StringRef spelling(BoolOp op);
llvm::StringRef spelling(CompareOp op);

struct Expr {
  enum class Kind : uint8_t {
    Name,
    IntLiteral,
    FloatLiteral,
    BoolLiteral,
    NoneLiteral,
    StringLiteral,
    EllipsisLiteral,
    Unary,
    Binary,
    BoolOp,
    Compare,
    Conditional,
    Call,
    Attribute,
    Subscript,
    Slice,
    Tuple,
    List,
    Opaque,
  };
  /// The parser refuses deeper trees, so recursive walks need no guard of their own.
  static constexpr unsigned kMaxDepth = 500;

  const Kind kind;
  uint16_t depth = 1; ///< of the tree below, this node included
  SourceRange range;  ///< as in `ast`: enclosing parentheses belong only to a tuple

protected:
  Expr(Kind kind, SourceRange range) : kind(kind), range(range) {}
  void over(const Expr *child) {
    if (child && child->depth >= depth) {
      depth = child->depth + 1;
    }
  }
  void over(llvm::ArrayRef<Expr *> children) {
    for (const Expr *child : children) {
      over(child);
    }
  }
};

/// Gives a node its classof and its kind.
template <Expr::Kind K> struct ExprNode : Expr {
  static constexpr Expr::Kind kKind = K;
  static bool classof(const Expr *expr) { return expr->kind == K; }

protected:
  explicit ExprNode(SourceRange range) : Expr(K, range) {}
};

struct NameExpr : ExprNode<Expr::Kind::Name> {
  NameExpr(SourceRange range, llvm::StringRef name) : ExprNode(range), name(name) {}
  llvm::StringRef name;
};

struct IntLiteral : ExprNode<Expr::Kind::IntLiteral> {
  IntLiteral(SourceRange range, uint64_t value, bool fits, llvm::StringRef decimal)
      : ExprNode(range), value(value), fits(fits), decimal(decimal) {}
  uint64_t value;          ///< valid if `fits`; a sign is a Unary around the literal
  bool fits;               ///< false: needs more than 64 bits
  llvm::StringRef decimal; ///< the exact value in base ten
};

struct FloatLiteral : ExprNode<Expr::Kind::FloatLiteral> {
  FloatLiteral(SourceRange range, double value) : ExprNode(range), value(value) {}
  double value;
};

struct BoolLiteral : ExprNode<Expr::Kind::BoolLiteral> {
  BoolLiteral(SourceRange range, bool value) : ExprNode(range), value(value) {}
  bool value;
};

struct NoneLiteral : ExprNode<Expr::Kind::NoneLiteral> {
  explicit NoneLiteral(SourceRange range) : ExprNode(range) {}
};

struct StringLiteral : ExprNode<Expr::Kind::StringLiteral> {
  StringLiteral(SourceRange range, llvm::StringRef value) : ExprNode(range), value(value) {}
  llvm::StringRef value; ///< escapes decoded, adjacent literals joined
};

/// `...`
struct EllipsisLiteral : ExprNode<Expr::Kind::EllipsisLiteral> {
  explicit EllipsisLiteral(SourceRange range) : ExprNode(range) {}
};

struct UnaryExpr : ExprNode<Expr::Kind::Unary> {
  UnaryExpr(SourceRange range, UnaryOp op, Expr *operand) : ExprNode(range), op(op), operand(operand) { over(operand); }
  UnaryOp op;
  Expr *operand;
};

struct BinaryExpr : ExprNode<Expr::Kind::Binary> {
  BinaryExpr(SourceRange range, BinaryOp op, SourceRange opRange, Expr *lhs, Expr *rhs)
      : ExprNode(range), op(op), opRange(opRange), lhs(lhs), rhs(rhs) {
    over(lhs);
    over(rhs);
  }
  BinaryOp op;
  SourceRange opRange;
  Expr *lhs;
  Expr *rhs;
};

/// `a and b and c`: two or more operands.
struct BoolOpExpr : ExprNode<Expr::Kind::BoolOp> {
  BoolOpExpr(SourceRange range, BoolOp op, llvm::ArrayRef<Expr *> values) : ExprNode(range), op(op), values(values) {
    over(values);
  }
  BoolOp op;
  llvm::ArrayRef<Expr *> values;
};

/// `first op0 rest0 op1 rest1 ...`: one or more comparisons.
struct CompareExpr : ExprNode<Expr::Kind::Compare> {
  CompareExpr(SourceRange range, Expr *first, llvm::ArrayRef<CompareOp> ops, llvm::ArrayRef<Expr *> rest)
      : ExprNode(range), first(first), ops(ops), rest(rest) {
    over(first);
    over(rest);
  }
  Expr *first;
  llvm::ArrayRef<CompareOp> ops;
  llvm::ArrayRef<Expr *> rest;
};

/// `thenValue if condition else elseValue`
struct ConditionalExpr : ExprNode<Expr::Kind::Conditional> {
  ConditionalExpr(SourceRange range, Expr *condition, Expr *thenValue, Expr *elseValue)
      : ExprNode(range), condition(condition), thenValue(thenValue), elseValue(elseValue) {
    over(condition);
    over(thenValue);
    over(elseValue);
  }
  Expr *condition;
  Expr *thenValue;
  Expr *elseValue;
};

struct KeywordArg {
  llvm::StringRef name;
  SourceRange nameRange;
  Expr *value;
};

struct CallExpr : ExprNode<Expr::Kind::Call> {
  CallExpr(SourceRange range, Expr *callee, llvm::ArrayRef<Expr *> args, llvm::ArrayRef<KeywordArg> keywords)
      : ExprNode(range), callee(callee), args(args), keywords(keywords) {
    over(callee);
    over(args);
    for (const KeywordArg &keyword : keywords) {
      over(keyword.value);
    }
  }
  Expr *callee;
  llvm::ArrayRef<Expr *> args;
  llvm::ArrayRef<KeywordArg> keywords;
};

struct AttributeExpr : ExprNode<Expr::Kind::Attribute> {
  AttributeExpr(SourceRange range, Expr *base, llvm::StringRef name, SourceRange nameRange)
      : ExprNode(range), base(base), name(name), nameRange(nameRange) {
    over(base);
  }
  Expr *base;
  llvm::StringRef name;
  SourceRange nameRange;
};

/// `base[i, j]`. Items are any expressions, SliceExpr among them.
struct SubscriptExpr : ExprNode<Expr::Kind::Subscript> {
  SubscriptExpr(SourceRange range, Expr *base, llvm::ArrayRef<Expr *> indices, SourceRange indexRange, bool hasComma)
      : ExprNode(range), base(base), indices(indices), indexRange(indexRange), hasComma(hasComma) {
    over(base);
    over(indices);
  }
  Expr *base;
  llvm::ArrayRef<Expr *> indices;
  SourceRange indexRange; ///< first item to last, a trailing comma included
  bool hasComma;          ///< `a[i,]` is a tuple of one, `a[i]` is not
};

/// `start:stop:step` inside a subscript; each part may be null. `start:+length` is the same tree with a unary plus.
struct SliceExpr : ExprNode<Expr::Kind::Slice> {
  SliceExpr(SourceRange range, Expr *start, Expr *stop, Expr *step, Expr *span)
      : ExprNode(range), start(start), stop(stop), step(step), span(span) {
    over(start);
    over(stop);
    over(step);
  }
  Expr *start;
  Expr *stop;
  Expr *step;

  /// The length, if the slice is written `i:+length`; else null. For `i:+H` the operand H; where the plus leads a
  /// longer sum or product, as in `i:+H * 2`, all of `stop`, since the plus changes nothing.
  Expr *spanLength() const { return span; }

private:
  Expr *span;
};

struct TupleExpr : ExprNode<Expr::Kind::Tuple> {
  TupleExpr(SourceRange range, llvm::ArrayRef<Expr *> elements) : ExprNode(range), elements(elements) {
    over(elements);
  }
  llvm::ArrayRef<Expr *> elements;
};

struct ListExpr : ExprNode<Expr::Kind::List> {
  ListExpr(SourceRange range, llvm::ArrayRef<Expr *> elements) : ExprNode(range), elements(elements) { over(elements); }
  llvm::ArrayRef<Expr *> elements;
};

/// Outside the subset; known only by its range. See the top of the file for where it may occur.
struct OpaqueExpr : ExprNode<Expr::Kind::Opaque> {
  OpaqueExpr(SourceRange range, llvm::StringRef what) : ExprNode(range), what(what) {}
  llvm::StringRef what; ///< the construct, for messages: "a lambda"
};

// --- Statements
struct Stmt {
  enum class Kind : uint8_t {
    Assign,
    AnnAssign,
    AugAssign,
    For,
    While,
    If,
    Return,
    Break,
    Continue,
    Pass,
    Expr,
    Import,
    ImportFrom,
    FunctionDef,
  };
  /// Nesting of blocks, `elif` arms included, that the parser accepts.
  static constexpr unsigned kMaxDepth = 200;

  const Kind kind;
  SourceRange range;

protected:
  Stmt(Kind kind, SourceRange range) : kind(kind), range(range) {}
};

template <Stmt::Kind K> struct StmtNode : Stmt {
  static constexpr Stmt::Kind kKind = K;
  static bool classof(const Stmt *stmt) { return stmt->kind == K; }

protected:
  explicit StmtNode(SourceRange range) : Stmt(K, range) {}
};

using Block = llvm::ArrayRef<Stmt *>;

/// `a = b = value`: targets are names, attributes, subscripts, or tuples and lists of them.
struct AssignStmt : StmtNode<Stmt::Kind::Assign> {
  AssignStmt(SourceRange range, llvm::ArrayRef<Expr *> targets, Expr *value)
      : StmtNode(range), targets(targets), value(value) {}
  llvm::ArrayRef<Expr *> targets;
  Expr *value;
};

/// `target: annotation = value`; the value may be null.
struct AnnAssignStmt : StmtNode<Stmt::Kind::AnnAssign> {
  AnnAssignStmt(SourceRange range, Expr *target, Expr *annotation, Expr *value, bool simple)
      : StmtNode(range), target(target), annotation(annotation), value(value), simple(simple) {}
  Expr *target;
  Expr *annotation;
  Expr *value;
  bool simple; ///< the target is a name without parentheses
};

struct AugAssignStmt : StmtNode<Stmt::Kind::AugAssign> {
  AugAssignStmt(SourceRange range, Expr *target, BinaryOp op, SourceRange opRange, Expr *value)
      : StmtNode(range), target(target), op(op), opRange(opRange), value(value) {}
  Expr *target;
  BinaryOp op;
  SourceRange opRange;
  Expr *value;
};

struct ForStmt : StmtNode<Stmt::Kind::For> {
  ForStmt(SourceRange range, Expr *target, Expr *iterable, Block body)
      : StmtNode(range), target(target), iterable(iterable), body(body) {}
  Expr *target;
  Expr *iterable;
  Block body;
};

struct WhileStmt : StmtNode<Stmt::Kind::While> {
  WhileStmt(SourceRange range, Expr *condition, Block body) : StmtNode(range), condition(condition), body(body) {}
  Expr *condition;
  Block body;
};

/// An `elif` is an IfStmt alone in `orElse`.
struct IfStmt : StmtNode<Stmt::Kind::If> {
  IfStmt(SourceRange range, Expr *condition, Block body, Block orElse)
      : StmtNode(range), condition(condition), body(body), orElse(orElse) {}
  Expr *condition;
  Block body;
  Block orElse;
};

struct ReturnStmt : StmtNode<Stmt::Kind::Return> {
  ReturnStmt(SourceRange range, Expr *value) : StmtNode(range), value(value) {}
  Expr *value; ///< may be null
};

struct BreakStmt : StmtNode<Stmt::Kind::Break> {
  explicit BreakStmt(SourceRange range) : StmtNode(range) {}
};

struct ContinueStmt : StmtNode<Stmt::Kind::Continue> {
  explicit ContinueStmt(SourceRange range) : StmtNode(range) {}
};

struct PassStmt : StmtNode<Stmt::Kind::Pass> {
  explicit PassStmt(SourceRange range) : StmtNode(range) {}
};

struct ExprStmt : StmtNode<Stmt::Kind::Expr> {
  ExprStmt(SourceRange range, Expr *value) : StmtNode(range), value(value) {}
  Expr *value;
};

/// One name of an import: `name as asName`.
struct ImportAlias {
  llvm::StringRef name;   ///< dotted, or "*"
  llvm::StringRef asName; ///< empty: none
  SourceRange range;
};

struct ImportStmt : StmtNode<Stmt::Kind::Import> {
  ImportStmt(SourceRange range, llvm::ArrayRef<ImportAlias> names) : StmtNode(range), names(names) {}
  llvm::ArrayRef<ImportAlias> names;
};

/// `from ..module import names`
struct ImportFromStmt : StmtNode<Stmt::Kind::ImportFrom> {
  ImportFromStmt(SourceRange range, llvm::StringRef module, unsigned level, llvm::ArrayRef<ImportAlias> names)
      : StmtNode(range), module(module), level(level), names(names) {}
  llvm::StringRef module; ///< may be empty when level > 0
  unsigned level;         ///< leading dots
  llvm::ArrayRef<ImportAlias> names;
};

// --- Functions and the file
struct Decorator {
  llvm::StringRef name; ///< dotted, as in "ph.autotune"; empty if it is some other expression
  SourceRange range;    ///< after the `@`
  Expr *expr;           ///< the whole decorator, a Name, Attribute or Call; null if the function is FunctionRole::Other
};

enum class ParamKind : uint8_t { PositionalOnly, Normal, KeywordOnly };

struct Param {
  llvm::StringRef name;
  SourceRange nameRange;
  SourceRange range; ///< name and annotation
  ParamKind kind;
  Expr *annotation;   ///< may be null
  Expr *defaultValue; ///< may be null
};

enum class FunctionRole : uint8_t {
  Kernel, ///< `@ph.kernel`
  Device, ///< `@ph.fn`
  Other,  ///< decorated otherwise: only name, decorators and extent are known
};

/// A function, class or file in which constants and kernels may stand. Only what a kernel may see is kept.
/// A function or class that is no kernel's business: stepped over, but for its name.
struct PlainDefinition {
  llvm::StringRef name;
  SourceRange nameRange;
  bool isClass;
};

struct LexicalScope {
  enum class Kind : uint8_t { Module, Function, Class };
  /// An Assign, AnnAssign, AugAssign of this scope. A value outside the subset is an OpaqueExpr.
  struct Assignment {
    Stmt *stmt;
    bool conditional; ///< inside an if, loop, try, with: may not have run
  };

  Kind kind = Kind::Module;
  llvm::StringRef name;                    ///< empty for the module
  LexicalScope *parent = nullptr;          ///< null for the module
  llvm::ArrayRef<llvm::StringRef> params;  ///< of a function: these names hide outer ones, the text tells no value
  llvm::ArrayRef<Assignment> assignments;  ///< a `for` at this level counts as one of an OpaqueExpr to its target
  llvm::ArrayRef<Stmt *> imports;          ///< ImportStmt and ImportFromStmt
  llvm::ArrayRef<FunctionDef *> functions; ///< decorated ones directly in this scope
  llvm::ArrayRef<PlainDefinition> plain;   ///< the others, and classes
};

struct FunctionDef : StmtNode<Stmt::Kind::FunctionDef> {
  FunctionDef(SourceRange range, llvm::StringRef name, SourceRange nameRange)
      : StmtNode(range), name(name), nameRange(nameRange) {}
  llvm::StringRef name;
  SourceRange nameRange;
  llvm::StringRef qualifiedName; ///< Python's `__qualname__`: "test_add.<locals>.kernel"
  FunctionRole role = FunctionRole::Other;
  LexicalScope *enclosing = nullptr;
  llvm::ArrayRef<Decorator> decorators;

  // Empty for FunctionRole::Other.
  llvm::MutableArrayRef<Param> params;
  Expr *returns = nullptr;
  StringLiteral *docstring = nullptr; ///< also the first statement of the body
  Block body;
  bool hasErrors = false; ///< something in it did not parse and was reported
};

/// Device functions of other files, by the file that takes them and what they are called there: "gelu", "helpers.gelu".
class ImportTable {
public:
  void add(llvm::StringRef importer, llvm::StringRef name, const FunctionDef *function) {
    functions[key(importer, name)] = function;
  }
  /// Null if that file takes none of this name.
  const FunctionDef *find(llvm::StringRef importer, llvm::StringRef name) const {
    return functions.lookup(key(importer, name));
  }

private:
  static std::string key(llvm::StringRef importer, llvm::StringRef name) { return importer.str() + "\n" + name.str(); }
  llvm::StringMap<const FunctionDef *> functions;
};

struct Module {
  const SourceFile *file = nullptr;
  bool library = true;                     ///< may its functions call those of ph.std?
  const ImportTable *imported = nullptr;   ///< by this file, and by those that it takes functions from
  LexicalScope *scope = nullptr;           ///< imports and constants of the file itself
  llvm::ArrayRef<FunctionDef *> functions; ///< every decorated function at any depth, in source order
  StringLiteral *docstring = nullptr;

  const ImportTable &imports() const {
    static const ImportTable none;
    return imported ? *imported : none;
  }
};

} // namespace phobos::syntax
