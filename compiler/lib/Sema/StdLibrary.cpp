// Parses python/phobos/std.py, once in a process.
#include "StdLibrary.h"
#include "ModuleNames.h"

#include "phobos/Support/Diagnostic.h"
#include "phobos/Support/SourceFile.h"
#include "phobos/Syntax/Parser.h"

namespace phobos::sema {
namespace {

constexpr char kText[] =
#include "StdText.inc"
    ;

struct Library {
  SourceFile file{"phobos/std.py", kText};
  syntax::ASTContext context;
  const syntax::Module *module;

  Library() {
    DiagnosticEngine diagnostics;
    module = syntax::parseModule(file, context, diagnostics);
    assert(!diagnostics.hasErrors() && "ph.std does not parse");
  }
};

const Library &library() {
  static const Library parsed;
  return parsed;
}

} // namespace

const syntax::FunctionDef *findStdFunction(llvm::StringRef name) {
  const syntax::FunctionDef *function = findFunction(library().module->scope, name);
  return function && function->role == syntax::FunctionRole::Device ? function : nullptr;
}

llvm::StringRef nearestStdFunction(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 64> names;
  for (const syntax::FunctionDef *function : library().module->functions) {
    names.push_back(function->name);
  }
  return nearestName(name, names);
}

} // namespace phobos::sema
