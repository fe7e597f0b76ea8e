// What is written in the language itself and part of the compiler: ph.std, and built-ins of shape.
#pragma once

#include "phobos/Syntax/AST.h"

namespace phobos::sema {

/// ph.std is std.py, _activations.py, _losses.py and _attention.py.
enum class LibraryFile { Std, Shapes };

/// The device function of this name in a file of the library; null if there is none.
const syntax::FunctionDef *findLibraryFunction(LibraryFile file, llvm::StringRef name);
/// The nearest name of a function of ph.std; empty if none is near.
llvm::StringRef nearestStdFunction(llvm::StringRef name);

} // namespace phobos::sema
