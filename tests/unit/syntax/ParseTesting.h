// A parsed text and what was reported of it, for the tests of this folder.
#pragma once

#include "phobos/Support/Diagnostic.h"
#include "phobos/Support/SourceFile.h"
#include "phobos/Syntax/ASTDump.h"
#include "phobos/Syntax/Parser.h"
#include "llvm/Support/raw_ostream.h"

namespace phobos::syntax::testing {

struct Parsed {
  explicit Parsed(std::string text) : file("k.py", std::move(text)), module(parseModule(file, context, diagnostics)) {}

  std::string errors() const { return diagnostics.render(); }
  std::string dump() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    dumpAST(*module, os);
    return text;
  }

  SourceFile file;
  ASTContext context;
  DiagnosticEngine diagnostics;
  Module *module;
};

/// Diagnostics of a kernel whose body is `body`, which begins in line 3 at column 5.
inline std::string errorsInKernel(llvm::StringRef body) {
  std::string text = "@ph.kernel\ndef k(x):\n";
  llvm::SmallVector<llvm::StringRef> lines;
  body.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    text += ("    " + line + "\n").str();
  }
  return Parsed(text).errors();
}

} // namespace phobos::syntax::testing
