// The decorators of a kernel as written: forms checked, constants not yet evaluated, since most may name tuned ones.
#pragma once

#include "LangNames.h"
#include "phobos/Sema/Sema.h"
#include "phobos/Support/Diagnostic.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace phobos::sema {

struct DecoratorSet {
  const syntax::Expr *threads = nullptr, *minBlocks = nullptr, *maxRegisters = nullptr;
  std::optional<F32Mode> tensorCore;
  llvm::SmallVector<const syntax::KeywordArg *, 8> aligned;
  llvm::SmallVector<const syntax::KeywordArg *, 8> space;
  const syntax::StringLiteral *when = nullptr;
  PipelineRequest::Kind pipeline = PipelineRequest::Kind::Default;
  const syntax::Expr *stages = nullptr;
  SourceRange pipelineRange;
  const syntax::Expr *swizzle = nullptr;
  PersistentOrder persistent = PersistentOrder::None;
  bool dependent = false;
  const syntax::Expr *clusterX = nullptr, *clusterY = nullptr;
  SourceRange clusterRange;
  llvm::SmallVector<const syntax::Expr *, 4> key;
  const syntax::NameExpr *reference = nullptr;
};

/// Unknown, repeated, misplaced and unsupported decorators and arguments of the wrong form are reported; false then.
bool readDecorators(const syntax::FunctionDef &function, const LangNames &names, DecoratorSet &set,
                    DiagnosticEngine &diagnostics);

} // namespace phobos::sema
