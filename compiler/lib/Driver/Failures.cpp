// Failures that have no place in the source.
#include "Failures.h"

#include "phobos/Support/Diagnostic.h"

namespace phobos::driver {

Failure plainFailure(Failure::Kind kind, const std::string &message, const std::string &hint) {
  Diagnostic diagnostic(Severity::Error, SourceRange(), message);
  diagnostic.hintText = hint;
  return {kind, DiagnosticEngine::render(diagnostic), {}};
}

} // namespace phobos::driver
