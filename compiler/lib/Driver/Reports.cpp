// Translation of one MLIR diagnostic, its location and its notes.
#include "Reports.h"

#include "mlir/IR/Location.h"

namespace phobos::driver {

Reports::Reports(mlir::MLIRContext &context, const SourceFile &file)
    : file_(file), handler_(&context, [this](mlir::Diagnostic &diagnostic) { return handle(diagnostic); }) {}

static Severity severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return Severity::Error;
  case mlir::DiagnosticSeverity::Warning:
    return Severity::Warning;
  case mlir::DiagnosticSeverity::Remark:
    return Severity::Remark;
  case mlir::DiagnosticSeverity::Note:
    return Severity::Note;
  }
  llvm_unreachable("unknown severity");
}

/// IR locations have a line and a column in characters; the range is the token there.
static SourceRange tokenAt(const SourceFile &file, unsigned line, unsigned column) {
  if (line == 0 || line > file.lineCount()) {
    return {};
  }
  llvm::StringRef text = file.lineText(line);
  auto isContinuation = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  size_t offset = 0;
  for (unsigned at = 1; at < column && offset < text.size(); ++at) {
    do {
      ++offset;
    } while (offset < text.size() && isContinuation(text[offset]));
  }
  size_t end = offset;
  auto isWord = [&](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || isContinuation(c); };
  while (end < text.size() && isWord(text[end])) {
    ++end;
  }
  end = std::max(end, std::min(offset + 1, text.size()));
  uint32_t start = file.lineStart(line);
  return {&file, static_cast<uint32_t>(start + offset), static_cast<uint32_t>(start + end)};
}

SourceRange Reports::place(mlir::Location location, Diagnostic *to) {
  if (auto line = mlir::dyn_cast<mlir::FileLineColLoc>(location)) {
    return line.getFilename() == file_.path() ? tokenAt(file_, line.getLine(), line.getColumn()) : SourceRange();
  }
  if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(location)) {
    SourceRange callee = place(call.getCallee(), nullptr);
    // The callee's name is not in the location; the note shows the call.
    for (mlir::Location caller = call.getCaller(); to;) {
      auto outer = mlir::dyn_cast<mlir::CallSiteLoc>(caller);
      SourceRange where = place(outer ? outer.getCallee() : caller, nullptr);
      if (where.isValid()) {
        to->note(where, "called from here");
      }
      if (!outer) {
        break;
      }
      caller = outer.getCaller();
    }
    return callee;
  }
  if (auto name = mlir::dyn_cast<mlir::NameLoc>(location)) {
    return place(name.getChildLoc(), to);
  }
  if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(location)) {
    for (mlir::Location part : fused.getLocations()) {
      SourceRange range = place(part, to);
      if (range.isValid()) {
        return range;
      }
    }
  }
  return {};
}

mlir::LogicalResult Reports::handle(mlir::Diagnostic &diagnostic) {
  std::string message = diagnostic.str();
  Severity severity = severityOf(diagnostic.getSeverity());
  if (severity == Severity::Error) {
    llvm::StringRef text = message;
    internal_ |= text.starts_with("internal") || (text.starts_with("'") && text.contains("' op "));
  }
  Diagnostic &ours = engine_.report(severity, SourceRange(), message);
  ours.range = place(diagnostic.getLocation(), &ours);
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    std::string text = note.str();
    if (llvm::StringRef(text).starts_with("hint: ")) {
      ours.hint(llvm::StringRef(text).drop_front(6));
    } else if (!llvm::StringRef(text).starts_with("see current operation")) { // IR; the reproducer has it
      ours.note(place(note.getLocation(), nullptr), text);
    }
  }
  return mlir::success();
}

std::string Reports::render() const {
  std::string text;
  for (const Diagnostic &diagnostic : engine_.diagnostics()) {
    if (diagnostic.severity == Severity::Error || diagnostic.severity == Severity::Warning) {
      text += DiagnosticEngine::render(diagnostic);
    }
  }
  return text;
}

std::vector<std::string> Reports::remarks() const {
  std::vector<std::string> all;
  for (const Diagnostic &diagnostic : engine_.diagnostics()) {
    if (diagnostic.severity == Severity::Remark) {
      all.push_back(DiagnosticEngine::render(diagnostic));
    }
  }
  return all;
}

} // namespace phobos::driver
