// A compiler and a device for tests of the runtime. The fake compiler "parses" any text into the kernels a test
// registered and counts what it is asked; the fake device records launches in host memory.
#pragma once

#include "phobos/Driver/HostKernel.h"
#include "phobos/runtime/Kernel.h"

#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace phobos::fake {

struct CompilerState {
  std::vector<KernelInfo> kernels;             // what every source has
  std::vector<std::vector<int64_t>> multiples; // PreparedKernel::multiples
  std::vector<EntryParameter> parameters;      // of every compiled entry
  std::function<bool(const Constants &)> when = [](const Constants &) { return true; };
  std::function<std::string(const Constants &)> refuse = [](const Constants &) { return std::string(); };
  std::string build = "build-1";
  std::atomic<int> prepared{0}, compiled{0};
  std::atomic<int> compileMilliseconds{0};
  bool noAssembler = false;
  HostKernel hostKernel;                // what compileForHost gives a copy of
  std::vector<HostOptions> hostOptions; // that it was called with

  void reset();
};
CompilerState &compiler();

struct Launched {
  runtime::Grid grid;
  void *stream;
  std::vector<std::vector<unsigned char>> parameters; // 8 bytes each
};

class FakeDevice final : public runtime::Device {
public:
  explicit FakeDevice(int ordinal = 0, std::string chip = "sm_80") : ordinal_(ordinal), chip_(std::move(chip)) {}

  const std::string &chip() const override { return chip_; }
  std::string model() const override { return chip_ + product; }
  int ordinal() const override { return ordinal_; }
  runtime::Result<runtime::Function> load(const runtime::Image &image) override;
  runtime::Status launch(const runtime::Function &function, const runtime::Grid &grid, void *stream, void **parameters,
                         const runtime::LaunchSource &source) override;
  /// The map holds the address and then the extent of the first axis; `maps` remembers the shapes.
  runtime::Status encodeTensorMap(const runtime::TensorMapShape &shape, const void *address, void *map) override;
  runtime::Result<void *> counters(void *stream) override { return stream; }
  bool isCapturing(void *stream) override { return capturing; }
  runtime::Result<double> time(const std::function<runtime::Status(void *)> &work) override;
  runtime::Result<double> timeCalls(void *, const std::function<runtime::Status()> &) override { return 1.0; }
  runtime::Status synchronize() override { return {}; }
  runtime::Result<std::vector<void *>> save(const std::vector<runtime::MemoryRange> &ranges) override;
  runtime::Status restore(const std::vector<runtime::MemoryRange> &ranges, const std::vector<void *> &copies) override;
  void release(const std::vector<void *> &copies) override;
  runtime::Status read(void *to, const void *from, size_t bytes) override;

  runtime::DeviceSource source() {
    return [this](int ordinal) -> runtime::Result<runtime::Device *> {
      if (ordinal != ordinal_) {
        return runtime::Error::launch("error: no such device\n");
      }
      return this;
    };
  }

  std::string product;
  bool capturing = false;
  std::atomic<int> loads{0};
  int live = 0;                       // copies not released
  std::vector<runtime::Image> images; // handle - 1 indexes these
  std::vector<Launched> launches;
  std::vector<runtime::TensorMapShape> maps;
  std::function<double(const runtime::Image &)> speed = [](const runtime::Image &) { return 1.0; };
  std::function<void(const runtime::Image &, void **parameters)> body = [](const runtime::Image &, void **) {};

private:
  std::mutex mutex;
  int ordinal_;
  std::string chip_;
  const runtime::Image *timing = nullptr;
};

/// An array argument over memory that the test owns. Its extents and strides are kept until the program ends, so that
/// it may be a temporary.
struct Array {
  Array(DType type, std::vector<int64_t> extents, void *data = reinterpret_cast<void *>(0x1000),
        std::vector<int64_t> strides = {}, int device = 0);
  operator runtime::Argument() const { return argument; }
  runtime::Argument argument{};
};

runtime::Argument number(double value);
runtime::Argument integer(int64_t value);
runtime::Argument boolean(bool value);

/// `matmul(A[M, K], B[K, N], C[M, N])` in f16, at the lines of kMatmulText, with TILE_M and a promise on M.
KernelInfo matmulInfo();
extern const char *const kMatmulText;

/// The text of a failed result; fails the test if there is none.
template <typename T> std::string errorOf(const T &result) { return result ? "no error" : result.error().text; }

/// A folder of its own under the system's temporary one, removed with its contents.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

} // namespace phobos::fake
