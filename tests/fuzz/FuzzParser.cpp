// Any bytes through lexer, parser and both dumps: nothing may crash, hang or read out of bounds, and what is reported
// must render.
//
//   phobos-fuzz-parser -dict=tests/fuzz/python.dict CORPUS tests/python/corpus examples/tutorials
#include "phobos/Support/Diagnostic.h"
#include "phobos/Support/SourceFile.h"
#include "phobos/Syntax/ASTDump.h"
#include "phobos/Syntax/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace phobos;
using namespace phobos::syntax;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceFile file("fuzz.py", std::string(reinterpret_cast<const char *>(data), size));
  ASTContext context;
  DiagnosticEngine diagnostics;
  const Module *module = parseModule(file, context, diagnostics);
  llvm::raw_null_ostream nowhere;
  dumpAST(*module, nowhere);
  for (const FunctionDef *function : module->functions) {
    dumpPythonAST(*function, nowhere);
    if (function->hasErrors && !diagnostics.hasErrors()) {
      abort(); // a failure that nobody is told of
    }
  }
  diagnostics.render();
  return 0;
}
