// What Python needs of a file before a kernel of it can be launched. The compiler could do without: it knows `ph` by
// its name, and never evaluates an annotation.
#include "ModuleNames.h"
#include "phobos/Sema/Sema.h"
#include "phobos/Support/Diagnostic.h"
#include "phobos/Support/SourceFile.h"

namespace phobos::sema {
namespace {

bool hasFutureAnnotations(const syntax::Module &module) {
  return llvm::any_of(module.scope->imports, [](const syntax::Stmt *stmt) {
    const auto *from = llvm::dyn_cast<syntax::ImportFromStmt>(stmt);
    return from && from->module == "__future__" &&
           llvm::any_of(from->names, [](const syntax::ImportAlias &alias) { return alias.name == "annotations"; });
  });
}

/// The first name in the kernel's annotations that has no value when Python reads them; null if there is none.
const syntax::NameExpr *findUnbound(const syntax::FunctionDef &kernel) {
  LangNames names(kernel.enclosing);
  const syntax::NameExpr *found = nullptr;
  for (const syntax::Param &param : kernel.params) {
    forEachName(param.annotation, [&](const syntax::NameExpr &name) {
      bool bound = names.resolve(name) || names.isImported(name.name) || isPythonBuiltin(name.name) ||
                   isBoundOutside(kernel.enclosing, name.name);
      found = found || bound ? found : &name;
    });
  }
  return found;
}

/// `ph` of `@ph.kernel`, if it is no name for phobos.lang. Reports it.
bool checkName(const syntax::FunctionDef &kernel, DiagnosticEngine &diagnostics) {
  LangNames names(kernel.enclosing);
  for (const syntax::Decorator &decorator : kernel.decorators) {
    auto [head, leaf] = decorator.name.split('.');
    if (leaf != "kernel") {
      continue;
    }
    SourceRange range(decorator.range.file, decorator.range.begin, decorator.range.begin + head.size());
    std::optional<std::string> module = names.imported(head);
    if (module == "phobos") {
      diagnostics.error(range, "`" + head + "` is the package phobos, whose `lang` is the language of kernels")
          .hint("write `import phobos.lang as " + head + "`");
      return false;
    }
    if (!module && !names.importsAll() && !isBoundOutside(kernel.enclosing, head)) {
      diagnostics.error(range, "`" + head + "` is not imported")
          .hint("write `import phobos.lang as " + head + "` at the top of the file");
      return false;
    }
  }
  return true;
}

} // namespace

bool checkImports(const syntax::Module &module, DiagnosticEngine &diagnostics) {
  bool warned = hasFutureAnnotations(module);
  for (const syntax::FunctionDef *kernel : module.functions) {
    if (kernel->role != syntax::FunctionRole::Kernel) {
      continue;
    }
    if (!checkName(*kernel, diagnostics)) {
      return false; // of the others it would say the same
    }
    const syntax::NameExpr *unbound = warned ? nullptr : findUnbound(*kernel);
    if (unbound) {
      diagnostics
          .warning(unbound->range,
                   "before Python 3.14 annotations are evaluated, and `" + unbound->name + "` has no value there")
          .hint("write `from __future__ import annotations` at the top of the file");
      warned = true;
    }
  }
  return true;
}

} // namespace phobos::sema
