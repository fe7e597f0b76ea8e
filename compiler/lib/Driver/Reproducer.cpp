// Writes a reproducer.
#include "Reproducer.h"

#include "phobos/Driver/Compiler.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace phobos::driver {

std::string reproducerCommand(const Reproducer &reproducer, llvm::StringRef folder) {
  return "phobos-opt " + reproducer.arguments + (reproducer.arguments.empty() ? "" : " ") + folder.str() +
         "/kernel.mlir";
}

static bool write(const std::string &path, llvm::StringRef contents) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (error) {
    return false;
  }
  file << contents;
  file.close();
  bool good = !file.has_error();
  file.clear_error();
  return good;
}

std::string writeReproducer(const Reproducer &reproducer, llvm::StringRef failure) {
  llvm::SmallString<128> made;
  if (llvm::sys::fs::createUniqueDirectory("phobos-reproducer", made)) {
    return {};
  }
  std::string folder = made.str().str();
  std::string command = reproducerCommand(reproducer, folder) + "\n";
  if (!write(folder + "/kernel.mlir", reproducer.ir) || !write(folder + "/command", command) ||
      !write(folder + "/failure", failure.str() + "\ncompiler build " + buildId() + "\n")) {
    return {};
  }
  return folder;
}

} // namespace phobos::driver
