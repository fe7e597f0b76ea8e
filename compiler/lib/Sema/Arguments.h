// Binding of written arguments to the parameters of a builtin or decorator, as Python binds them.
#pragma once

#include "phobos/Sema/Builtins.h"
#include "phobos/Support/Diagnostic.h"
#include "phobos/Syntax/AST.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace phobos::sema {

struct BoundArguments {
  /// By parameter of the signature; null where none was given.
  llvm::SmallVector<const syntax::Expr *, 6> given;
  llvm::SmallVector<const syntax::Expr *, 4> rest;           ///< of a `*name`
  llvm::SmallVector<const syntax::KeywordArg *, 8> keywords; ///< of a `**name`

  const syntax::Expr *operator[](size_t parameter) const { return given[parameter]; }
};

/// None after an error, which is given to `report`.
using Report = llvm::function_ref<Diagnostic &(SourceRange, const llvm::Twine &)>;
std::optional<BoundArguments> bindArguments(const Builtin &builtin, const syntax::CallExpr &call, Report report);

} // namespace phobos::sema
