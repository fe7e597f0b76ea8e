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

const syntax::Module &moduleOf(LibraryFile file) {
  if (file == LibraryFile::Shapes) {
    static const Library shapes("phobos/_shapes.py", kShapes);
    return *shapes.module;
  }
  static const Library std("phobos/std.py", kStd);
  return *std.module;
}

} // namespace

const syntax::FunctionDef *findLibraryFunction(LibraryFile file, llvm::StringRef name) {
  const syntax::FunctionDef *function = findFunction(moduleOf(file).scope, name);
  return function && function->role == syntax::FunctionRole::Device ? function : nullptr;
}

llvm::StringRef nearestStdFunction(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 64> names;
  for (const syntax::FunctionDef *function : moduleOf(LibraryFile::Std).functions) {
    names.push_back(function->name);
  }
  return nearestName(name, names);
}

} // namespace phobos::sema
