// The `--emit ast` form: (kind details line:column children...), one node a line.
#include "phobos/Syntax/ASTDump.h"
#include "phobos/Support/SourceFile.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

namespace phobos::syntax {

namespace {

class Dumper {
public:
  Dumper(llvm::raw_ostream &os, unsigned depth) : os(os), depth(depth) {}

  void module(const Module &module);
  void function(const FunctionDef &function);
  void stmt(const Stmt &stmt);
  void expr(const Expr &expr);

private:
  /// Writes "(head line:column", what `children` writes one level deeper, and ")".
  template <typename Children> void node(const llvm::Twine &head, SourceRange range, Children children) {
    startLine();
    os << '(' << head;
    position(range);
    ++depth;
    children();
    --depth;
    os << ')';
  }
  void leaf(const llvm::Twine &head, SourceRange range) {
    node(head, range, [] {});
  }
  /// A labelled group without a position; nothing if `items` is empty.
  template <typename Items, typename Each> void group(llvm::StringRef label, const Items &items, Each each) {
    if (items.empty()) {
      return;
    }
    node(label, SourceRange(), [&] {
      for (const auto &item : items) {
        each(item);
      }
    });
  }
  void block(llvm::StringRef label, Block statements) {
    group(label, statements, [&](const Stmt *s) { stmt(*s); });
  }
  void optional(llvm::StringRef label, const Expr *value) {
    if (value) {
      node(label, SourceRange(), [&] { expr(*value); });
    }
  }
  void exprs(llvm::ArrayRef<Expr *> items) {
    for (const Expr *item : items) {
      expr(*item);
    }
  }
  void alias(const ImportAlias &alias) {
    leaf(alias.asName.empty() ? alias.name.str() : (alias.name + " as " + alias.asName).str(), SourceRange());
  }
  void startLine() {
    if (!first) {
      os << '\n';
    }
    first = false;
    os.indent(2 * depth);
  }
  void position(SourceRange range) {
    if (range.isValid()) {
      LineColumn where = range.file->lineColumn(range.begin);
      os << ' ' << where.line << ':' << where.column;
    }
  }
  static std::string quoted(llvm::StringRef text) {
    std::string out;
    llvm::raw_string_ostream stream(out);
    stream << '"';
    stream.write_escaped(text);
    stream << '"';
    return out;
  }

  llvm::raw_ostream &os;
  unsigned depth;
  bool first = true;
};

void Dumper::module(const Module &module) {
  node("module " + quoted(module.file->path()), SourceRange(), [&] {
    group("imports", module.scope->imports, [&](const Stmt *s) { stmt(*s); });
    group("assignments", module.scope->assignments, [&](const LexicalScope::Assignment &assignment) {
      if (!assignment.conditional) {
        stmt(*assignment.stmt);
        return;
      }
      node("conditional", SourceRange(), [&] { stmt(*assignment.stmt); });
    });
    for (const FunctionDef *f : module.functions) {
      function(*f);
    }
  });
  os << '\n';
}

void Dumper::function(const FunctionDef &f) {
  llvm::StringRef role = f.role == FunctionRole::Kernel   ? "kernel "
                         : f.role == FunctionRole::Device ? "fn "
                                                          : "function ";
  node(role + f.qualifiedName, f.range, [&] {
    for (const Decorator &decorator : f.decorators) {
      node("decorator " + decorator.name, decorator.range, [&] {
        if (decorator.expr) {
          expr(*decorator.expr);
        }
      });
    }
    for (const Param &param : f.params) {
      llvm::StringRef kind = param.kind == ParamKind::PositionalOnly ? " positional-only"
                             : param.kind == ParamKind::KeywordOnly  ? " keyword-only"
                                                                     : "";
      node("param " + param.name + kind, param.range, [&] {
        if (param.annotation) {
          expr(*param.annotation);
        }
        optional("default", param.defaultValue);
      });
    }
    optional("returns", f.returns);
    block("body", f.body);
  });
}

void Dumper::stmt(const Stmt &s) {
  switch (s.kind) {
  case Stmt::Kind::Assign: {
    auto &assign = llvm::cast<AssignStmt>(s);
    node("assign", s.range, [&] {
      exprs(assign.targets);
      expr(*assign.value);
    });
    return;
  }
  case Stmt::Kind::AnnAssign: {
    auto &assign = llvm::cast<AnnAssignStmt>(s);
    node("annotated-assign", s.range, [&] {
      expr(*assign.target);
      optional("annotation", assign.annotation);
      if (assign.value) {
        expr(*assign.value);
      }
    });
    return;
  }
  case Stmt::Kind::AugAssign: {
    auto &assign = llvm::cast<AugAssignStmt>(s);
    node("assign " + spelling(assign.op) + "=", s.range, [&] {
      expr(*assign.target);
      expr(*assign.value);
    });
    return;
  }
  case Stmt::Kind::For: {
    auto &loop = llvm::cast<ForStmt>(s);
    node("for", s.range, [&] {
      expr(*loop.target);
      expr(*loop.iterable);
      block("body", loop.body);
    });
    return;
  }
  case Stmt::Kind::While: {
    auto &loop = llvm::cast<WhileStmt>(s);
    node("while", s.range, [&] {
      expr(*loop.condition);
      block("body", loop.body);
    });
    return;
  }
  case Stmt::Kind::If: {
    auto &branch = llvm::cast<IfStmt>(s);
    node("if", s.range, [&] {
      expr(*branch.condition);
      block("then", branch.body);
      block("else", branch.orElse);
    });
    return;
  }
  case Stmt::Kind::Return: {
    auto &ret = llvm::cast<ReturnStmt>(s);
    node("return", s.range, [&] {
      if (ret.value) {
        expr(*ret.value);
      }
    });
    return;
  }
  case Stmt::Kind::Break:
    return leaf("break", s.range);
  case Stmt::Kind::Continue:
    return leaf("continue", s.range);
  case Stmt::Kind::Pass:
    return leaf("pass", s.range);
  case Stmt::Kind::Expr:
    return node("do", s.range, [&] { expr(*llvm::cast<ExprStmt>(s).value); });
  case Stmt::Kind::Import:
    return node("import", s.range, [&] {
      for (const ImportAlias &name : llvm::cast<ImportStmt>(s).names) {
        alias(name);
      }
    });
  case Stmt::Kind::ImportFrom: {
    auto &import = llvm::cast<ImportFromStmt>(s);
    return node("import-from " + std::string(import.level, '.') + import.module, s.range, [&] {
      for (const ImportAlias &name : import.names) {
        alias(name);
      }
    });
  }
  case Stmt::Kind::FunctionDef:
    return function(llvm::cast<FunctionDef>(s));
  }
}

void Dumper::expr(const Expr &e) {
  switch (e.kind) {
  case Expr::Kind::Name:
    return leaf("name " + llvm::cast<NameExpr>(e).name, e.range);
  case Expr::Kind::IntLiteral:
    return leaf("int " + llvm::cast<IntLiteral>(e).decimal, e.range);
  case Expr::Kind::FloatLiteral:
    return leaf("float " + e.range.file->text(e.range), e.range);
  case Expr::Kind::BoolLiteral:
    return leaf(llvm::cast<BoolLiteral>(e).value ? "bool True" : "bool False", e.range);
  case Expr::Kind::NoneLiteral:
    return leaf("none", e.range);
  case Expr::Kind::StringLiteral:
    return leaf("string " + quoted(llvm::cast<StringLiteral>(e).value), e.range);
  case Expr::Kind::EllipsisLiteral:
    return leaf("ellipsis", e.range);
  case Expr::Kind::Unary: {
    auto &unary = llvm::cast<UnaryExpr>(e);
    return node("unary " + spelling(unary.op), e.range, [&] { expr(*unary.operand); });
  }
  case Expr::Kind::Binary: {
    auto &binary = llvm::cast<BinaryExpr>(e);
    return node("binary " + spelling(binary.op), e.range, [&] {
      expr(*binary.lhs);
      expr(*binary.rhs);
    });
  }
  case Expr::Kind::BoolOp: {
    auto &logic = llvm::cast<BoolOpExpr>(e);
    return node(spelling(logic.op), e.range, [&] { exprs(logic.values); });
  }
  case Expr::Kind::Compare: {
    auto &compare = llvm::cast<CompareExpr>(e);
    std::string ops;
    for (CompareOp op : compare.ops) {
      ops += (" " + spelling(op)).str();
    }
    return node("compare" + ops, e.range, [&] {
      expr(*compare.first);
      exprs(compare.rest);
    });
  }
  case Expr::Kind::Conditional: {
    auto &choice = llvm::cast<ConditionalExpr>(e);
    return node("conditional", e.range, [&] {
      expr(*choice.condition);
      expr(*choice.thenValue);
      expr(*choice.elseValue);
    });
  }
  case Expr::Kind::Call: {
    auto &call = llvm::cast<CallExpr>(e);
    return node("call", e.range, [&] {
      expr(*call.callee);
      exprs(call.args);
      for (const KeywordArg &keyword : call.keywords) {
        node("keyword " + keyword.name, keyword.nameRange, [&] { expr(*keyword.value); });
      }
    });
  }
  case Expr::Kind::Attribute: {
    auto &attribute = llvm::cast<AttributeExpr>(e);
    return node("attribute " + attribute.name, e.range, [&] { expr(*attribute.base); });
  }
  case Expr::Kind::Subscript: {
    auto &subscript = llvm::cast<SubscriptExpr>(e);
    return node("subscript", e.range, [&] {
      expr(*subscript.base);
      exprs(subscript.indices);
    });
  }
  case Expr::Kind::Slice: {
    auto &slice = llvm::cast<SliceExpr>(e);
    return node("slice", e.range, [&] {
      optional("start", slice.start);
      optional(slice.spanLength() ? "length" : "stop", slice.spanLength() ? slice.spanLength() : slice.stop);
      optional("step", slice.step);
    });
  }
  case Expr::Kind::Tuple:
    return node("tuple", e.range, [&] { exprs(llvm::cast<TupleExpr>(e).elements); });
  case Expr::Kind::List:
    return node("list", e.range, [&] { exprs(llvm::cast<ListExpr>(e).elements); });
  case Expr::Kind::Opaque:
    return leaf("opaque " + quoted(llvm::cast<OpaqueExpr>(e).what), e.range);
  }
}

} // namespace

void dumpAST(const Module &module, llvm::raw_ostream &os) { Dumper(os, 0).module(module); }

} // namespace phobos::syntax
