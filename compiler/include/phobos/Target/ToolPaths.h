// Where NVIDIA's tools and files may be: CUDA_HOME, CUDA_PATH, /usr/local/cuda, and pip's nvidia packages.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace phobos::target {

/// Folders that are, or are laid out like, a CUDA toolkit, best first.
std::vector<std::string> toolkitRoots();
/// The first of `names` that exists under a toolkit root, or empty; `tried` gets every path looked at.
std::string findToolkitFile(llvm::ArrayRef<llvm::StringRef> names, std::vector<std::string> &tried);
/// A program of the toolkit: the variable PHOBOS_<NAME>, PATH, then <root>/bin. Empty if there is none.
std::string findProgram(llvm::StringRef name);
/// "  a\n  b\n"
std::string joinLines(llvm::ArrayRef<std::string> lines);

} // namespace phobos::target
