// phobos-syntax-oracle: prints what the lexer and parser make of files, for tests/python/test_syntax_oracle.py to
// compare with CPython's own modules.
//
//   phobos-syntax-oracle tokens FILE...   a line a token: type, start line and column, end line and column, text
//   phobos-syntax-oracle trees FILE...    a line of JSON a file: its kernels and device functions, and the diagnostics
//   phobos-syntax-oracle dump FILE...     the --emit ast form
//
// The file name - is standard input.
#include "phobos/Support/SourceFile.h"
#include "phobos/Syntax/ASTDump.h"
#include "phobos/Syntax/Lexer.h"
#include "phobos/Syntax/Parser.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace phobos;
using namespace phobos::syntax;

static llvm::StringRef tokenizeName(TokenKind kind) {
  switch (kind) {
  case TokenKind::EndMarker:
    return "ENDMARKER";
  case TokenKind::Newline:
    return "NEWLINE";
  case TokenKind::Nl:
    return "NL";
  case TokenKind::Comment:
    return "COMMENT";
  case TokenKind::Indent:
    return "INDENT";
  case TokenKind::Dedent:
    return "DEDENT";
  case TokenKind::Number:
    return "NUMBER";
  case TokenKind::String:
    return "STRING";
  case TokenKind::Error:
    return "ERRORTOKEN";
  default:
    return isPunctuator(kind) ? "OP" : "NAME";
  }
}

static void printText(llvm::StringRef text, llvm::raw_ostream &os) {
  for (char c : text) {
    if (c == '\\') {
      os << "\\\\";
    } else if (c == '\n') {
      os << "\\n";
    } else if (c == '\r') {
      os << "\\r";
    } else {
      os << c;
    }
  }
}

/// The module ends a file without a last line break as if it had one, of no width in the text and one column in
/// positions.
static void printTokens(const SourceFile &file, llvm::raw_ostream &os) {
  DiagnosticEngine diagnostics;
  bool endsInBreak = file.text().empty() || file.text().ends_with("\n");
  for (const Token &token : tokenize(file, diagnostics)) {
    LineColumn begin = file.lineColumn(token.begin);
    LineColumn end = file.lineColumn(token.end);
    unsigned endColumn = end.column - 1;
    if (token.is(TokenKind::Newline) && token.begin == token.end) {
      ++endColumn;
    } else if (!endsInBreak && token.begin == file.size() && !token.is(TokenKind::Nl)) {
      begin = end = {begin.line + 1, 1};
      endColumn = 0;
    } else if (token.is(TokenKind::Newline) || token.is(TokenKind::Nl)) {
      end.line = begin.line;
      endColumn = begin.column - 1 + (token.end - token.begin);
    }
    os << tokenizeName(token.kind) << ' ' << begin.line << ' ' << begin.column - 1 << ' ' << end.line << ' '
       << endColumn << ' ';
    printText(file.text().slice(token.begin, token.end), os);
    os << '\n';
  }
  os << "ERRORS " << diagnostics.errorCount() << '\n';
}

static void printTrees(const SourceFile &file, llvm::raw_ostream &os) {
  DiagnosticEngine diagnostics;
  ASTContext context;
  const Module *module = parseModule(file, context, diagnostics);
  os << "{\"functions\":[";
  bool first = true;
  for (const FunctionDef *function : module->functions) {
    if (function->role != FunctionRole::Other) {
      os << (first ? "" : ",") << "{\"failed\":" << (function->hasErrors ? "true" : "false") << ",\"tree\":";
      first = false;
      dumpPythonAST(*function, os);
      os << '}';
    }
  }
  os << "],\"others\":[";
  first = true;
  for (const FunctionDef *function : module->functions) {
    if (function->role == FunctionRole::Other) {
      os << (first ? "" : ",") << llvm::json::Value(function->qualifiedName);
      first = false;
    }
  }
  os << "],\"errors\":" << diagnostics.errorCount()
     << ",\"diagnostics\":" << llvm::json::Value(llvm::json::fixUTF8(diagnostics.render())) << "}\n";
}

int main(int argc, char **argv) {
  llvm::StringRef mode = argc > 1 ? argv[1] : "";
  if (argc < 3 || (mode != "tokens" && mode != "trees" && mode != "dump")) {
    llvm::errs() << "usage: phobos-syntax-oracle tokens|trees|dump FILE...\n";
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(argv[i]);
    if (!buffer) {
      llvm::errs() << argv[i] << ": " << buffer.getError().message() << '\n';
      return 1;
    }
    SourceFile file(argv[i], (*buffer)->getBuffer().str());
    if (mode == "tokens") {
      llvm::outs() << "FILE " << argv[i] << '\n';
      printTokens(file, llvm::outs());
    } else if (mode == "trees") {
      printTrees(file, llvm::outs());
    } else {
      DiagnosticEngine diagnostics;
      ASTContext context;
      dumpAST(*parseModule(file, context, diagnostics), llvm::outs());
      llvm::errs() << diagnostics.render();
    }
  }
  return 0;
}
