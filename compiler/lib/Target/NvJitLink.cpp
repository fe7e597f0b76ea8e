// libnvJitLink through dlopen: 6 ms for a small kernel, where starting ptxas alone takes 50. The declarations are our
// own, of the few functions used; they have been the same since 12.0.
#include "Assemblers.h"

#include "phobos/Target/ToolPaths.h"

#include "llvm/Support/Path.h"

#include <dlfcn.h>
#include <mutex>

namespace phobos::target {
namespace {

using Handle = struct OpaqueNvJitLink *;
constexpr int kSuccess = 0;
constexpr int kUnrecognizedArch = 16, kUnsupportedArch = 17;
constexpr int kInputPtx = 2;

struct Library {
  int (*create)(Handle *, uint32_t, const char **) = nullptr;
  int (*destroy)(Handle *) = nullptr;
  int (*addData)(Handle, int, const void *, size_t, const char *) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*cubinSize)(Handle, size_t *) = nullptr;
  int (*cubin)(Handle, void *) = nullptr;
  int (*errorLogSize)(Handle, size_t *) = nullptr;
  int (*errorLog)(Handle, char *) = nullptr;
  int (*infoLogSize)(Handle, size_t *) = nullptr;
  int (*infoLog)(Handle, char *) = nullptr;
  int (*version)(unsigned *, unsigned *) = nullptr;
  std::string name;
};

template <typename Function> bool resolve(void *object, const char *name, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(object, name));
  return function != nullptr;
}

bool load(const std::string &path, Library &library) {
  void *object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object) {
    return false;
  }
  bool complete =
      resolve(object, "nvJitLinkCreate", library.create) && resolve(object, "nvJitLinkDestroy", library.destroy) &&
      resolve(object, "nvJitLinkAddData", library.addData) && resolve(object, "nvJitLinkComplete", library.complete) &&
      resolve(object, "nvJitLinkGetLinkedCubinSize", library.cubinSize) &&
      resolve(object, "nvJitLinkGetLinkedCubin", library.cubin) &&
      resolve(object, "nvJitLinkGetErrorLogSize", library.errorLogSize) &&
      resolve(object, "nvJitLinkGetErrorLog", library.errorLog) &&
      resolve(object, "nvJitLinkGetInfoLogSize", library.infoLogSize) &&
      resolve(object, "nvJitLinkGetInfoLog", library.infoLog);
  if (!complete) {
    dlclose(object);
    return false;
  }
  unsigned major = 0, minor = 0;
  library.name = "nvJitLink";
  if (resolve(object, "nvJitLinkVersion", library.version) && library.version(&major, &minor) == kSuccess) {
    library.name += " " + std::to_string(major) + "." + std::to_string(minor);
  }
  return true;
}

/// Loaded once and never unloaded; null where there is none.
const Library *nvJitLink() {
  static std::once_flag looked;
  static Library library;
  static bool found = false;
  std::call_once(looked, [] {
    for (const char *name : {"libnvJitLink.so.13", "libnvJitLink.so.12"}) {
      if (load(name, library)) {
        found = true;
        return;
      }
      for (const std::string &root : toolkitRoots()) {
        for (const char *folder : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
          llvm::SmallString<128> path(root);
          llvm::sys::path::append(path, folder, name);
          if (load(path.str().str(), library)) {
            found = true;
            return;
          }
        }
      }
    }
  });
  return found ? &library : nullptr;
}

std::string readLog(Handle handle, int (*size)(Handle, size_t *), int (*read)(Handle, char *)) {
  size_t bytes = 0;
  if (size(handle, &bytes) != kSuccess || bytes <= 1) {
    return {};
  }
  std::string text(bytes, '\0');
  if (read(handle, text.data()) != kSuccess) {
    return {};
  }
  text.resize(text.find('\0') == std::string::npos ? text.size() : text.find('\0'));
  return text;
}

} // namespace

AssembleResult assembleWithNvJitLink(llvm::StringRef ptx, const Chip &chip) {
  AssembleResult result;
  const Library *library = nvJitLink();
  if (!library) {
    return result;
  }
  result.tool = library->name;
  result.command = "ptxas -arch=" + chip.name.str() + " -O3 -v kernel.ptx -o kernel.cubin";
  std::string arch = "-arch=" + chip.name.str();
  // -no-cache: the cubin is kept in our own cache; the driver's would be opened first, which takes 190 ms in a fresh
  // process.
  const char *options[] = {arch.c_str(), "-O3", "-verbose", "-no-cache"};
  Handle handle = nullptr;
  int status = library->create(&handle, std::size(options), options);
  if (status == kSuccess) {
    // The library wants text that ends in a null byte.
    std::string text = ptx.str();
    status = library->addData(handle, kInputPtx, text.c_str(), text.size() + 1, "kernel.ptx");
    if (status == kSuccess) {
      status = library->complete(handle);
    }
  }
  if (handle) {
    result.log = readLog(handle, library->errorLogSize, library->errorLog) +
                 readLog(handle, library->infoLogSize, library->infoLog);
  }
  size_t size = 0;
  if (status == kSuccess && (status = library->cubinSize(handle, &size)) == kSuccess) {
    result.cubin.resize(size);
    status = library->cubin(handle, result.cubin.data());
  }
  if (handle) {
    library->destroy(&handle);
  }
  if (status == kSuccess) {
    result.status = AssembleResult::Status::Done;
  } else if (status == kUnrecognizedArch || status == kUnsupportedArch || saysTooOld(result.log)) {
    result.status = AssembleResult::Status::TooOld;
  } else {
    result.status = AssembleResult::Status::Refused;
    if (result.log.empty()) {
      result.log = library->name + " returned " + std::to_string(status) + " and no log\n";
    }
  }
  return result;
}

} // namespace phobos::target
