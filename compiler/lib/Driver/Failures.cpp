// Failures that have no place in the source.
#include "Failures.h"

#include "phobos/Support/Diagnostic.h"
#include "phobos/Target/TargetError.h"

namespace phobos::driver {

Failure plainFailure(Failure::Kind kind, const std::string &message, const std::string &hint) {
  Diagnostic diagnostic(Severity::Error, SourceRange(), message);
  diagnostic.hintText = hint;
  return {kind, DiagnosticEngine::render(diagnostic), {}};
}

Failure failureOf(llvm::Error error) {
  Failure::Kind kind = Failure::Kind::Internal;
  std::string text;
  llvm::handleAllErrors(
      std::move(error),
      [&](const target::TargetError &why) {
        text = why.text();
        kind = why.kind() == target::TargetError::Kind::Tool ? Failure::Kind::Tool : Failure::Kind::Internal;
      },
      [&](const llvm::ErrorInfoBase &why) { text = why.message(); });
  // Hints come from the target as a last line; tools' own output stays as it is.
  llvm::StringRef message = text;
  auto [head, hint] = message.split("\nhint: ");
  std::string prefix = kind == Failure::Kind::Internal ? "internal: " : "";
  return plainFailure(kind, prefix + head.str(), hint.rtrim().str());
}

} // namespace phobos::driver
