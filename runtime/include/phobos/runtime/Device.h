// What a launch needs of a device. CUDA implements it; the launch path, the caches and the tuner know only this.
// All functions are thread-safe. An error text names the driver function and the driver's own words.
#pragma once

#include "phobos/Support/DType.h"
#include "phobos/runtime/Result.h"
#include "phobos/runtime/Target.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace phobos {
class HostKernel;
}

namespace phobos::runtime {

struct Argument;
class Signature;

/// Number of blocks along each axis, as the caller gave it; not yet checked.
struct Grid {
  int64_t x = 1, y = 1, z = 1;
  bool empty() const { return x == 0 || y == 0 || z == 0; }
};

/// A compiled kernel in a form that a device takes.
struct Image {
  std::string entry;
  std::string binary;                     // machine code, or empty
  std::string text;                       // PTX, used where `binary` is empty
  std::shared_ptr<const HostKernel> host; // for the simulator
  unsigned threads = 0;
  unsigned dynamicSharedBytes = 0;
  std::string asserting; // which kernel it is, for messages; empty if it checks no assertion
  bool persistent = false;
  bool cooperative = false; // blocks wait for each other
  bool counts = false;      // in counters that are its last parameter
  bool dependent = false;   // may start beside the end of the kernel before it in the stream
};

/// A loaded kernel. Stays loaded until the process ends: an asynchronous launch may still be using it.
struct Function {
  void *handle = nullptr;
  unsigned threads = 0;
  unsigned dynamicSharedBytes = 0;
  const std::string *asserting = nullptr; // Image::asserting; null if that is empty
  int64_t residents = 0;  // of a persistent kernel: how many of its CTAs the device holds at once; 0: not persistent
  int64_t mostBlocks = 0; // of a grid whose blocks wait for each other: as many as the device holds at once; 0: of any
  bool counts = false, dependent = false;
  std::shared_ptr<const void> owner; // of code that would go before the process ends
};

/// A tensor as the copy engine is to read it. Axes from the innermost outwards; the first has stride 1.
struct TensorMapShape {
  DType dtype = DType::f16;
  unsigned swizzleBytes = 128; // a row of a box
  bool tf32 = false;           // f32 are rounded to nearest even on the way
  std::vector<uint64_t> extents;
  std::vector<uint64_t> strideBytes; // of the axes but the first
  std::vector<unsigned> box;
};
inline constexpr size_t kTensorMapBytes = 128; // of a CUtensorMap, aligned to 64

/// Ranges of device memory that timing must not change.
struct MemoryRange {
  void *address;
  size_t bytes;
};

/// Where a launch's parameters came from, for messages.
struct LaunchSource {
  const Signature &signature;
  const Argument *arguments; // one a parameter
};

class Device {
public:
  virtual ~Device();

  virtual Target target() const { return Target::Cuda; }
  /// Does timing here tell which variant is the fastest on a GPU?
  virtual bool timesVariants() const { return true; }

  /// What to compile for: "sm_90a".
  virtual const std::string &chip() const = 0;
  /// What a measured time holds for: the product, where that says more than the chip.
  virtual std::string model() const { return chip(); }
  virtual int ordinal() const = 0;
  virtual Result<Function> load(const Image &image) = 0;
  /// `parameters` as cuLaunchKernel takes them; `grid` has no zero.
  virtual Status launch(const Function &function, const Grid &grid, void *stream, void **parameters,
                        const LaunchSource &source) = 0;
  /// Writes the tensor map (kTensorMapBytes at `map`) of the tensor that begins at `address`.
  virtual Status encodeTensorMap(const TensorMapShape &shape, const void *address, void *map) = 0;
  /// A u32 in device memory for the next launch on `stream`: 0, and no launch that may run beside that one has it.
  virtual Result<void *> counters(void *stream) = 0;
  /// Is `stream` recording a graph? Then nothing may be timed on it.
  virtual bool isCapturing(void *stream) = 0;
  /// Median milliseconds of one run of `work`, which enqueues launches on the stream it is given.
  virtual Result<double> time(const std::function<Status(void *stream)> &work) = 0;
  /// The same for work that goes to a stream of the caller's and may not be recorded.
  virtual Result<double> timeCalls(void *stream, const std::function<Status()> &work) = 0;
  /// Waits for everything enqueued so far.
  virtual Status synchronize() = 0;
  /// Copies of `ranges`, to be put back with restore() and given up with release().
  virtual Result<std::vector<void *>> save(const std::vector<MemoryRange> &ranges) = 0;
  virtual Status restore(const std::vector<MemoryRange> &ranges, const std::vector<void *> &copies) = 0;
  virtual void release(const std::vector<void *> &copies) = 0;
  /// Device memory to the host, after everything enqueued.
  virtual Status read(void *to, const void *from, size_t bytes) = 0;
};

/// For lists: what a device is.
struct DeviceInfo {
  int ordinal = 0;
  std::string name;
  std::string chip;
  int major = 0, minor = 0;
  uint64_t memoryBytes = 0;
  int multiprocessors = 0;
  int sharedBytesPerBlock = 0; // at most, opting in
};

/// Where a kernel finds the device of an ordinal.
using DeviceSource = std::function<Result<Device *>(int ordinal)>;

/// The simulator as a device: blocks run on this machine's cores, arrays lie in its memory.
Device &hostDevice();
/// The device that launches go to: the simulator, or the CUDA device of this ordinal.
Result<Device *> targetDevice(int ordinal);

/// The CUDA device; loads the driver on first use.
Result<Device *> cudaDevice(int ordinal);
/// Every CUDA device. Empty without a driver or a device: not an error.
std::vector<DeviceInfo> cudaDevices();
/// Why there is no CUDA device; empty if there is one.
std::string whyNoCuda();
/// The ordinal of the device that holds `address`, or -1.
int cudaDeviceOfPointer(const void *address);
/// The ordinal of the calling thread's current context, or 0.
int cudaCurrentDevice();

} // namespace phobos::runtime
