// Device functions of other files, found as Python would find the files where only the file system counts: for phobosc,
// which runs no Python.
#include "phobos/Driver/Compiler.h"
#include "phobos/Support/Diagnostic.h"
#include "phobos/Support/SourceFile.h"
#include "phobos/Syntax/Parser.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>

namespace phobos {

namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;
using llvm::SmallString;
using llvm::StringRef;

class ImportFinder {
public:
  Imports found;

  void file(StringRef from, StringRef text) {
    if (!visited.insert(from.str()).second) {
      return;
    }
    SourceFile file(from.str(), text.str());
    syntax::ASTContext context;
    DiagnosticEngine ignored; // said where the file itself is compiled, or its functions are
    const syntax::Module *module = syntax::parseModule(file, context, ignored);
    for (const syntax::Stmt *stmt : module->scope->imports) {
      if (const auto *plain = llvm::dyn_cast<syntax::ImportStmt>(stmt)) {
        for (const syntax::ImportAlias &alias : plain->names) {
          whole(from, alias.name, 0, alias.asName.empty() ? alias.name : alias.asName);
        }
      } else if (const auto *some = llvm::dyn_cast<syntax::ImportFromStmt>(stmt)) {
        for (const syntax::ImportAlias &alias : some->names) {
          named(from, *some, alias);
        }
      }
    }
  }

private:
  /// `import m` and `from . import m`: every device function of it, as "m.f".
  bool whole(StringRef from, StringRef module, unsigned level, StringRef as) {
    std::optional<std::string> other = locate(from, module, level);
    if (other) {
      for (const std::string &function : functionsOf(*other)) {
        found.functions.push_back({from.str(), (as + "." + function).str(), *other, function});
      }
    }
    return other.has_value();
  }

  void named(StringRef from, const syntax::ImportFromStmt &some, const syntax::ImportAlias &alias) {
    StringRef as = alias.asName.empty() ? alias.name : alias.asName;
    std::optional<std::string> other = locate(from, some.module, some.level);
    if (other && llvm::is_contained(functionsOf(*other), alias.name)) {
      found.functions.push_back({from.str(), as.str(), *other, alias.name.str()});
      return;
    }
    whole(from, some.module.empty() ? alias.name.str() : (some.module + "." + alias.name).str(), some.level, as);
  }

  /// Of a file that is now read: the names of its device functions.
  const std::vector<std::string> &functionsOf(const std::string &name) {
    auto [entry, isNew] = functions.try_emplace(name);
    if (!isNew) {
      return entry->second;
    }
    auto buffer = llvm::MemoryBuffer::getFile(name);
    if (!buffer || (*buffer)->getBufferSize() > kMaxFileBytes) {
      return entry->second;
    }
    std::string text = (*buffer)->getBuffer().str();
    SourceFile file(name, text);
    syntax::ASTContext context;
    DiagnosticEngine ignored;
    for (const syntax::FunctionDef *function : syntax::parseModule(file, context, ignored)->functions) {
      if (function->role == syntax::FunctionRole::Device) {
        entry->second.push_back(function->name.str());
      }
    }
    if (!entry->second.empty()) {
      found.texts.emplace(name, text);
      this->file(name, text);
    }
    return functions[name];
  }

  /// The file of a module, as seen from another file; nothing for what is elsewhere.
  static std::optional<std::string> locate(StringRef from, StringRef module, unsigned level) {
    SmallString<128> folder(path::parent_path(from));
    if (folder.empty()) {
      folder = ".";
    }
    for (unsigned i = 1; i < level; ++i) {
      path::append(folder, "..");
    }
    SmallString<64> relative;
    llvm::SmallVector<StringRef> parts;
    module.split(parts, '.', -1, /*KeepEmpty=*/false);
    for (StringRef part : parts) {
      path::append(relative, part);
    }
    while (true) {
      for (StringRef end : {".py", "/__init__.py"}) {
        SmallString<128> candidate(folder);
        path::append(candidate, relative);
        candidate += end;
        if (fs::is_regular_file(candidate)) {
          path::remove_dots(candidate, /*remove_dot_dot=*/true);
          return candidate.str().str();
        }
      }
      SmallString<128> package(folder);
      path::append(package, "__init__.py");
      if (level > 0 || !fs::exists(package)) {
        return std::nullopt;
      }
      path::append(folder, ".."); // of a package what is beside it
    }
  }

  std::set<std::string> visited;
  std::map<std::string, std::vector<std::string>> functions; // by path
};

} // namespace

Imports findImports(const std::string &path, const std::string &text) {
  ImportFinder finder;
  finder.file(path, text);
  return std::move(finder.found);
}

} // namespace phobos
