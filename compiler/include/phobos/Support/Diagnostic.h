// Diagnostics: the one way in which any phase reports, and the one printer of reports. A phase takes a
// DiagnosticEngine, calls error() and adds notes and a hint to what comes back; the driver renders them all at the end.
// Rendered form:
//
//     kernel.py:12:9: error: expected ...
//         x = a[i:+H
//              ^~~~~
//     kernel.py:3:1: note: ...
//     kernel.py:30:5: note: in `helper`, called from here
//     hint: ...
//
// Messages are lower case with no full stop, say what was expected, and quote source in backquotes.
#pragma once

#include "phobos/Support/SourceRange.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <deque>
#include <string>

namespace phobos {

enum class Severity : uint8_t { Error, Warning, Remark, Note };

llvm::StringRef severityName(Severity severity);

struct DiagnosticNote {
  SourceRange range; ///< may be invalid: a note about no place
  std::string message;
};

/// One step of the chain of inlined calls that led to a diagnostic, innermost first.
struct CallSite {
  SourceRange range;
  std::string callee;
};

class Diagnostic {
public:
  Diagnostic(Severity severity, SourceRange range, std::string message)
      : severity(severity), range(range), message(std::move(message)) {}

  Diagnostic &note(SourceRange where, const llvm::Twine &text);
  Diagnostic &note(const llvm::Twine &text) { return note(SourceRange(), text); }
  Diagnostic &hint(const llvm::Twine &text);
  Diagnostic &calledFrom(SourceRange where, const llvm::Twine &callee);

  Severity severity;
  SourceRange range; ///< may be invalid: a diagnostic about the whole compilation
  std::string message;
  std::string hintText; ///< empty: none
  llvm::SmallVector<DiagnosticNote, 2> notes;
  llvm::SmallVector<CallSite, 2> callSites;
};

class DiagnosticEngine {
public:
  /// Errors past this many are counted but not kept.
  static constexpr unsigned kMaxErrorsKept = 100;

  DiagnosticEngine() = default;
  DiagnosticEngine(const DiagnosticEngine &) = delete;
  DiagnosticEngine &operator=(const DiagnosticEngine &) = delete;

  /// The reference stays valid for the life of the engine.
  Diagnostic &report(Severity severity, SourceRange range, const llvm::Twine &message);
  Diagnostic &error(SourceRange range, const llvm::Twine &message) { return report(Severity::Error, range, message); }
  Diagnostic &warning(SourceRange range, const llvm::Twine &message) {
    return report(Severity::Warning, range, message);
  }
  Diagnostic &remark(SourceRange range, const llvm::Twine &message) { return report(Severity::Remark, range, message); }

  bool hasErrors() const { return errors != 0; }
  unsigned errorCount() const { return errors; }
  const std::deque<Diagnostic> &diagnostics() const { return kept; }

  /// Every diagnostic, in the order reported, each ended by a newline.
  std::string render() const;
  static std::string render(const Diagnostic &diagnostic);

private:
  std::deque<Diagnostic> kept;
  std::deque<Diagnostic> dropped; ///< one slot, reused: callers still add notes to what they get back
  unsigned errors = 0;
};

/// The candidate nearest to `name` by edit distance (letter case counts half), or an empty string if none is near
/// enough to be a likely misspelling. Ties go to the earlier candidate.
llvm::StringRef nearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace phobos
