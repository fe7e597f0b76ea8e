// A CUDA device as the launch path sees it, on the device's primary context: the one that torch, CuPy and JAX use, so
// their addresses and streams are valid here.
#include "Asserting.h"
#include "ByteSize.h"
#include "LaunchCounters.h"

#include "phobos/Driver/Compiler.h"
#include "phobos/runtime/CudaDriver.h"
#include "phobos/runtime/Device.h"
#include "phobos/runtime/Timing.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace phobos::runtime {

using namespace cuda;

Device::~Device() = default;

namespace {

constexpr size_t kJitLogBytes = 8192;

Error failure(const char *function, CuResult result) { return Error::launch(errorText(function, result)); }

/// The device's context is current while this lives; nothing happens if it already was.
class ContextScope {
public:
  ContextScope(const Api &api, CuContext context) : api(api) {
    CuContext current = nullptr;
    api.contextGetCurrent(&current);
    pushed = current != context && api.contextPush(context) == kSuccess;
  }
  ~ContextScope() {
    if (pushed) {
      CuContext ignored;
      api.contextPop(&ignored);
    }
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

private:
  const Api &api;
  bool pushed;
};

/// Lets this thread allocate and load while some stream of the process records a graph.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Api &api) : api(api) { api.threadExchangeCaptureMode(&mode); }
  ~RelaxedCapture() { api.threadExchangeCaptureMode(&mode); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  const Api &api;
  int mode = kCaptureRelaxed;
};

/// "sm_90a" for a compute capability, out of what the compiler supports: that very chip, else the nearest older one of
/// the same major version, whose code runs here too. Empty if there is none.
std::string chipFor(int major, int minor) {
  std::string best;
  int bestMinor = -1;
  for (const std::string &chip : supportedChips()) {
    bool exactOnly = chip.back() == 'a'; // architecture-specific code runs on no other chip
    int number = std::atoi(chip.c_str() + 3);
    int itsMinor = number % 10;
    if (number / 10 == major && itsMinor <= minor && (!exactOnly || itsMinor == minor) && itsMinor > bestMinor) {
      best = chip;
      bestMinor = itsMinor;
    }
  }
  return best;
}

class CudaDevice final : public Device {
public:
  CudaDevice(const Api &api, int ordinal, CuContext context, std::string chip)
      : api(api), ordinal_(ordinal), context(context), chip_(std::move(chip)) {}

  const std::string &chip() const override { return chip_; }
  std::string model() const override {
    const DeviceInfo info = cudaDevices().at(ordinal_);
    return chip_ + ", " + info.name + ", " + std::to_string(info.multiprocessors);
  }
  int ordinal() const override { return ordinal_; }

  Result<Function> load(const Image &image) override {
    ContextScope scope(api, context);
    RelaxedCapture relaxed(api);
    std::array<char, kJitLogBytes> log{};
    int options[] = {kJitErrorLog, kJitErrorLogBytes};
    void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
    // PTX must end in a zero byte; std::string has one.
    const std::string &code = image.binary.empty() ? image.text : image.binary;
    CuModule module = nullptr;
    if (CuResult result = api.moduleLoadDataEx(&module, code.c_str(), 2, options, values); result != kSuccess) {
      Error error = failure("cuModuleLoadDataEx", result);
      error.text += log[0] ? "\n" + std::string(log.data()) : "";
      return error;
    }
    Function function{nullptr, image.threads, image.dynamicSharedBytes};
    CuFunction handle = nullptr;
    if (CuResult result = api.moduleGetFunction(&handle, module, image.entry.c_str()); result != kSuccess) {
      api.moduleUnload(module);
      return Error::launch(errorText("cuModuleGetFunction", result) + " for entry " + image.entry);
    }
    function.handle = handle;
    // Under an older driver its wait finds nothing to wait for.
    function.dependent = image.dependent && api.driverVersion >= kDriverOfDependentGraphs;
    if (!image.asserting.empty()) {
      function.asserting = new std::string(image.asserting); // for as long as the function: until the process ends
    }
    if (image.dynamicSharedBytes) { // without this, 48 KB less the static part
      CuResult result =
          api.functionSetAttribute(handle, kFunctionMaxDynamicShared, static_cast<int>(image.dynamicSharedBytes));
      if (result != kSuccess) {
        return Error::launch(errorText("cuFuncSetAttribute", result) + ": " + std::to_string(image.dynamicSharedBytes) +
                             " bytes of dynamic shared memory for one block of kernel " + image.entry);
      }
    }
    if (image.persistent || image.cooperative) {
      int each = 0, multiprocessors = 0;
      CuResult result = api.occupancy(&each, handle, static_cast<int>(image.threads), image.dynamicSharedBytes);
      if (result != kSuccess) {
        return failure("cuOccupancyMaxActiveBlocksPerMultiprocessor", result);
      }
      api.deviceGetAttribute(&multiprocessors, kAttributeMultiprocessors, ordinal_);
      // None fits: the launch says why.
      (image.persistent ? function.residents : function.mostBlocks) = std::max(1, each * multiprocessors);
    }
    return function;
  }

  Status launch(const Function &function, const Grid &grid, void *stream, void **parameters,
                const LaunchSource &) override {
    ContextScope scope(api, context);
    if (function.dependent || function.mostBlocks) [[unlikely]] {
      return launchWith({function.dependent ? kLaunchDependent : kLaunchCooperative, /*value=*/1}, function, grid,
                        stream, parameters);
    }
    CuResult result =
        api.launchKernel(static_cast<CuFunction>(function.handle), static_cast<unsigned>(grid.x),
                         static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z), function.threads, 1, 1,
                         function.dynamicSharedBytes, static_cast<CuStream>(stream), parameters, nullptr);
    return launched("cuLaunchKernel", result, function, grid);
  }

  Status encodeTensorMap(const TensorMapShape &shape, const void *address, void *map) override {
    // cuda.h: CUtensorMapDataType, CUtensorMapSwizzle, CUtensorMapL2promotion; no interleave, zeros outside.
    constexpr int kUint8 = 0, kFloat16 = 6, kFloat32 = 7, kBfloat16 = 9, kTfloat32 = 11;
    constexpr int kL2Promotion256 = 3;
    int type = shape.tf32                   ? kTfloat32
               : shape.dtype == DType::f16  ? kFloat16
               : shape.dtype == DType::bf16 ? kBfloat16
               : shape.dtype == DType::f32  ? kFloat32
                                            : kUint8;
    int swizzle = shape.swizzleBytes == 128 ? 3 : shape.swizzleBytes == 64 ? 2 : 1;
    constexpr unsigned ones[] = {1, 1, 1, 1, 1};
    CuResult result = api.tensorMapEncodeTiled(
        map, type, static_cast<unsigned>(shape.extents.size()), const_cast<void *>(address), shape.extents.data(),
        shape.strideBytes.data(), shape.box.data(), ones, /*interleave=*/0, swizzle, kL2Promotion256, /*fill=*/0);
    return result == kSuccess ? Status() : Status(failure("cuTensorMapEncodeTiled", result));
  }

  Result<void *> counters(void *stream) override {
    ContextScope scope(api, context);
    return launchCounters.of(api, static_cast<CuStream>(stream));
  }

  bool isCapturing(void *stream) override {
    ContextScope scope(api, context);
    int state = 0;
    return api.streamIsCapturing(static_cast<CuStream>(stream), &state) == kSuccess && state != 0;
  }

  Result<double> time(const std::function<Status(void *)> &work) override {
    ContextScope scope(api, context);
    return timeWithGraphs(api, work);
  }

  Result<double> timeCalls(void *stream, const std::function<Status()> &work) override {
    ContextScope scope(api, context);
    return timeWithEvents(api, static_cast<CuStream>(stream), work);
  }

  Status synchronize() override {
    ContextScope scope(api, context);
    CuResult result = api.contextSynchronize();
    return result == kSuccess ? Status() : Status(failure("cuCtxSynchronize", result));
  }

  Result<std::vector<void *>> save(const std::vector<MemoryRange> &ranges) override {
    ContextScope scope(api, context);
    std::vector<void *> copies;
    for (const MemoryRange &range : ranges) {
      CuAddress copy = 0;
      if (CuResult result = range.bytes ? api.memAlloc(&copy, range.bytes) : kSuccess; result != kSuccess) {
        release(copies);
        return failure("cuMemAlloc", result);
      }
      copies.push_back(reinterpret_cast<void *>(copy));
    }
    if (Status status = copyAll(ranges, copies, false); !status) {
      release(copies);
      return status.error();
    }
    return copies;
  }

  Status restore(const std::vector<MemoryRange> &ranges, const std::vector<void *> &copies) override {
    ContextScope scope(api, context);
    return copyAll(ranges, copies, true);
  }

  void release(const std::vector<void *> &copies) override {
    ContextScope scope(api, context);
    for (void *copy : copies) {
      if (copy) {
        api.memFree(reinterpret_cast<CuAddress>(copy));
      }
    }
  }

  Status read(void *to, const void *from, size_t bytes) override {
    ContextScope scope(api, context);
    if (CuResult result = api.contextSynchronize(); result != kSuccess) {
      return failure("cuCtxSynchronize", result);
    }
    CuResult result = bytes ? api.memcpyDeviceToHost(to, reinterpret_cast<CuAddress>(from), bytes) : kSuccess;
    return result == kSuccess ? Status() : Status(failure("cuMemcpyDtoH", result));
  }

private:
  Status launchWith(const CuLaunchAttribute &attribute, const Function &function, const Grid &grid, void *stream,
                    void **parameters) {
    CuLaunchConfig config{{static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z)},
                          {function.threads, 1, 1},
                          function.dynamicSharedBytes,
                          static_cast<CuStream>(stream),
                          &attribute,
                          1};
    CuResult result = api.launchKernelEx(&config, static_cast<CuFunction>(function.handle), parameters, nullptr);
    return launched("cuLaunchKernelEx", result, function, grid);
  }

  Status launched(const char *by, CuResult result, const Function &function, const Grid &grid) {
    if (result != kSuccess) [[unlikely]] {
      return describeLaunch(by, result, function, grid);
    }
    if (function.asserting) {
      noteAsserting(function.asserting);
    }
    return {};
  }

  Status copyAll(const std::vector<MemoryRange> &ranges, const std::vector<void *> &copies, bool back) {
    if (CuResult result = api.contextSynchronize(); result != kSuccess) {
      return failure("cuCtxSynchronize", result);
    }
    for (size_t i = 0; i < ranges.size(); ++i) {
      auto original = reinterpret_cast<CuAddress>(ranges[i].address), copy = reinterpret_cast<CuAddress>(copies[i]);
      CuResult result = !ranges[i].bytes ? kSuccess
                        : back           ? api.memcpyDeviceToDevice(original, copy, ranges[i].bytes)
                                         : api.memcpyDeviceToDevice(copy, original, ranges[i].bytes);
      if (result != kSuccess) {
        return failure("cuMemcpyDtoD", result);
      }
    }
    // On the device copies go on behind the host's back, in order with no stream but the default one.
    CuResult result = api.contextSynchronize();
    return result == kSuccess ? Status() : Status(failure("cuCtxSynchronize", result));
  }

  Status describeLaunch(const char *by, CuResult result, const Function &function, const Grid &grid) {
    if (result == kErrorAssert) { // of a kernel before this one
      return failure(by, result);
    }
    int registers = 0, most = 0, shared = 0;
    auto handle = static_cast<CuFunction>(function.handle);
    api.functionGetAttribute(&registers, kFunctionRegisters, handle);
    api.functionGetAttribute(&most, kFunctionMaxThreads, handle);
    api.functionGetAttribute(&shared, kFunctionStaticShared, handle);
    return Error::launch(errorText(by, result) + "\ngrid " + std::to_string(grid.x) + " x " + std::to_string(grid.y) +
                         " x " + std::to_string(grid.z) + ", " + std::to_string(function.threads) +
                         " threads a block (at most " + std::to_string(most) + " with its " +
                         std::to_string(registers) + " registers), " +
                         std::to_string(shared + function.dynamicSharedBytes) + " bytes of shared memory");
  }

  const Api &api;
  int ordinal_;
  CuContext context;
  std::string chip_;
  LaunchCounters launchCounters;
};

/// Makes room for what kernels print until it is waited for, if $PHOBOS_PRINT_BUFFER says so: before any kernel runs.
Status setPrintBuffer(const Api &api, CuContext context) {
  const char *text = std::getenv("PHOBOS_PRINT_BUFFER");
  if (!text || !*text) {
    return {};
  }
  auto bytes = parseSize(text);
  if (!bytes) {
    return Error::launch("error: PHOBOS_PRINT_BUFFER is '" + std::string(text) + "'; " + kExpectedSize + "\n");
  }
  ContextScope scope(api, context);
  CuResult result = api.contextSetLimit(kLimitPrintBuffer, *bytes);
  return result == kSuccess ? Status() : Status(failure("cuCtxSetLimit", result));
}

Result<std::unique_ptr<Device>> openDevice(const Api &api, int ordinal) {
  int count = 0;
  api.deviceGetCount(&count);
  if (ordinal < 0 || ordinal >= count) {
    return Error::launch("error: there is no device cuda:" + std::to_string(ordinal) + "; the driver sees " +
                         std::to_string(count) + "\n");
  }
  CuDevice device = 0;
  CuContext context = nullptr;
  int major = 0, minor = 0;
  if (CuResult result = api.deviceGet(&device, ordinal); result != kSuccess) {
    return failure("cuDeviceGet", result);
  }
  api.deviceGetAttribute(&major, kAttributeMajor, device);
  api.deviceGetAttribute(&minor, kAttributeMinor, device);
  std::string chip = chipFor(major, minor);
  if (chip.empty()) {
    std::string supported;
    for (const std::string &name : supportedChips()) {
      supported += (supported.empty() ? "" : ", ") + name;
    }
    return Error::launch("error: cuda:" + std::to_string(ordinal) + " has compute capability " + std::to_string(major) +
                         "." + std::to_string(minor) + ", which is not supported; expected one of " + supported + "\n");
  }
  // Retained until the process ends: functions loaded in it may be in use by then.
  if (CuResult result = api.primaryContextRetain(&context, device); result != kSuccess) {
    return failure("cuDevicePrimaryCtxRetain", result);
  }
  if (Status status = setPrintBuffer(api, context); !status) {
    return status.error();
  }
  return std::unique_ptr<Device>(new CudaDevice(api, ordinal, context, std::move(chip)));
}

} // namespace

Result<Device *> cudaDevice(int ordinal) {
  const Api *driver = api();
  if (!driver) {
    return Error::launch("error: no GPU to launch on: " + whyNot() +
                         "\nhint: `kernel.compile(arch=\"sm_80\")` compiles without one; phobos.target(\"host\") runs "
                         "on the simulator\n");
  }
  static std::mutex mutex;
  static auto &devices = *new std::vector<std::unique_ptr<Device>>; // never destroyed: see primaryContextRetain
  std::lock_guard lock(mutex);
  if (ordinal >= 0 && static_cast<size_t>(ordinal) < devices.size() && devices[ordinal]) {
    return devices[ordinal].get();
  }
  auto opened = openDevice(*driver, ordinal);
  if (!opened) {
    return opened.error();
  }
  devices.resize(std::max<size_t>(devices.size(), ordinal + 1));
  devices[ordinal] = std::move(*opened);
  return devices[ordinal].get();
}

std::vector<DeviceInfo> cudaDevices() {
  std::vector<DeviceInfo> infos;
  const Api *driver = api();
  int count = 0;
  if (!driver || driver->deviceGetCount(&count) != kSuccess) {
    return infos;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CuDevice device = 0;
    if (driver->deviceGet(&device, ordinal) != kSuccess) {
      continue;
    }
    DeviceInfo info;
    info.ordinal = ordinal;
    char name[128] = {};
    size_t bytes = 0;
    driver->deviceGetName(name, sizeof name, device);
    driver->deviceGetAttribute(&info.major, kAttributeMajor, device);
    driver->deviceGetAttribute(&info.minor, kAttributeMinor, device);
    driver->deviceGetAttribute(&info.multiprocessors, kAttributeMultiprocessors, device);
    driver->deviceGetAttribute(&info.sharedBytesPerBlock, kAttributeSharedOptIn, device);
    driver->deviceTotalMem(&bytes, device);
    info.name = name;
    info.memoryBytes = bytes;
    info.chip = chipFor(info.major, info.minor);
    infos.push_back(std::move(info));
  }
  return infos;
}

std::string whyNoCuda() { return whyNot(); }

int cudaDeviceOfPointer(const void *address) {
  const Api *driver = api();
  int ordinal = -1;
  if (!driver ||
      driver->pointerGetAttribute(&ordinal, kPointerDeviceOrdinal, reinterpret_cast<CuAddress>(address)) != kSuccess) {
    return -1;
  }
  return ordinal;
}

int cudaCurrentDevice() {
  const Api *driver = api();
  CuContext context = nullptr;
  CuDevice device = 0; // CUdevice is the ordinal
  if (!driver || driver->contextGetCurrent(&context) != kSuccess || !context ||
      driver->contextGetDevice(&device) != kSuccess) {
    return 0;
  }
  return device;
}

} // namespace phobos::runtime
