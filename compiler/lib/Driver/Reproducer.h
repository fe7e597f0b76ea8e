// What an internal failure leaves behind: the IR before it and the command that runs into it again.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace phobos::driver {

struct Reproducer {
  std::string ir;        // as text
  std::string arguments; // of phobos-opt, without the file
};

/// Writes kernel.mlir and command to a new folder under the temporary directory; its path, or empty if that failed.
std::string writeReproducer(const Reproducer &reproducer, llvm::StringRef failure);
/// "phobos-opt ARGUMENTS FOLDER/kernel.mlir"
std::string reproducerCommand(const Reproducer &reproducer, llvm::StringRef folder);

} // namespace phobos::driver
