// The tree as CPython's `ast` has it, in JSON; see the header. Contexts (Load, Store) and type comments, which the
// syntax already determines or excludes, are left out.
#include "phobos/Support/SourceFile.h"
#include "phobos/Support/Utf8.h"
#include "phobos/Syntax/ASTDump.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/raw_ostream.h"

namespace phobos::syntax {

namespace {

class PythonDumper {
public:
  explicit PythonDumper(llvm::raw_ostream &os) : os(os) {}

  void expr(const Expr &expr);
  void stmt(const Stmt &stmt);

private:
  void begin(llvm::StringRef type, SourceRange range = {}) {
    os << "{\"_type\":\"" << type << '"';
    if (range.isValid()) {
      place("lineno", "col_offset", range, range.begin);
      place("end_lineno", "end_col_offset", range, range.end);
    }
  }
  void place(llvm::StringRef lineName, llvm::StringRef columnName, SourceRange range, uint32_t offset) {
    unsigned line = range.file->lineNumber(offset);
    os << ",\"" << lineName << "\":" << line << ",\"" << columnName << "\":" << offset - range.file->lineStart(line);
  }
  void end() { os << '}'; }
  void key(llvm::StringRef name) { os << ",\"" << name << "\":"; }
  void field(llvm::StringRef name, const Expr *value) {
    key(name);
    if (value) {
      expr(*value);
    } else {
      os << "null";
    }
  }
  void field(llvm::StringRef name, llvm::StringRef text) {
    key(name);
    string(text);
  }
  template <typename Items, typename Each> void list(llvm::StringRef name, const Items &items, Each each) {
    key(name);
    os << '[';
    bool first = true;
    for (const auto &item : items) {
      os << (first ? "" : ",");
      first = false;
      each(item);
    }
    os << ']';
  }
  void list(llvm::StringRef name, llvm::ArrayRef<Expr *> items) {
    list(name, items, [&](const Expr *item) { expr(*item); });
  }
  void list(llvm::StringRef name, Block items) {
    list(name, items, [&](const Stmt *item) { stmt(*item); });
  }
  void op(llvm::StringRef name, llvm::StringRef type) {
    key(name);
    begin(type);
    end();
  }
  void constant(SourceRange range, llvm::StringRef kind, llvm::StringRef value) {
    begin("Constant", range);
    field("kind", kind);
    field("value", value);
    end();
  }
  void names(llvm::ArrayRef<ImportAlias> names);
  void function(const FunctionDef &function);
  void params(const FunctionDef &function);
  void string(llvm::StringRef text);

  llvm::raw_ostream &os;
};

void PythonDumper::string(llvm::StringRef text) {
  auto unit = [&](uint32_t value) {
    os << "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) {
      os << "0123456789abcdef"[value >> shift & 15];
    }
  };
  os << '"';
  for (size_t i = 0; i < text.size();) {
    CodePoint point = decodeUtf8(text, i);
    if (!point.isValid() && i + 2 < text.size()) { // a surrogate, from an escape
      auto byte = [&](size_t k) { return static_cast<unsigned char>(text[i + k]); };
      point = {(byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu), 3};
    }
    i += point.length;
    if (point.value >= 0x10000) {
      unit(0xD800 + ((point.value - 0x10000) >> 10));
      unit(0xDC00 + ((point.value - 0x10000) & 0x3FF));
    } else if (point.value < 0x20 || point.value >= 0x7F || point.value == '"' || point.value == '\\') {
      unit(point.value);
    } else {
      os << static_cast<char>(point.value);
    }
  }
  os << '"';
}

llvm::StringRef pythonName(UnaryOp op) {
  static constexpr llvm::StringLiteral kNames[] = {"UAdd", "USub", "Not", "Invert"};
  return kNames[static_cast<size_t>(op)];
}

llvm::StringRef pythonName(BinaryOp op) {
  static constexpr llvm::StringLiteral kNames[] = {"Add", "Sub",    "Mult",   "MatMult", "Div",    "FloorDiv", "Mod",
                                                   "Pow", "LShift", "RShift", "BitOr",   "BitXor", "BitAnd"};
  return kNames[static_cast<size_t>(op)];
}

llvm::StringRef pythonName(CompareOp op) {
  static constexpr llvm::StringLiteral kNames[] = {"Eq",  "NotEq", "Lt",    "LtE", "Gt",
                                                   "GtE", "Is",    "IsNot", "In",  "NotIn"};
  return kNames[static_cast<size_t>(op)];
}

void PythonDumper::expr(const Expr &e) {
  switch (e.kind) {
  case Expr::Kind::Name:
    begin("Name", e.range);
    field("id", llvm::cast<NameExpr>(e).name);
    break;
  case Expr::Kind::IntLiteral:
    return constant(e.range, "int", llvm::cast<IntLiteral>(e).decimal);
  case Expr::Kind::FloatLiteral: {
    llvm::SmallString<32> hex;
    llvm::APFloat value(llvm::cast<FloatLiteral>(e).value);
    if (value.isInfinity()) {
      hex = "inf";
    } else {
      hex.resize(64);
      hex.resize(value.convertToHexString(hex.data(), 0, false, llvm::APFloat::rmNearestTiesToEven));
    }
    return constant(e.range, "float", hex);
  }
  case Expr::Kind::BoolLiteral:
    return constant(e.range, "bool", llvm::cast<BoolLiteral>(e).value ? "True" : "False");
  case Expr::Kind::NoneLiteral:
    return constant(e.range, "NoneType", "None");
  case Expr::Kind::StringLiteral:
    return constant(e.range, "str", llvm::cast<StringLiteral>(e).value);
  case Expr::Kind::EllipsisLiteral:
    return constant(e.range, "ellipsis", "Ellipsis");
  case Expr::Kind::Unary: {
    auto &unary = llvm::cast<UnaryExpr>(e);
    begin("UnaryOp", e.range);
    op("op", pythonName(unary.op));
    field("operand", unary.operand);
    break;
  }
  case Expr::Kind::Binary: {
    auto &binary = llvm::cast<BinaryExpr>(e);
    begin("BinOp", e.range);
    field("left", binary.lhs);
    op("op", pythonName(binary.op));
    field("right", binary.rhs);
    break;
  }
  case Expr::Kind::BoolOp: {
    auto &logic = llvm::cast<BoolOpExpr>(e);
    begin("BoolOp", e.range);
    op("op", logic.op == BoolOp::And ? "And" : "Or");
    list("values", logic.values);
    break;
  }
  case Expr::Kind::Compare: {
    auto &compare = llvm::cast<CompareExpr>(e);
    begin("Compare", e.range);
    field("left", compare.first);
    list("ops", compare.ops, [&](CompareOp op) {
      begin(pythonName(op));
      end();
    });
    list("comparators", compare.rest);
    break;
  }
  case Expr::Kind::Conditional: {
    auto &choice = llvm::cast<ConditionalExpr>(e);
    begin("IfExp", e.range);
    field("test", choice.condition);
    field("body", choice.thenValue);
    field("orelse", choice.elseValue);
    break;
  }
  case Expr::Kind::Call: {
    auto &call = llvm::cast<CallExpr>(e);
    begin("Call", e.range);
    field("func", call.callee);
    list("args", call.args);
    list("keywords", call.keywords, [&](const KeywordArg &keyword) {
      // The value's own parentheses belong to the keyword.
      begin("keyword");
      place("lineno", "col_offset", keyword.nameRange, keyword.nameRange.begin);
      field("arg", keyword.name);
      field("value", keyword.value);
      end();
    });
    break;
  }
  case Expr::Kind::Attribute: {
    auto &attribute = llvm::cast<AttributeExpr>(e);
    begin("Attribute", e.range);
    field("value", attribute.base);
    field("attr", attribute.name);
    break;
  }
  case Expr::Kind::Subscript: {
    auto &subscript = llvm::cast<SubscriptExpr>(e);
    begin("Subscript", e.range);
    field("value", subscript.base);
    if (subscript.hasComma) {
      key("slice");
      begin("Tuple", subscript.indexRange);
      list("elts", subscript.indices);
      end();
    } else {
      field("slice", subscript.indices.front());
    }
    break;
  }
  case Expr::Kind::Slice: {
    auto &slice = llvm::cast<SliceExpr>(e);
    begin("Slice", e.range);
    field("lower", slice.start);
    field("upper", slice.stop);
    field("step", slice.step);
    break;
  }
  case Expr::Kind::Tuple:
    begin("Tuple", e.range);
    list("elts", llvm::cast<TupleExpr>(e).elements);
    break;
  case Expr::Kind::List:
    begin("List", e.range);
    list("elts", llvm::cast<ListExpr>(e).elements);
    break;
  case Expr::Kind::Opaque:
    begin("Opaque", e.range);
    break;
  }
  end();
}

void PythonDumper::names(llvm::ArrayRef<ImportAlias> names) {
  list("names", names, [&](const ImportAlias &alias) {
    begin("alias", alias.range);
    field("name", alias.name);
    if (alias.asName.empty()) {
      field("asname", static_cast<const Expr *>(nullptr));
    } else {
      field("asname", alias.asName);
    }
    end();
  });
}

void PythonDumper::params(const FunctionDef &f) {
  auto ofKind = [&](ParamKind kind) {
    llvm::SmallVector<const Param *> found;
    for (const Param &param : f.params) {
      if (param.kind == kind) {
        found.push_back(&param);
      }
    }
    return found;
  };
  auto arg = [&](const Param *param) {
    begin("arg", param->range);
    field("arg", param->name);
    field("annotation", param->annotation);
    end();
  };
  begin("arguments");
  list("posonlyargs", ofKind(ParamKind::PositionalOnly), arg);
  list("args", ofKind(ParamKind::Normal), arg);
  field("vararg", static_cast<const Expr *>(nullptr));
  list("kwonlyargs", ofKind(ParamKind::KeywordOnly), arg);
  list("kw_defaults", ofKind(ParamKind::KeywordOnly), [&](const Param *param) {
    if (param->defaultValue) {
      expr(*param->defaultValue);
    } else {
      os << "null";
    }
  });
  field("kwarg", static_cast<const Expr *>(nullptr));
  llvm::SmallVector<Expr *> defaults;
  for (const Param &param : f.params) {
    if (param.kind != ParamKind::KeywordOnly && param.defaultValue) {
      defaults.push_back(param.defaultValue);
    }
  }
  list("defaults", defaults, [&](const Expr *value) { expr(*value); });
  end();
}

void PythonDumper::function(const FunctionDef &f) {
  begin("FunctionDef", f.range);
  field("name", f.name);
  key("args");
  params(f);
  list("body", f.body);
  list("decorator_list", f.decorators, [&](const Decorator &decorator) {
    if (decorator.expr) {
      expr(*decorator.expr);
    } else {
      os << "null";
    }
  });
  field("returns", f.returns);
  end();
}

void PythonDumper::stmt(const Stmt &s) {
  switch (s.kind) {
  case Stmt::Kind::Assign: {
    auto &assign = llvm::cast<AssignStmt>(s);
    begin("Assign", s.range);
    list("targets", assign.targets);
    field("value", assign.value);
    break;
  }
  case Stmt::Kind::AnnAssign: {
    auto &assign = llvm::cast<AnnAssignStmt>(s);
    begin("AnnAssign", s.range);
    field("target", assign.target);
    field("annotation", assign.annotation);
    field("value", assign.value);
    key("simple");
    os << (assign.simple ? 1 : 0);
    break;
  }
  case Stmt::Kind::AugAssign: {
    auto &assign = llvm::cast<AugAssignStmt>(s);
    begin("AugAssign", s.range);
    field("target", assign.target);
    op("op", pythonName(assign.op));
    field("value", assign.value);
    break;
  }
  case Stmt::Kind::For: {
    auto &loop = llvm::cast<ForStmt>(s);
    begin("For", s.range);
    field("target", loop.target);
    field("iter", loop.iterable);
    list("body", loop.body);
    list("orelse", Block());
    break;
  }
  case Stmt::Kind::While: {
    auto &loop = llvm::cast<WhileStmt>(s);
    begin("While", s.range);
    field("test", loop.condition);
    list("body", loop.body);
    list("orelse", Block());
    break;
  }
  case Stmt::Kind::If: {
    auto &branch = llvm::cast<IfStmt>(s);
    begin("If", s.range);
    field("test", branch.condition);
    list("body", branch.body);
    list("orelse", branch.orElse);
    break;
  }
  case Stmt::Kind::Return:
    begin("Return", s.range);
    field("value", llvm::cast<ReturnStmt>(s).value);
    break;
  case Stmt::Kind::Break:
    begin("Break", s.range);
    break;
  case Stmt::Kind::Continue:
    begin("Continue", s.range);
    break;
  case Stmt::Kind::Pass:
    begin("Pass", s.range);
    break;
  case Stmt::Kind::Expr:
    begin("Expr", s.range);
    field("value", llvm::cast<ExprStmt>(s).value);
    break;
  case Stmt::Kind::Import:
    begin("Import", s.range);
    names(llvm::cast<ImportStmt>(s).names);
    break;
  case Stmt::Kind::ImportFrom: {
    auto &import = llvm::cast<ImportFromStmt>(s);
    begin("ImportFrom", s.range);
    if (import.module.empty()) {
      field("module", static_cast<const Expr *>(nullptr));
    } else {
      field("module", import.module);
    }
    names(import.names);
    key("level");
    os << import.level;
    break;
  }
  case Stmt::Kind::FunctionDef:
    return function(llvm::cast<FunctionDef>(s));
  }
  end();
}

} // namespace

void dumpPythonAST(const Stmt &stmt, llvm::raw_ostream &os) { PythonDumper(os).stmt(stmt); }

} // namespace phobos::syntax
