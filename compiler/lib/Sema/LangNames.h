// What the imports of a file make of names: which of them lead to phobos.lang, and to what there. Nothing is imported;
// any alias works. As in the parser, a name `ph` that no
// import explains is taken for phobos.lang. A use of a name looks through the scopes that enclose the kernel, innermost
// first.
#pragma once

#include "phobos/Syntax/AST.h"
#include <optional>
#include <string>

namespace phobos::sema {

class LangNames {
public:
  explicit LangNames(const syntax::LexicalScope *scope) : scope(scope) {}

  /// Path within phobos.lang that an expression names: "" for the module, "ctx.block.x", "f16"; none if it leads
  /// elsewhere.
  std::optional<std::string> resolve(const syntax::Expr &expr) const;
  /// Likewise for the dotted name of a decorator.
  std::optional<std::string> resolve(llvm::StringRef dotted) const;
  /// Does an import bind this name, to whatever?
  bool isImported(llvm::StringRef name) const;
  /// Full dotted path that `name` was imported as.
  std::optional<std::string> imported(llvm::StringRef name) const;
  /// Is there a `from phobos.lang import *`?
  bool importsAll() const;

private:
  const syntax::LexicalScope *scope;
};

} // namespace phobos::sema
