// Collects diagnostics and draws them: position, message, the source line with its range underlined, notes, hint.
#include "phobos/Support/Diagnostic.h"
#include "phobos/Support/SourceFile.h"
#include "llvm/Support/raw_ostream.h"

namespace phobos {

static constexpr llvm::StringLiteral kSourceIndent = "    ";
static constexpr unsigned kMaxLineColumns = 400; // a longer source line (generated code) is not shown

llvm::StringRef severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  case Severity::Note:
    return "note";
  }
  llvm_unreachable("unknown severity");
}

Diagnostic &Diagnostic::note(SourceRange where, const llvm::Twine &text) {
  notes.push_back({where, text.str()});
  return *this;
}

Diagnostic &Diagnostic::hint(const llvm::Twine &text) {
  hintText = text.str();
  return *this;
}

Diagnostic &Diagnostic::calledFrom(SourceRange where, const llvm::Twine &callee) {
  callSites.push_back({where, callee.str()});
  return *this;
}

Diagnostic &DiagnosticEngine::report(Severity severity, SourceRange range, const llvm::Twine &message) {
  if (severity == Severity::Error && ++errors > kMaxErrorsKept) {
    dropped.clear();
    return dropped.emplace_back(severity, range, message.str());
  }
  return kept.emplace_back(severity, range, message.str());
}

/// The line that holds the start of the range and a caret under it. A range over several lines is underlined to the end
/// of its first.
static void drawSource(SourceRange range, llvm::raw_ostream &os) {
  const SourceFile &file = *range.file;
  unsigned line = file.lineNumber(range.begin);
  uint32_t lineEnd = file.lineStart(line) + static_cast<uint32_t>(file.lineText(line).size());
  unsigned caret = file.displayColumn(range.begin);
  unsigned past = file.displayColumn(std::max(range.begin, std::min(range.end, lineEnd)));
  if (file.displayColumn(lineEnd) > kMaxLineColumns) {
    return;
  }
  os << kSourceIndent << file.displayLine(line) << '\n';
  os << kSourceIndent;
  os.indent(caret - 1) << '^';
  for (unsigned column = caret + 1; column < past; ++column) {
    os << '~';
  }
  os << '\n';
}

static void renderOne(Severity severity, SourceRange range, llvm::StringRef message, llvm::raw_ostream &os) {
  if (range.isValid()) {
    LineColumn where = range.file->lineColumn(range.begin);
    os << range.file->path() << ':' << where.line << ':' << where.column << ": ";
  }
  os << severityName(severity) << ": " << message << '\n';
  if (range.isValid()) {
    drawSource(range, os);
  }
}

std::string DiagnosticEngine::render(const Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  renderOne(diagnostic.severity, diagnostic.range, diagnostic.message, os);
  for (const DiagnosticNote &note : diagnostic.notes) {
    renderOne(Severity::Note, note.range, note.message, os);
  }
  for (const CallSite &site : diagnostic.callSites) {
    renderOne(Severity::Note, site.range, "in `" + site.callee + "`, called from here", os);
  }
  if (!diagnostic.hintText.empty()) {
    os << "hint: " << diagnostic.hintText << '\n';
  }
  return text;
}

std::string DiagnosticEngine::render() const {
  std::string text;
  for (const Diagnostic &diagnostic : kept) {
    text += render(diagnostic);
  }
  if (errors > kMaxErrorsKept) {
    text += "error: " + std::to_string(errors - kMaxErrorsKept) + " more errors, not shown\n";
  }
  return text;
}

/// Do the names differ by two neighbours that changed places? An edit distance counts that twice.
static bool isSwap(llvm::StringRef a, llvm::StringRef b) {
  if (a.size() != b.size()) {
    return false;
  }
  size_t at = std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin();
  return at + 1 < a.size() && a[at] == b[at + 1] && a[at + 1] == b[at] && a.substr(at + 2) == b.substr(at + 2);
}

llvm::StringRef nearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  if (name.empty()) {
    return {};
  }
  // Twice the distance, so that a difference only in case can count half. About a third of the letters may differ, but
  // not the only letter.
  unsigned best = name.size() == 1 ? 2 : 2 * std::max<unsigned>(1, static_cast<unsigned>(name.size()) / 3) + 1;
  llvm::StringRef nearest;
  for (llvm::StringRef candidate : candidates) {
    unsigned distance =
        isSwap(name, candidate) ? 2 : name.edit_distance(candidate) + name.edit_distance_insensitive(candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

} // namespace phobos
