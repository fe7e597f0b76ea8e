// ph.std, the library written in the language: its file is part of the compiler.
#pragma once

#include "phobos/Syntax/AST.h"

namespace phobos::sema {

/// The device function `ph.std.<name>`; null if there is none.
const syntax::FunctionDef *findStdFunction(llvm::StringRef name);
/// The nearest name of a function of ph.std; empty if none is near.
llvm::StringRef nearestStdFunction(llvm::StringRef name);

} // namespace phobos::sema
