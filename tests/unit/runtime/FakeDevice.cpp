// The fake device, and the small things that tests share.
#include "Fakes.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <dirent.h>
#include <unistd.h>

namespace phobos::fake {

using namespace runtime;

Result<Function> FakeDevice::load(const Image &image) {
  std::lock_guard lock(mutex);
  ++loads;
  images.push_back(image);
  return Function{reinterpret_cast<void *>(images.size()), image.threads, image.dynamicSharedBytes};
}

Status FakeDevice::launch(const Function &function, const Grid &grid, void *stream, void **parameters,
                          const LaunchSource &) {
  std::lock_guard lock(mutex);
  const Image &image = images[reinterpret_cast<size_t>(function.handle) - 1];
  timing = &image;
  Launched launched{grid, stream, {}};
  for (size_t i = 0; i < compiler().parameters.size(); ++i) {
    auto *bytes = static_cast<unsigned char *>(parameters[i]);
    launched.parameters.emplace_back(bytes, bytes + compiler().parameters[i].bytes);
  }
  launches.push_back(std::move(launched));
  body(image, parameters);
  return {};
}

Status FakeDevice::encodeTensorMap(const TensorMapShape &shape, const void *address, void *map) {
  if (reinterpret_cast<uintptr_t>(map) % 64) {
    return Error::launch("error: tensor map not aligned to 64 bytes\n");
  }
  maps.push_back(shape);
  std::memset(map, 0, kTensorMapBytes);
  std::memcpy(map, &address, sizeof address);
  std::memcpy(static_cast<char *>(map) + 8, &shape.extents[0], 8);
  return {};
}

Result<double> FakeDevice::time(const std::function<Status(void *)> &work) {
  if (Status status = work(nullptr); !status) {
    return status.error();
  }
  return speed(*timing);
}

Result<std::vector<void *>> FakeDevice::save(const std::vector<MemoryRange> &ranges) {
  std::vector<void *> copies;
  for (const MemoryRange &range : ranges) {
    copies.push_back(std::malloc(range.bytes + 1));
    std::memcpy(copies.back(), range.address, range.bytes);
    ++live;
  }
  return copies;
}

Status FakeDevice::restore(const std::vector<MemoryRange> &ranges, const std::vector<void *> &copies) {
  for (size_t i = 0; i < ranges.size(); ++i) {
    std::memcpy(ranges[i].address, copies[i], ranges[i].bytes);
  }
  return {};
}

void FakeDevice::release(const std::vector<void *> &copies) {
  for (void *copy : copies) {
    std::free(copy);
    --live;
  }
}

Status FakeDevice::read(void *to, const void *from, size_t bytes) {
  std::memcpy(to, from, bytes);
  return {};
}

Array::Array(DType type, std::vector<int64_t> extents, void *data, std::vector<int64_t> strides, int device) {
  static std::mutex mutex; // tests make arrays in threads
  static std::deque<std::vector<int64_t>> kept;
  std::lock_guard lock(mutex);
  kept.push_back(std::move(extents));
  const std::vector<int64_t> &shape = kept.back();
  kept.push_back(std::move(strides));
  argument.kind = Argument::Kind::Tensor;
  argument.tensor = {data,
                     shape.data(),
                     kept.back().empty() ? nullptr : kept.back().data(),
                     static_cast<int32_t>(shape.size()),
                     dlpackCode(type),
                     static_cast<uint8_t>(bitWidth(type)),
                     1,
                     DeviceType::Cuda,
                     device};
}

Argument number(double value) {
  Argument argument{};
  argument.kind = Argument::Kind::Scalar;
  argument.scalar.kind = ScalarArgument::Kind::Float;
  argument.scalar.real = value;
  return argument;
}

Argument integer(int64_t value) {
  Argument argument{};
  argument.kind = Argument::Kind::Scalar;
  argument.scalar.kind = ScalarArgument::Kind::Int;
  argument.scalar.integer = value;
  return argument;
}

Argument boolean(bool value) {
  Argument argument = integer(value);
  argument.scalar.kind = ScalarArgument::Kind::Bool;
  return argument;
}

const char *const kMatmulText =
    "@ph.kernel\n"
    "@ph.aligned(M=\"TILE_M\")\n"
    "def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):\n"
    "    pass\n";

KernelInfo matmulInfo() {
  auto tensor = [](const char *name, const char *rows, const char *columns, int column) {
    ParameterInfo parameter;
    parameter.name = name;
    parameter.dtype = DType::f16;
    parameter.dims = {{rows, 0}, {columns, 0}};
    parameter.line = 3;
    parameter.column = column;
    return parameter;
  };
  KernelInfo info;
  info.name = "matmul";
  info.line = 3;
  info.parameters = {tensor("A", "M", "K", 12), tensor("B", "K", "N", 40), tensor("C", "M", "N", 68)};
  info.dims = {"M", "K", "N"};
  info.space = {{"TILE_M", {ConstantValue::ofInt(64)}}};
  info.promises = {{"M", "TILE_M", 0}};
  return info;
}

TemporaryFolder::TemporaryFolder() {
  const char *base = std::getenv("TMPDIR");
  path_ = std::string(base ? base : "/tmp") + "/phobos-test-XXXXXX";
  if (!::mkdtemp(path_.data())) {
    std::abort();
  }
}

namespace {
void removeTree(const std::string &path) {
  if (DIR *folder = ::opendir(path.c_str())) {
    while (dirent *entry = ::readdir(folder)) {
      std::string name = entry->d_name;
      if (name != "." && name != "..") {
        std::string inner = path + "/" + name;
        entry->d_type == DT_DIR ? removeTree(inner) : static_cast<void>(::unlink(inner.c_str()));
      }
    }
    ::closedir(folder);
  }
  ::rmdir(path.c_str());
}
} // namespace

TemporaryFolder::~TemporaryFolder() { removeTree(path_); }

} // namespace phobos::fake
