// Looks for the CUDA toolkit in the places where distributions, NVIDIA's installer and pip put it.
#include "phobos/Target/ToolPaths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <dlfcn.h>

namespace phobos::target {
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// pip's wheels lie beside each other: <site-packages>/nvidia/<cu13 | cuda_nvcc | nvjitlink | …>/{bin,lib,nvvm}.
void addPipPackages(llvm::StringRef sitePackages, std::vector<std::string> &roots) {
  llvm::SmallString<128> nvidia(sitePackages);
  path::append(nvidia, "nvidia");
  std::error_code error;
  std::vector<std::string> found;
  for (fs::directory_iterator entry(nvidia, error), end; !error && entry != end; entry.increment(error)) {
    if (fs::is_directory(entry->path())) {
      found.push_back(entry->path());
    }
  }
  llvm::sort(found); // directory order is not the same everywhere
  roots.insert(roots.end(), found.begin(), found.end());
}

/// The folders called site-packages or dist-packages that libphobos itself, the virtual environment, or PYTHONPATH
/// name.
std::vector<std::string> sitePackages() {
  std::vector<std::string> found;
  auto add = [&](llvm::StringRef folder) {
    if (!folder.empty() && fs::is_directory(folder) && !llvm::is_contained(found, folder)) {
      found.push_back(folder.str());
    }
  };
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&toolkitRoots), &info) && info.dli_fname) {
    for (llvm::StringRef folder = path::parent_path(info.dli_fname); !folder.empty();
         folder = path::parent_path(folder)) {
      llvm::StringRef base = path::filename(folder);
      if (base == "site-packages" || base == "dist-packages") {
        add(folder);
      }
    }
  }
  if (std::optional<std::string> environment = llvm::sys::Process::GetEnv("VIRTUAL_ENV")) {
    llvm::SmallString<128> lib(*environment);
    path::append(lib, "lib");
    std::error_code error;
    for (fs::directory_iterator entry(lib, error), end; !error && entry != end; entry.increment(error)) {
      llvm::SmallString<128> packages(entry->path());
      path::append(packages, "site-packages");
      add(packages);
    }
  }
  if (std::optional<std::string> pythonPath = llvm::sys::Process::GetEnv("PYTHONPATH")) {
    llvm::SmallVector<llvm::StringRef> folders;
    llvm::StringRef(*pythonPath).split(folders, ':', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef folder : folders) {
      add(folder);
    }
  }
  return found;
}

} // namespace

std::vector<std::string> toolkitRoots() {
  std::vector<std::string> roots;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (std::optional<std::string> value = llvm::sys::Process::GetEnv(variable); value && !value->empty()) {
      roots.push_back(*value);
    }
  }
  roots.push_back("/usr/local/cuda");
  for (const std::string &packages : sitePackages()) {
    addPipPackages(packages, roots);
  }
  roots.push_back("/opt/cuda");
  roots.push_back("/usr/lib/cuda");
  roots.push_back("/usr/lib/nvidia-cuda-toolkit");
  return roots;
}

std::string findToolkitFile(llvm::ArrayRef<llvm::StringRef> names, std::vector<std::string> &tried) {
  for (const std::string &root : toolkitRoots()) {
    for (llvm::StringRef name : names) {
      llvm::SmallString<128> candidate(root);
      path::append(candidate, name);
      if (fs::exists(candidate)) {
        return candidate.str().str();
      }
      tried.push_back(candidate.str().str());
    }
  }
  return {};
}

std::string findProgram(llvm::StringRef name) {
  std::string variable = "PHOBOS_" + name.upper();
  if (std::optional<std::string> value = llvm::sys::Process::GetEnv(variable); value && !value->empty()) {
    return fs::can_execute(*value) ? *value : std::string();
  }
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name)) {
    return *found;
  }
  for (const std::string &root : toolkitRoots()) {
    llvm::SmallString<128> candidate(root);
    path::append(candidate, "bin", name);
    if (fs::can_execute(candidate)) {
      return candidate.str().str();
    }
  }
  return {};
}

std::string joinLines(llvm::ArrayRef<std::string> lines) {
  std::string text;
  for (const std::string &line : lines) {
    text += "  " + line + "\n";
  }
  return text;
}

} // namespace phobos::target
