// A CUDA driver that computes nothing: what is launched is written down, memory is the host's, time is made up. With it
// the whole launch path runs on a machine without a GPU. Built by the tests as libcuda.so.1; `fake_…` functions are
// theirs.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct Launch {
  unsigned grid[3], block[3], shared;
  void *stream;
  std::string entry;
  std::vector<uint64_t> parameters;
  int dependent = 0;
};

struct Kernel {
  std::string entry;
  int sharedLimit = 49152;
};

struct Fake {
  std::mutex mutex;
  std::vector<Launch> launches;
  std::vector<int> sizes; // of the parameters of every kernel
  bool record = true;
  int loads = 0, devices = 1, failLaunch = 0, capturing = 0;
  bool copying = false; // on the device, since the context was last waited for
  int overtaken = 0;    // launches made meanwhile: on a stream of their own they race with the copy
  uint64_t liveBytes = 0, printBuffer = 0;
};

Fake &fake() {
  static Fake instance;
  return instance;
}

// Contexts are their device's number plus one; each thread has its own current one, none at first, as the driver has
// it.
thread_local std::vector<intptr_t> contexts;

} // namespace

#define CUDA extern "C" int

CUDA cuInit(unsigned) { return 0; }
CUDA cuDriverGetVersion(int *version) { return *version = 13000, 0; }
CUDA cuGetErrorName(int result, const char **name) {
  return *name = result == 700   ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                 : result == 710 ? "CUDA_ERROR_ASSERT"
                                 : "CUDA_ERROR_INVALID_VALUE",
         0;
}
CUDA cuGetErrorString(int, const char **text) { return *text = "made up", 0; }
CUDA cuDeviceGetCount(int *count) { return *count = fake().devices, 0; }
CUDA cuDeviceGet(int *device, int ordinal) { return *device = ordinal, 0; }
CUDA cuDeviceGetName(char *name, int length, int) { return std::strncpy(name, "Fake GPU", length), 0; }
CUDA cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 75 ? 8 : attribute == 76 ? 0 : attribute == 16 ? 108 : attribute == 97 ? 166912 : 0;
  return 0;
}
CUDA cuDeviceTotalMem_v2(size_t *bytes, int) { return *bytes = size_t(1) << 30, 0; }
CUDA cuDevicePrimaryCtxRetain(void **context, int device) {
  return *context = reinterpret_cast<void *>(intptr_t(device) + 1), 0;
}
CUDA cuCtxGetCurrent(void **context) {
  return *context = reinterpret_cast<void *>(contexts.empty() ? 0 : contexts.back()), 0;
}
CUDA cuCtxGetDevice(int *device) {
  return contexts.empty() ? 201 : (*device = static_cast<int>(contexts.back() - 1), 0);
}
CUDA cuCtxPushCurrent_v2(void *context) { return contexts.push_back(reinterpret_cast<intptr_t>(context)), 0; }
CUDA cuCtxPopCurrent_v2(void **context) {
  *context = reinterpret_cast<void *>(contexts.back());
  return contexts.pop_back(), 0;
}
CUDA cuCtxSynchronize() { return fake().copying = false, 0; }
CUDA cuCtxSetLimit(int limit, size_t bytes) {
  if (contexts.empty() || limit != 1) {
    return 1;
  }
  return fake().printBuffer = bytes, 0;
}

CUDA cuModuleLoadDataEx(void **module, const void *image, unsigned, int *, void **) {
  std::lock_guard lock(fake().mutex);
  ++fake().loads;
  return *module = const_cast<void *>(image), 0;
}
CUDA cuModuleUnload(void *) { return 0; }
CUDA cuModuleGetFunction(void **function, void *, const char *entry) { return *function = new Kernel{entry}, 0; }
CUDA cuFuncGetAttribute(int *value, int attribute, void *) { return *value = attribute == 0 ? 1024 : 32, 0; }
CUDA cuFuncSetAttribute(void *function, int, int bytes) {
  return static_cast<Kernel *>(function)->sharedLimit = bytes, 0;
}

CUDA cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *, int threads, size_t) {
  return *blocks = 2048 / threads, 0;
}

CUDA cuTensorMapEncodeTiled(void *map, int, unsigned, void *address, const uint64_t *, const uint64_t *,
                            const unsigned *, const unsigned *, int, int, int, int) {
  std::memset(map, 0, 128);
  std::memcpy(map, &address, sizeof address); // enough to tell one map from another
  return 0;
}

static int launch(Launch launch, void *function, void **parameters) {
  Fake &state = fake();
  if (contexts.empty()) {
    return 201; // CUDA_ERROR_INVALID_CONTEXT: as on a thread that has none
  }
  state.overtaken += state.copying;
  auto *kernel = static_cast<Kernel *>(function);
  if (state.failLaunch || static_cast<int>(launch.shared) > kernel->sharedLimit) {
    return state.failLaunch ? state.failLaunch : 1;
  }
  if (!state.record) {
    return 0;
  }
  std::lock_guard lock(state.mutex);
  launch.entry = kernel->entry;
  for (size_t i = 0; i < state.sizes.size(); ++i) {
    uint64_t value = 0;
    std::memcpy(&value, parameters[i], state.sizes[i]);
    launch.parameters.push_back(value);
  }
  state.launches.push_back(launch);
  return 0;
}

CUDA cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                    unsigned shared, void *stream, void **parameters, void **) {
  return launch({{gx, gy, gz}, {bx, by, bz}, shared, stream, "", {}}, function, parameters);
}
// CUlaunchConfig and its attributes, as cuda.h has them.
struct Attribute {
  int id, pad, value, rest[15];
};
struct Config {
  unsigned gx, gy, gz, bx, by, bz, shared;
  void *stream;
  const Attribute *attributes;
  unsigned attributeCount;
};
CUDA cuLaunchKernelEx(const Config *c, void *function, void **parameters, void **) {
  Launch asked{{c->gx, c->gy, c->gz}, {c->bx, c->by, c->bz}, c->shared, c->stream, "", {}};
  for (unsigned i = 0; i < c->attributeCount; ++i) {
    asked.dependent |= c->attributes[i].id == 6 && c->attributes[i].value == 1;
  }
  return launch(asked, function, parameters);
}

CUDA cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  std::lock_guard lock(fake().mutex);
  fake().liveBytes += 1;
  constexpr size_t kAlignment = 256; // as a driver's are
  size_t whole = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  return *address = reinterpret_cast<unsigned long long>(std::aligned_alloc(kAlignment, whole)), 0;
}
CUDA cuMemFree_v2(unsigned long long address) {
  std::lock_guard lock(fake().mutex);
  fake().liveBytes -= 1;
  return std::free(reinterpret_cast<void *>(address)), 0;
}
CUDA cuMemcpyDtoD_v2(unsigned long long to, unsigned long long from, size_t bytes) {
  fake().copying = true;
  return std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes), 0;
}
CUDA cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
  return std::memcpy(to, reinterpret_cast<void *>(from), bytes), 0;
}
CUDA cuPointerGetAttribute(void *value, int, unsigned long long) { return *static_cast<int *>(value) = 0, 0; }

CUDA cuStreamCreate(void **stream, unsigned) { return *stream = reinterpret_cast<void *>(0x5717), 0; }
CUDA cuStreamDestroy_v2(void *) { return 0; }
CUDA cuStreamSynchronize(void *) { return 0; }
CUDA cuStreamIsCapturing(void *, int *state) { return *state = fake().capturing, 0; }
CUDA cuStreamGetId(void *stream,
                   unsigned long long *id) { // 900: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, as a driver says
  return fake().capturing ? 900 : (*id = reinterpret_cast<uintptr_t>(stream) + 1, 0);
}
CUDA cuStreamGetCaptureInfo_v2(void *, int *state, unsigned long long *id, void **, const void **, size_t *) {
  *id = fake().capturing; // which of several
  return *state = fake().capturing != 0, 0;
}
CUDA cuMemsetD32Async(unsigned long long address, unsigned value, size_t count, void *) {
  return std::fill_n(reinterpret_cast<unsigned *>(address), count, value), 0;
}
CUDA cuStreamBeginCapture_v2(void *, int) { return 0; }
CUDA cuStreamEndCapture(void *, void **graph) { return *graph = reinterpret_cast<void *>(1), 0; }
CUDA cuThreadExchangeStreamCaptureMode(int *) { return 0; }
CUDA cuGraphInstantiateWithFlags(void **exec, void *, unsigned long long) {
  return *exec = reinterpret_cast<void *>(1), 0;
}
CUDA cuGraphLaunch(void *, void *) { return 0; }
CUDA cuGraphExecDestroy(void *) { return 0; }
CUDA cuGraphDestroy(void *) { return 0; }
CUDA cuEventCreate(void **event, unsigned) { return *event = reinterpret_cast<void *>(1), 0; }
CUDA cuEventRecord(void *, void *) { return 0; }
CUDA cuEventSynchronize(void *) { return 0; }
// Each block of the last launch takes a microsecond, whatever it does: the tuner then prefers the fewest blocks.
CUDA cuEventElapsedTime(float *milliseconds, void *, void *) {
  std::lock_guard lock(fake().mutex);
  const auto &launches = fake().launches;
  return *milliseconds = launches.empty() ? 1.0f : 0.001f * static_cast<float>(launches.back().grid[0]), 0;
}
CUDA cuEventDestroy_v2(void *) { return 0; }

extern "C" {
void fake_sizes(int count, const int *sizes) { fake().sizes.assign(sizes, sizes + count); }
void fake_record(int on) { fake().record = on; }
void fake_devices(int count) { fake().devices = count; }
void fake_fail(int result) { fake().failLaunch = result; }
uint64_t fake_print_buffer() { return fake().printBuffer; }
void fake_capturing(int on) { fake().capturing = on; }
int fake_loads() { return fake().loads; }
int fake_overtaken() { return fake().overtaken; }
int fake_live() { return static_cast<int>(fake().liveBytes); }
int fake_dependent(int index) { return fake().launches[index].dependent; }
int fake_count() { return static_cast<int>(fake().launches.size()); }
/// Grid (3), threads, shared bytes, stream, then the parameters.
int fake_launch(int index, uint64_t *out) {
  const Launch &launch = fake().launches[index];
  uint64_t head[] = {launch.grid[0],  launch.grid[1], launch.grid[2],
                     launch.block[0], launch.shared,  reinterpret_cast<uint64_t>(launch.stream)};
  std::memcpy(out, head, sizeof head);
  std::memcpy(out + 6, launch.parameters.data(), launch.parameters.size() * 8);
  return static_cast<int>(6 + launch.parameters.size());
}

// An array type with DLPack's C exchange API: its objects are looked up by address among those registered.
struct Tensor {
  void *data;
  int32_t deviceType, deviceIndex, rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *extents, *strides;
  uint64_t byteOffset;
};
struct Registered {
  void *object;
  Tensor tensor;
};
static std::vector<Registered> registered;
static void *currentStream = reinterpret_cast<void *>(0x51);

void fake_register(void *object, const Tensor *tensor) { registered.push_back({object, *tensor}); }
void fake_set_stream(void *stream) { currentStream = stream; }
static int toTensor(void *object, Tensor *out) {
  // The newest first: an address is used again when its object is gone.
  for (auto entry = registered.rbegin(); entry != registered.rend(); ++entry) {
    if (entry->object == object) {
      return *out = entry->tensor, 0;
    }
  }
  return -1;
}
static int stream(int32_t, int32_t, void **out) { return *out = currentStream, 0; }
struct ExchangeApi {
  uint32_t major, minor;
  void *previous, *allocate, *toManaged, *fromManaged;
  int (*toTensor)(void *, Tensor *);
  int (*stream)(int32_t, int32_t, void **);
};
const void *fake_exchange_api() {
  static const ExchangeApi api{1, 2, nullptr, nullptr, nullptr, nullptr, toTensor, stream};
  return &api;
}
}
