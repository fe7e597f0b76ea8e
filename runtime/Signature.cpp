// A kernel's signature with its source: renders launch-time errors exactly as the compiler renders its own.
#include "phobos/Support/Diagnostic.h"
#include "phobos/Support/SourceFile.h"
#include "phobos/runtime/Arguments.h"

namespace phobos::runtime {
namespace {

/// `name`'s place at a 1-based line and column in characters; of the line if the column is unknown.
SourceRange rangeAt(const SourceFile &file, int line, int column, size_t length) {
  if (line < 1 || static_cast<unsigned>(line) > file.lineCount()) {
    return {};
  }
  llvm::StringRef text = file.lineText(line);
  size_t byte = 0;
  for (int i = 1; i < column && byte < text.size(); ++i) {
    ++byte;
    while (byte < text.size() && (static_cast<unsigned char>(text[byte]) & 0xC0) == 0x80) {
      ++byte; // inside one UTF-8 character
    }
  }
  uint32_t begin = file.lineStart(line) + static_cast<uint32_t>(byte);
  uint32_t end = std::min<uint32_t>(begin + static_cast<uint32_t>(length), file.lineStart(line) + text.size());
  return {&file, begin, std::max(begin, end)};
}

/// The place of the name in `def name(`.
SourceRange kernelRange(const SourceFile &file, const KernelInfo &info) {
  SourceRange line = rangeAt(file, info.line, 1, 0);
  if (!line.isValid()) {
    return line;
  }
  size_t at = file.lineText(info.line).find(info.name);
  return at == llvm::StringRef::npos ? line : rangeAt(file, info.line, static_cast<int>(at) + 1, info.name.size());
}

SourceRange placeOf(const SourceFile &file, const KernelInfo &info, const ParameterInfo *parameter) {
  return parameter ? rangeAt(file, parameter->line, parameter->column, parameter->name.size())
                   : kernelRange(file, info);
}

} // namespace

Signature::Signature(KernelInfo info, std::string path, std::string text)
    : info_(std::move(info)), path_(path), file_(std::make_unique<SourceFile>(std::move(path), std::move(text))) {
  for (const ParameterInfo &parameter : info_.parameters) {
    tensorCount_ += parameter.kind == ParameterInfo::Kind::Tensor;
  }
}

Signature::Signature(Signature &&other) noexcept = default;
Signature::~Signature() = default;

int Signature::dimIndex(std::string_view name) const {
  for (size_t i = 0; i < info_.dims.size(); ++i) {
    if (info_.dims[i] == name) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

Error Signature::launchError(const ParameterInfo *where, const std::string &message, const std::string &hint) const {
  return launchError(where, message, nullptr, {}, hint);
}

Error Signature::launchError(const ParameterInfo *where, const std::string &message, const ParameterInfo *noteAt,
                             const std::string &note, const std::string &hint) const {
  Diagnostic diagnostic(Severity::Error, placeOf(*file_, info_, where), message);
  if (!note.empty()) {
    diagnostic.note(noteAt ? placeOf(*file_, info_, noteAt) : SourceRange(), note);
  }
  if (!hint.empty()) {
    diagnostic.hint(hint);
  }
  return Error::launch(DiagnosticEngine::render(diagnostic));
}

Error Signature::launchError(const ParameterInfo *where, const std::string &message, const PlacedText &note,
                             const std::string &hint) const {
  Diagnostic diagnostic(Severity::Error, placeOf(*file_, info_, where), message);
  diagnostic.note(rangeAt(*file_, static_cast<int>(note.line), static_cast<int>(note.column), 1), note.text).hint(hint);
  return Error::launch(DiagnosticEngine::render(diagnostic));
}

Error Signature::simulationError(const PlacedText &error, const std::vector<PlacedText> &notes) const {
  auto place = [&](const PlacedText &text) {
    return text.line && text.file == path_
               ? rangeAt(*file_, static_cast<int>(text.line), static_cast<int>(text.column), 1)
               : SourceRange();
  };
  // A place in another file has no line to show; it is said in words.
  auto words = [&](const PlacedText &text) {
    bool elsewhere = text.line && text.file != path_;
    return (elsewhere ? text.file + ":" + std::to_string(text.line) + ":" + std::to_string(text.column) + ": " : "") +
           text.text;
  };
  SourceRange where = error.line ? place(error) : kernelRange(*file_, info_);
  Diagnostic diagnostic(Severity::Error, where, words(error));
  for (const PlacedText &note : notes) {
    diagnostic.note(place(note), words(note));
  }
  return {Error::Kind::Simulation, DiagnosticEngine::render(diagnostic), {}};
}

Error Signature::compileError(const std::string &message, const std::string &hint) const {
  Error error = launchError(nullptr, message, hint);
  error.kind = Error::Kind::Compile;
  return error;
}

} // namespace phobos::runtime
