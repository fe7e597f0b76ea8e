// MLIR's diagnostics as ours: rendered with the Python source, errors told apart into the user's and our own.
#pragma once

#include "phobos/Support/Diagnostic.h"
#include "phobos/Support/SourceFile.h"

#include "mlir/IR/Diagnostics.h"

namespace phobos::driver {

/// Takes what passes report while it lives. A pass's error is the user's to mend unless it comes from a verifier
/// ("'tile.load' op …") or begins with "internal": those are bugs of ours.
class Reports {
public:
  Reports(mlir::MLIRContext &context, const SourceFile &file);

  DiagnosticEngine &engine() { return engine_; }
  bool hasInternalErrors() const { return internal_; }
  /// Errors and warnings.
  std::string render() const;
  std::vector<std::string> remarks() const;

private:
  mlir::LogicalResult handle(mlir::Diagnostic &diagnostic);
  /// The place, with the chain of calls that led to it added to `to`.
  SourceRange place(mlir::Location location, Diagnostic *to);

  const SourceFile &file_;
  DiagnosticEngine engine_;
  bool internal_ = false;
  mlir::ScopedDiagnosticHandler handler_;
};

} // namespace phobos::driver
