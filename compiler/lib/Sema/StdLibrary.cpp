// Parses the library's files, each once in a process.
#include "StdLibrary.h"
#include "ModuleNames.h"

#include "phobos/Support/Diagnostic.h"
#include "phobos/Support/SourceFile.h"
#include "phobos/Syntax/Parser.h"

namespace phobos::sema {
namespace {

constexpr char kStd[] =
#include "std.py.inc"
    ;
constexpr char kActivations[] =
#include "_activations.py.inc"
    ;
constexpr char kLosses[] =
#include "_losses.py.inc"
    ;
constexpr char kAttention[] =
#include "_attention.py.inc"
    ;
constexpr char kShapes[] =
#include "_shapes.py.inc"
    ;

struct Library {
  SourceFile file;
  syntax::ASTContext context;
  const syntax::Module *module;

  Library(std::string path, std::string text) : file(std::move(path), std::move(text)) {
    DiagnosticEngine diagnostics;
    module = syntax::parseModule(file, context, diagnostics);
    assert(!diagnostics.hasErrors() && "the library does not parse");
  }
};

/// The modules of which the file is made.
llvm::ArrayRef<const syntax::Module *> modulesOf(LibraryFile file) {
  if (file == LibraryFile::Shapes) {
    static const Library shapes("phobos/_shapes.py", kShapes);
    return shapes.module;
  }
  static const Library std("phobos/std.py", kStd), activations("phobos/_activations.py", kActivations),
      losses("phobos/_losses.py", kLosses), attention("phobos/_attention.py", kAttention);
  static const syntax::Module *const all[] = {std.module, activations.module, losses.module, attention.module};
  return all;
}

} // namespace

const syntax::FunctionDef *findLibraryFunction(LibraryFile file, llvm::StringRef name) {
  for (const syntax::Module *module : modulesOf(file)) {
    const syntax::FunctionDef *function = findFunction(module->scope, name);
    if (function && function->role == syntax::FunctionRole::Device) {
      return function;
    }
  }
  return nullptr;
}

llvm::StringRef nearestStdFunction(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 128> names;
  for (const syntax::Module *module : modulesOf(LibraryFile::Std)) {
    for (const syntax::FunctionDef *function : module->functions) {
      names.push_back(function->name);
    }
  }
  return nearestName(name, names);
}

} // namespace phobos::sema
