// Tokens to AST. Kernels and device functions are parsed in full and must lie in the subset that AST.h describes;
// everything else in the file is stepped over by its tokens, so a file may use all of Python outside its kernels.
#pragma once

#include "phobos/Syntax/AST.h"

namespace phobos {
class DiagnosticEngine;
}

namespace phobos::syntax {

/// Parses a whole file. Never null: after errors (see DiagnosticEngine::hasErrors) the module holds what could be
/// parsed. The file and the context must outlive the module.
Module *parseModule(const SourceFile &file, ASTContext &context, DiagnosticEngine &diagnostics);

/// Parses text that is one expression, such as the condition in `@ph.autotune(when="...")`. Null after errors.
Expr *parseExpression(const SourceFile &file, ASTContext &context, DiagnosticEngine &diagnostics);

} // namespace phobos::syntax
