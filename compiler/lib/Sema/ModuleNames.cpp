// Walks over scopes and bodies; no types yet.
#include "ModuleNames.h"
#include "phobos/Support/SourceFile.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace phobos::sema {

using syntax::Expr;
using syntax::LexicalScope;
using syntax::Stmt;

namespace {

/// The assignments of `name` in one scope.
struct Binding {
  const Expr *value = nullptr;
  unsigned count = 0;
  bool readable = true;
};

Binding bindingIn(const LexicalScope &scope, llvm::StringRef name) {
  Binding binding;
  auto bind = [&](const Expr *target, const Expr *value, bool readable) {
    const auto *bound = llvm::dyn_cast_or_null<syntax::NameExpr>(target);
    if (bound && bound->name == name) {
      binding.value = value;
      binding.readable &= readable && value;
      ++binding.count;
    } else if (const auto *tuple = llvm::dyn_cast_or_null<syntax::TupleExpr>(target)) {
      const auto *values = llvm::dyn_cast_or_null<syntax::TupleExpr>(value);
      bool matches = values && values->elements.size() == tuple->elements.size();
      for (size_t i = 0; i < tuple->elements.size(); ++i) {
        const auto *element = llvm::dyn_cast<syntax::NameExpr>(tuple->elements[i]);
        if (element && element->name == name) {
          binding.value = matches ? values->elements[i] : nullptr;
          binding.readable &= readable && matches;
          ++binding.count;
        }
      }
    }
  };
  for (const LexicalScope::Assignment &assignment : scope.assignments) {
    if (const auto *assign = llvm::dyn_cast<syntax::AssignStmt>(assignment.stmt)) {
      for (const Expr *target : assign->targets) {
        bind(target, assign->value, !assignment.conditional);
      }
    } else if (const auto *annotated = llvm::dyn_cast<syntax::AnnAssignStmt>(assignment.stmt)) {
      if (annotated->value) {
        bind(annotated->target, annotated->value, !assignment.conditional);
      }
    } else if (const auto *augmented = llvm::dyn_cast<syntax::AugAssignStmt>(assignment.stmt)) {
      bind(augmented->target, augmented->value, false);
    }
  }
  return binding;
}

bool hasParameter(const LexicalScope &scope, llvm::StringRef name) { return llvm::is_contained(scope.params, name); }

/// A class's names are not seen from functions in it.
bool isVisible(const LexicalScope &scope) { return scope.kind != LexicalScope::Kind::Class; }

/// Python may change a list after the assignment.
bool isList(const Expr &value) {
  const auto *tuple = llvm::dyn_cast<syntax::TupleExpr>(&value);
  return llvm::isa<syntax::ListExpr>(value) ||
         (tuple && llvm::any_of(tuple->elements, [](const Expr *element) { return isList(*element); }));
}

std::optional<ConstantValue> findConstant(const LexicalScope *scope, llvm::StringRef name,
                                          llvm::StringSet<> &inProgress) {
  for (; scope; scope = scope->parent) {
    if (!isVisible(*scope)) {
      continue;
    }
    Binding binding = bindingIn(*scope, name);
    if (hasParameter(*scope, name) || (binding.count && (binding.count > 1 || !binding.readable))) {
      return std::nullopt;
    }
    if (!binding.count) {
      continue;
    }
    if (isList(*binding.value)) {
      return std::nullopt;
    }
    std::string key = name.str() + "@" + std::to_string(reinterpret_cast<uintptr_t>(scope));
    if (!inProgress.insert(key).second) {
      return std::nullopt;
    }
    DiagnosticEngine ignored;
    LangNames names(scope);
    auto lookup = [&](llvm::StringRef inner) { return findConstant(scope, inner, inProgress); };
    std::optional<ConstantValue> value = ConstantEvaluator(names, lookup, ignored, "").evaluate(*binding.value);
    inProgress.erase(key);
    return value;
  }
  return std::nullopt;
}

} // namespace

const syntax::FunctionDef *findFunction(const LexicalScope *scope, llvm::StringRef name) {
  for (; scope; scope = scope->parent) {
    if (!isVisible(*scope)) {
      continue;
    }
    for (const syntax::FunctionDef *function : llvm::reverse(scope->functions)) {
      if (function->name == name) {
        return function;
      }
    }
  }
  return nullptr;
}

const syntax::PlainDefinition *findPlainDefinition(const LexicalScope *scope, llvm::StringRef name) {
  for (; scope; scope = scope->parent) {
    if (!isVisible(*scope)) {
      continue;
    }
    for (const syntax::PlainDefinition &definition : llvm::reverse(scope->plain)) {
      if (definition.name == name) {
        return &definition;
      }
    }
  }
  return nullptr;
}

bool isBoundOutside(const LexicalScope *scope, llvm::StringRef name) {
  for (; scope; scope = scope->parent) {
    if (isVisible(*scope) && (hasParameter(*scope, name) || bindingIn(*scope, name).count)) {
      return true;
    }
  }
  return false;
}

const Expr *findAssigned(const LexicalScope *scope, llvm::StringRef name) {
  for (; scope; scope = scope->parent) {
    Binding binding = isVisible(*scope) ? bindingIn(*scope, name) : Binding();
    if (binding.count || hasParameter(*scope, name)) {
      return binding.value;
    }
  }
  return nullptr;
}

std::optional<ConstantValue> findConstant(const LexicalScope *scope, llvm::StringRef name) {
  llvm::StringSet<> inProgress;
  return findConstant(scope, name, inProgress);
}

bool isPythonBuiltin(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"range", "min", "max", "abs", "len", "float", "int", "bool"}, true)
      .Default(false);
}

void forEachName(const Expr *expr, llvm::function_ref<void(const syntax::NameExpr &)> visit) {
  if (!expr) {
    return;
  }
  auto all = [&](llvm::ArrayRef<Expr *> children) {
    for (const Expr *child : children) {
      forEachName(child, visit);
    }
  };
  switch (expr->kind) {
  case Expr::Kind::Name:
    visit(*llvm::cast<syntax::NameExpr>(expr));
    break;
  case Expr::Kind::Unary:
    forEachName(llvm::cast<syntax::UnaryExpr>(expr)->operand, visit);
    break;
  case Expr::Kind::Binary:
    forEachName(llvm::cast<syntax::BinaryExpr>(expr)->lhs, visit);
    forEachName(llvm::cast<syntax::BinaryExpr>(expr)->rhs, visit);
    break;
  case Expr::Kind::BoolOp:
    all(llvm::cast<syntax::BoolOpExpr>(expr)->values);
    break;
  case Expr::Kind::Compare:
    forEachName(llvm::cast<syntax::CompareExpr>(expr)->first, visit);
    all(llvm::cast<syntax::CompareExpr>(expr)->rest);
    break;
  case Expr::Kind::Conditional:
    forEachName(llvm::cast<syntax::ConditionalExpr>(expr)->condition, visit);
    forEachName(llvm::cast<syntax::ConditionalExpr>(expr)->thenValue, visit);
    forEachName(llvm::cast<syntax::ConditionalExpr>(expr)->elseValue, visit);
    break;
  case Expr::Kind::Call:
    forEachName(llvm::cast<syntax::CallExpr>(expr)->callee, visit);
    all(llvm::cast<syntax::CallExpr>(expr)->args);
    for (const syntax::KeywordArg &keyword : llvm::cast<syntax::CallExpr>(expr)->keywords) {
      forEachName(keyword.value, visit);
    }
    break;
  case Expr::Kind::Attribute:
    forEachName(llvm::cast<syntax::AttributeExpr>(expr)->base, visit);
    break;
  case Expr::Kind::Subscript:
    forEachName(llvm::cast<syntax::SubscriptExpr>(expr)->base, visit);
    all(llvm::cast<syntax::SubscriptExpr>(expr)->indices);
    break;
  case Expr::Kind::Slice:
    forEachName(llvm::cast<syntax::SliceExpr>(expr)->start, visit);
    forEachName(llvm::cast<syntax::SliceExpr>(expr)->stop, visit);
    forEachName(llvm::cast<syntax::SliceExpr>(expr)->step, visit);
    break;
  case Expr::Kind::Tuple:
    all(llvm::cast<syntax::TupleExpr>(expr)->elements);
    break;
  case Expr::Kind::List:
    all(llvm::cast<syntax::ListExpr>(expr)->elements);
    break;
  default:
    break;
  }
}

void forEachName(syntax::Block block, llvm::function_ref<void(const syntax::NameExpr &)> visit) {
  for (const Stmt *stmt : block) {
    switch (stmt->kind) {
    case Stmt::Kind::Assign:
      for (const Expr *target : llvm::cast<syntax::AssignStmt>(stmt)->targets) {
        forEachName(target, visit);
      }
      forEachName(llvm::cast<syntax::AssignStmt>(stmt)->value, visit);
      break;
    case Stmt::Kind::AnnAssign:
      forEachName(llvm::cast<syntax::AnnAssignStmt>(stmt)->target, visit);
      forEachName(llvm::cast<syntax::AnnAssignStmt>(stmt)->annotation, visit);
      forEachName(llvm::cast<syntax::AnnAssignStmt>(stmt)->value, visit);
      break;
    case Stmt::Kind::AugAssign:
      forEachName(llvm::cast<syntax::AugAssignStmt>(stmt)->target, visit);
      forEachName(llvm::cast<syntax::AugAssignStmt>(stmt)->value, visit);
      break;
    case Stmt::Kind::For:
      forEachName(llvm::cast<syntax::ForStmt>(stmt)->target, visit);
      forEachName(llvm::cast<syntax::ForStmt>(stmt)->iterable, visit);
      forEachName(llvm::cast<syntax::ForStmt>(stmt)->body, visit);
      break;
    case Stmt::Kind::While:
      forEachName(llvm::cast<syntax::WhileStmt>(stmt)->condition, visit);
      forEachName(llvm::cast<syntax::WhileStmt>(stmt)->body, visit);
      break;
    case Stmt::Kind::If:
      forEachName(llvm::cast<syntax::IfStmt>(stmt)->condition, visit);
      forEachName(llvm::cast<syntax::IfStmt>(stmt)->body, visit);
      forEachName(llvm::cast<syntax::IfStmt>(stmt)->orElse, visit);
      break;
    case Stmt::Kind::Return:
      forEachName(llvm::cast<syntax::ReturnStmt>(stmt)->value, visit);
      break;
    case Stmt::Kind::Expr:
      forEachName(llvm::cast<syntax::ExprStmt>(stmt)->value, visit);
      break;
    default:
      break;
    }
  }
}

AssignedNames::AssignedNames(syntax::Block body) { block(body); }

void AssignedNames::target(const Expr *expr) {
  if (const auto *name = llvm::dyn_cast<syntax::NameExpr>(expr)) {
    ++counts[name->name];
  } else if (const auto *tuple = llvm::dyn_cast<syntax::TupleExpr>(expr)) {
    for (const Expr *element : tuple->elements) {
      target(element);
    }
  } else if (const auto *list = llvm::dyn_cast<syntax::ListExpr>(expr)) {
    for (const Expr *element : list->elements) {
      target(element);
    }
  }
}

void AssignedNames::block(syntax::Block body) {
  for (const Stmt *stmt : body) {
    if (const auto *assign = llvm::dyn_cast<syntax::AssignStmt>(stmt)) {
      for (const Expr *each : assign->targets) {
        target(each);
      }
    } else if (const auto *annotated = llvm::dyn_cast<syntax::AnnAssignStmt>(stmt)) {
      target(annotated->target);
    } else if (const auto *augmented = llvm::dyn_cast<syntax::AugAssignStmt>(stmt)) {
      target(augmented->target);
    } else if (const auto *loop = llvm::dyn_cast<syntax::ForStmt>(stmt)) {
      target(loop->target);
      block(loop->body);
    } else if (const auto *loop = llvm::dyn_cast<syntax::WhileStmt>(stmt)) {
      block(loop->body);
    } else if (const auto *branch = llvm::dyn_cast<syntax::IfStmt>(stmt)) {
      block(branch->body);
      block(branch->orElse);
    }
  }
}

namespace {

class CaptureFinder {
public:
  explicit CaptureFinder(const syntax::ImportTable &imports) : imports(imports) {}

  std::vector<std::string> found;

  void function(const syntax::FunctionDef &function, const llvm::StringSet<> &own) {
    if (!visited.insert(&function).second) {
      return;
    }
    AssignedNames locals(function.body);
    LangNames names(function.enclosing);
    auto visit = [&](const syntax::NameExpr &name) {
      if (locals.contains(name.name) || own.contains(name.name) || names.resolve(name)) {
        return;
      }
      if (imports.find(function.range.file->path(), name.name)) { // which takes its constants from its own file's text
        return;
      }
      const syntax::FunctionDef *callee = findFunction(function.enclosing, name.name);
      if (callee && callee->role == syntax::FunctionRole::Device) {
        llvm::StringSet<> parameters;
        for (const syntax::Param &param : callee->params) {
          parameters.insert(param.name);
          forEachName(param.annotation, [&](const syntax::NameExpr &dim) {
            if (!isBoundOutside(callee->enclosing, dim.name)) {
              parameters.insert(dim.name);
            }
          });
        }
        this->function(*callee, parameters);
        return;
      }
      bool builtin = isPythonBuiltin(name.name) && !isBoundOutside(function.enclosing, name.name);
      if (!builtin && seen.insert(name.name).second) {
        found.push_back(name.name.str());
      }
    };
    for (const syntax::Param &param : function.params) {
      forEachName(param.annotation, visit);
    }
    for (const syntax::Decorator &decorator : function.decorators) {
      if (const auto *call = llvm::dyn_cast_or_null<syntax::CallExpr>(decorator.expr)) {
        decoratorArguments(*call, names, visit);
      }
    }
    forEachName(function.body, visit);
  }

private:
  const syntax::ImportTable &imports;
  /// What matters once the kernel is compiled; the candidates of autotune and the reference are Python's business.
  static void decoratorArguments(const syntax::CallExpr &call, const LangNames &names,
                                 llvm::function_ref<void(const syntax::NameExpr &)> visit) {
    std::string path = names.resolve(*call.callee).value_or("");
    if (path != "launch" && path != "aligned" && path != "pipeline" && path != "swizzle") {
      return;
    }
    for (const Expr *arg : call.args) {
      forEachName(arg, visit);
    }
    for (const syntax::KeywordArg &keyword : call.keywords) {
      forEachName(keyword.value, visit);
    }
  }

  llvm::StringSet<> seen;
  llvm::SmallPtrSet<const syntax::FunctionDef *, 8> visited;
};

} // namespace

std::vector<std::string> findCaptures(const syntax::ImportTable &imports, const syntax::FunctionDef &kernel,
                                      const llvm::StringSet<> &own) {
  CaptureFinder finder(imports);
  finder.function(kernel, own);
  return finder.found;
}

} // namespace phobos::sema
