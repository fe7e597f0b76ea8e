// Helpers of the sema tests: a kernel's source in, its typed tree or its rendered errors out.
#pragma once

#include "phobos/Sema/Sema.h"
#include "phobos/Support/Diagnostic.h"
#include "phobos/Support/SourceFile.h"
#include "phobos/Syntax/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace phobos::sema::testing {

/// A file parsed, with the last kernel in it.
struct Parsed {
  explicit Parsed(std::string text) : file("k.py", std::move(text)) {
    module = syntax::parseModule(file, context, diagnostics);
    for (const syntax::FunctionDef *function : module->functions) {
      if (function->role == syntax::FunctionRole::Kernel) {
        kernel = function;
      }
    }
  }
  SourceFile file;
  syntax::ASTContext context;
  DiagnosticEngine diagnostics;
  syntax::Module *module = nullptr;
  const syntax::FunctionDef *kernel = nullptr;
};

/// The dumped typed tree, or the errors.
inline std::string checked(std::string text, const Constants &constants = {}, const Constants &captures = {}) {
  Parsed parsed(std::move(text));
  if (parsed.diagnostics.hasErrors() || !parsed.kernel) {
    return parsed.kernel ? parsed.diagnostics.render() : "no kernel\n" + parsed.diagnostics.render();
  }
  auto typed = checkKernel(*parsed.module, *parsed.kernel, constants, captures, parsed.diagnostics);
  if (!typed) {
    return parsed.diagnostics.hasErrors() ? parsed.diagnostics.render() : "null without an error\n";
  }
  std::string out;
  llvm::raw_string_ostream os(out);
  dump(*typed, os);
  return out;
}

} // namespace phobos::sema::testing
