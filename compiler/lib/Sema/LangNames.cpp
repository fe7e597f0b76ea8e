// Import forms: `import phobos.lang [as x]`, `import phobos [as x]`, `from phobos import lang [as x]`,
// `from phobos.lang import name [as x]`.
#include "LangNames.h"
#include "phobos/Sema/Builtins.h"
#include "phobos/Support/DType.h"
#include "llvm/ADT/Twine.h"

namespace phobos::sema {
namespace {

constexpr llvm::StringLiteral kLang = "phobos.lang";

/// The part of a full path within phobos.lang.
std::optional<std::string> withinLang(llvm::StringRef full) {
  if (full == kLang) {
    return std::string();
  }
  if (full.consume_front(kLang) && full.consume_front(".")) {
    return full.str();
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> LangNames::imported(llvm::StringRef name) const {
  for (const syntax::LexicalScope *at = scope; at; at = at->parent) {
    for (const syntax::Stmt *stmt : at->imports) {
      if (const auto *import = llvm::dyn_cast<syntax::ImportStmt>(stmt)) {
        for (const syntax::ImportAlias &alias : import->names) {
          if (!alias.asName.empty() ? alias.asName == name : alias.name.split('.').first == name) {
            return alias.asName.empty() ? name.str() : alias.name.str();
          }
        }
      } else if (const auto *from = llvm::dyn_cast<syntax::ImportFromStmt>(stmt)) {
        for (const syntax::ImportAlias &alias : from->names) {
          if ((alias.asName.empty() ? alias.name : alias.asName) == name) {
            return (llvm::Twine(from->module) + "." + alias.name).str();
          }
        }
      }
    }
  }
  return std::nullopt;
}

bool LangNames::importsAll() const {
  for (const syntax::LexicalScope *at = scope; at; at = at->parent) {
    for (const syntax::Stmt *stmt : at->imports) {
      const auto *from = llvm::dyn_cast<syntax::ImportFromStmt>(stmt);
      if (from && from->module == kLang && !from->names.empty() && from->names.front().name == "*") {
        return true;
      }
    }
  }
  return false;
}

bool LangNames::isImported(llvm::StringRef name) const { return imported(name).has_value(); }

std::optional<std::string> LangNames::resolve(llvm::StringRef dotted) const {
  auto [head, rest] = dotted.split('.');
  std::optional<std::string> full = imported(head);
  if (head == "ph" && (!full || !llvm::StringRef(*full).starts_with("phobos"))) {
    full = kLang.str();
  }
  if (!full) {
    bool known = importsAll() && (parseDType(std::string_view(head.data(), head.size())) || findBuiltin(dotted));
    return known ? std::optional(dotted.str()) : std::nullopt;
  }
  if (!rest.empty()) {
    *full += "." + rest.str();
  }
  return withinLang(*full);
}

std::optional<std::string> LangNames::resolve(const syntax::Expr &expr) const {
  std::string dotted;
  const syntax::Expr *at = &expr;
  while (const auto *attribute = llvm::dyn_cast<syntax::AttributeExpr>(at)) {
    dotted = "." + attribute->name.str() + dotted;
    at = attribute->base;
  }
  const auto *head = llvm::dyn_cast<syntax::NameExpr>(at);
  return head ? resolve(head->name.str() + dotted) : std::nullopt;
}

} // namespace phobos::sema
