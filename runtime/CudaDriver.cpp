// Opens libcuda.so.1 once, resolves every function of CudaApi.def, and says in one sentence why there is no driver.
#include "phobos/runtime/CudaDriver.h"

#include "Asserting.h"

#include <dlfcn.h>

namespace phobos::runtime::cuda {
namespace {

struct Row {
  const char *symbol;
  int version;
  void **slot;
};

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

struct Driver {
  Api api;
  bool usable = false;
  std::string whyNot;

  Driver() {
    whyNot = open();
    usable = whyNot.empty();
  }

  std::string open() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      return "the CUDA driver could not be opened: " + std::string(reason ? reason : "libcuda.so.1");
    }
    const Row rows[] = {
#define PHOBOS_CUDA(name, symbol, version, ...) {symbol, version, reinterpret_cast<void **>(&api.name)},
#include "phobos/runtime/CudaApi.def"
    };
    const Row *missing = nullptr;
    for (const Row &row : rows) {
      *row.slot = dlsym(library, row.symbol);
      missing = !*row.slot && (!missing || missing->version < row.version) ? &row : missing;
    }
    if (api.driverGetVersion) {
      api.driverGetVersion(&api.driverVersion);
    }
    if (missing) {
      return "the CUDA driver is for CUDA " + versionText(api.driverVersion) + " and has no " + missing->symbol +
             ", which came with CUDA " + versionText(missing->version);
    }
    if (CuResult result = api.init(0); result != kSuccess) {
      return "the CUDA driver could not be initialised: " + text("cuInit", result);
    }
    int count = 0;
    if (CuResult result = api.deviceGetCount(&count); result != kSuccess) {
      return text("cuDeviceGetCount", result);
    }
    return count ? "" : "the CUDA driver sees no device";
  }

  std::string text(const char *function, CuResult result) const {
    const char *name = nullptr, *description = nullptr;
    if (api.getErrorName) {
      api.getErrorName(result, &name);
    }
    if (api.getErrorString) {
      api.getErrorString(result, &description);
    }
    return std::string(function) + ": " + (name ? name : "error " + std::to_string(result)) +
           (description ? " (" + std::string(description) + ")" : "");
  }
};

const Driver &driver() {
  static const Driver instance; // on first use; never at load
  return instance;
}

} // namespace

const Api *api() { return driver().usable ? &driver().api : nullptr; }
const std::string &whyNot() { return driver().whyNot; }

std::string errorText(const char *function, CuResult result) {
  std::string text = driver().text(function, result);
  if (result != kErrorAssert) {
    return text;
  }
  std::string kernels = assertingKernels();
  return text + "\nnote: an assertion failed in " + (kernels.empty() ? "a kernel launched before" : kernels) +
         "; its message is on standard error\nhint: the GPU cannot be used any more in this process; "
         "phobos.target(\"host\") runs the kernel on the simulator, where a failed assertion is an exception";
}

} // namespace phobos::runtime::cuda
