// Two printed forms of the tree: an indented one for people (`--emit ast`) and a JSON one whose nodes, fields and
// positions are those of CPython's `ast`, by which the tests compare our parser with Python's own.
#pragma once

#include "phobos/Syntax/AST.h"

namespace llvm {
class raw_ostream;
}

namespace phobos::syntax {

/// S-expressions, one node a line, two spaces a level, with line:column of each node.
void dumpAST(const Module &module, llvm::raw_ostream &os);

/// One JSON object a node: "_type" is the class in `ast`, `lineno` to `end_col_offset` as there (columns in bytes).
/// Numbers are strings: integers in base ten, floats as float.hex() reads them.
void dumpPythonAST(const Stmt &stmt, llvm::raw_ostream &os);

} // namespace phobos::syntax
