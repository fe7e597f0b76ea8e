// Names that a kernel takes from around it: constants and functions of the enclosing scopes, read from the file's text.
#pragma once

#include "ConstEval.h"
#include "LangNames.h"
#include "llvm/ADT/StringSet.h"

namespace phobos::sema {

/// The device function or kernel that `name` means in `scope`, looking outwards; null if none.
const syntax::FunctionDef *findFunction(const syntax::LexicalScope *scope, llvm::StringRef name);

/// The function or class of Python's that `name` means in `scope`, looking outwards; null if none.
const syntax::PlainDefinition *findPlainDefinition(const syntax::LexicalScope *scope, llvm::StringRef name);

/// Is the name bound in an enclosing scope by an assignment or as a parameter, whatever its value?
bool isBoundOutside(const syntax::LexicalScope *scope, llvm::StringRef name);

/// What the last assignment of `name` outside gives it, in the innermost scope that has one; null if none does.
const syntax::Expr *findAssigned(const syntax::LexicalScope *scope, llvm::StringRef name);

/// The constant that `name` has in `scope`, where the text alone tells: assigned once, not conditionally, to a constant
/// expression of such names.
std::optional<ConstantValue> findConstant(const syntax::LexicalScope *scope, llvm::StringRef name);

/// Python's own functions that a kernel may call.
bool isPythonBuiltin(llvm::StringRef name);

/// Calls `visit` for every name read in the tree.
void forEachName(const syntax::Expr *expr, llvm::function_ref<void(const syntax::NameExpr &)> visit);
void forEachName(syntax::Block block, llvm::function_ref<void(const syntax::NameExpr &)> visit);

/// How often each name is assigned in a function: targets, loop variables, declarations.
struct AssignedNames {
  llvm::StringMap<unsigned> counts;
  explicit AssignedNames(syntax::Block body);
  bool contains(llvm::StringRef name) const { return counts.contains(name); }
  unsigned count(llvm::StringRef name) const { return counts.lookup(name); }

private:
  void block(syntax::Block body);
  void target(const syntax::Expr *expr);
};

/// Names that a kernel, or a device function it calls, takes from outside, by first use.
std::vector<std::string> findCaptures(const syntax::ImportTable &imports, const syntax::FunctionDef &kernel,
                                      const llvm::StringSet<> &own);

} // namespace phobos::sema
