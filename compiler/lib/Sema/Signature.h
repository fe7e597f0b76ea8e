// What the decorators and parameters of a kernel say, before any constant is known (KernelInfo) and the checks of them
// that need constants (KernelOptions).
#pragma once

#include "Decorators.h"
#include "ModuleNames.h"

namespace phobos::sema {

struct Signature {
  KernelInfo info;
  DecoratorSet decorators;
};

/// Constants by name: those given, then those of the file.
class ConstantTable {
public:
  ConstantTable(const syntax::LexicalScope *scope, const Constants &constants, const Constants &captures)
      : scope(scope) {
    for (const Constants *list : {&constants, &captures}) {
      for (const auto &[name, value] : *list) {
        given.try_emplace(name, value);
      }
    }
  }
  std::optional<ConstantValue> find(llvm::StringRef name) const {
    auto found = given.find(name);
    return found != given.end() ? std::optional(found->second) : findConstant(scope, name);
  }
  const syntax::LexicalScope *const scope;

private:
  llvm::StringMap<ConstantValue> given;
};

/// None after errors. Extents of dims that depend on unknown constants are kUnknownExtent. `capturesComeLater`: a dtype
/// that follows from a captured name without a value is any.
std::optional<Signature> readSignature(const syntax::ImportTable &imports, const syntax::FunctionDef &kernel,
                                       const ConstantTable &known, bool capturesComeLater,
                                       DiagnosticEngine &diagnostics);

/// A written annotation `base[dtype][dims]`, taken apart: `ph.tensor[ph.f16][M, K]`.
struct ShapedAnnotation {
  const syntax::Expr *dtype = nullptr;
  llvm::ArrayRef<syntax::Expr *> dims;
  SourceRange dimsRange;
};
/// None if the annotation is no such of `base` ("tensor", "tile"); reports a malformed one and gives a null dtype.
std::optional<ShapedAnnotation> readShaped(const syntax::Expr &annotation, llvm::StringRef base, const LangNames &names,
                                           DiagnosticEngine &diagnostics);

/// Fills in what decorators ask for. Everything is known now; false after errors.
bool readOptions(const syntax::FunctionDef &kernel, const Signature &signature, const ConstantTable &known,
                 KernelOptions &options, std::vector<int64_t> &promised, DiagnosticEngine &diagnostics);

/// What is wrong with a value of the tuned constant `threads` or `stages`; empty: nothing, or it is neither.
std::string whyNotTuned(llvm::StringRef name, const ConstantValue &value);

/// Evaluates the text of a string literal as an expression; its errors point into the literal.
std::optional<ConstantValue> evaluateText(const syntax::StringLiteral &literal, const LangNames &names,
                                          ConstantEvaluator::Lookup lookup, const std::string &context,
                                          DiagnosticEngine &diagnostics, llvm::ArrayRef<std::string> candidates = {});

} // namespace phobos::sema
