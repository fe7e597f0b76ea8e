// Where a number, string or identifier that starts at a given offset ends. Pure functions of the text, for the lexer
// alone.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace phobos::syntax {

/// Length in bytes of the identifier character at `offset`, or 0 if there is none.
unsigned identifierStartLength(llvm::StringRef text, uint32_t offset);
unsigned identifierContinueLength(llvm::StringRef text, uint32_t offset);

/// End of the line break (\n, \r\n or \r) at `offset`, or `offset` itself if there is none.
uint32_t lineBreakEnd(llvm::StringRef text, uint32_t offset);

struct NumberScan {
  uint32_t end;
  const char *problem; ///< null: a good number
};

/// `begin` is at a digit, or at a dot before one. A malformed number extends over all that is glued to it.
NumberScan scanNumber(llvm::StringRef text, uint32_t begin);

struct StringScan {
  uint32_t end;
  bool terminated;
};

/// Length of a string prefix such as rb at `begin` that a quote follows; 0 if there is no prefix; npos if no string
/// starts here.
size_t stringPrefixLength(llvm::StringRef text, uint32_t begin);

/// `quote` is at the opening quote, after the prefix.
StringScan scanString(llvm::StringRef text, uint32_t quote);

/// An f-string whose replacement fields may hold any expression, the enclosing quote and line breaks included (PEP
/// 701). Not terminated if the text is no such f-string; one of Python 3.11 that is malformed inside may still scan as
/// a plain string.
StringScan scanFString(llvm::StringRef text, uint32_t quote);

} // namespace phobos::syntax
