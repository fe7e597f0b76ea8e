// The simulator as a device: launches run here and now, on arrays in this machine's memory, and what the checkers find
// becomes an error with the places in the kernel's source.
#include "phobos/Driver/HostKernel.h"
#include "phobos/host/Simulator.h"
#include "phobos/runtime/Arguments.h"
#include "phobos/runtime/Device.h"
#include "phobos/runtime/ProfileStore.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace phobos::runtime {
namespace {

std::vector<host::TensorRange> tensorRanges(const LaunchSource &source) {
  std::vector<host::TensorRange> ranges;
  const std::vector<ParameterInfo> &parameters = source.signature.info().parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind != ParameterInfo::Kind::Tensor) {
      continue;
    }
    const TensorArgument &tensor = source.arguments[i].tensor;
    host::TensorRange range;
    range.name = parameters[i].name;
    range.base = static_cast<uint8_t *>(tensor.data);
    range.elementBytes = static_cast<uint32_t>(byteWidth(parameters[i].dtype));
    range.rank = static_cast<uint32_t>(tensor.rank);
    int64_t compact = 1;
    for (int axis = tensor.rank - 1; axis >= 0; --axis) {
      range.extents[axis] = tensor.extents[axis];
      range.strides[axis] = tensor.strides ? tensor.strides[axis] : compact;
      compact *= tensor.extents[axis];
    }
    ranges.push_back(std::move(range));
  }
  return ranges;
}

/// Reports as one error: the first in full, the others after it.
Error toError(const std::vector<host::Report> &reports, const HostKernel &kernel, const Signature &signature) {
  auto placed = [&](const std::string &text, uint32_t site) {
    PlacedText result{text};
    if (site && site < kernel.sites.size()) {
      const HostSite &place = kernel.sites[site];
      result.file = place.file;
      result.line = place.line;
      result.column = place.column;
    }
    return result;
  };
  Error all{Error::Kind::Simulation, "", {}};
  for (const host::Report &report : reports) {
    std::vector<PlacedText> notes;
    for (const host::Report::Note &note : report.notes) {
      notes.push_back(placed(note.message, note.site));
    }
    all.text += signature.simulationError(placed(report.message, report.site), notes).text;
  }
  return all;
}

// CTAs of a persistent kernel: few, so that each runs several blocks even of a small grid.
constexpr int64_t kResidents = 4;
// Blocks that may wait for each other: what one worker holds side by side.
constexpr int64_t kMostWaiting = host::kMaxResident;

class HostDevice final : public Device {
  static inline thread_local uint32_t launchCounters[2] = {};

public:
  Target target() const override { return Target::Host; }
  bool timesVariants() const override { return false; }

  /// As set now; what a reference to it says stays true for the caller's thread until it asks again.
  const std::string &chip() const override {
    thread_local std::string chip;
    auto settings = simulatorSettings();
    chip = settings ? settings->chip : SimulatorSettings().chip;
    return chip;
  }
  int ordinal() const override { return 0; }

  Result<Function> load(const Image &image) override {
    Function function{const_cast<HostKernel *>(image.host.get()), image.threads, image.dynamicSharedBytes};
    function.residents = image.persistent ? kResidents : 0;
    function.mostBlocks = image.cooperative ? kMostWaiting : 0;
    function.counts = image.counts;
    function.owner = image.host;
    return function;
  }

  Status launch(const Function &function, const Grid &grid, void *, void **parameters,
                const LaunchSource &source) override {
    const auto &kernel = *static_cast<const HostKernel *>(function.handle);
    auto settings = simulatorSettings();
    if (!settings) {
      return settings.error();
    }
    host::LaunchRequest request;
    request.fiber = kernel.fiber;
    request.loop = kernel.loop;
    request.grid = {static_cast<uint32_t>(grid.x), static_cast<uint32_t>(grid.y), static_cast<uint32_t>(grid.z)};
    request.block = {function.threads, 1, 1};
    const unsigned (&cluster)[3] = kernel.info.cluster;
    request.cluster = {cluster[0], cluster[1], cluster[2]};
    request.staticSharedBytes = kernel.info.dynamicSharedOffset;
    request.dynamicSharedBytes = function.dynamicSharedBytes;
    request.stackBytes = static_cast<uint32_t>(kernel.stackBytes);
    request.argv = parameters;
    request.checks = {settings->bounds, settings->race, settings->init, settings->deadlock};
    request.seed = settings->seed;
    request.interrupted = interruptRequested;
    request.write = printer();
    std::vector<host::TensorRange> tensors;
    if (request.checks.any() || settings->profile) {
      tensors = tensorRanges(source);
      if (function.counts) {
        tensors.push_back(
            {"the counters of blocks", reinterpret_cast<uint8_t *>(launchCounters), sizeof launchCounters, 0, {}, {}});
      }
      request.tensors = tensors;
    }
    request.accesses = kernel.info.accesses;
    request.ordersBlocks = kernel.info.ordersBlocks;
    request.dependent = kernel.info.dependent;
    host::Profile profile;
    request.profile = settings->profile ? &profile : nullptr;
    host::Outcome outcome = host::simulate(request);
    if (request.profile) {
      addProfile(source.signature.info().name, kernel.sites, kernel.blocks, profile);
    }
    if (outcome.interrupted) {
      return Error{Error::Kind::Interrupt, "interrupted\n", {}};
    }
    if (!outcome.reports.empty()) {
      return toError(outcome.reports, kernel, source.signature);
    }
    if (!outcome.error.empty()) {
      return Error::launch("the simulator has no " + outcome.error);
    }
    return {};
  }

  Status encodeTensorMap(const TensorMapShape &shape, const void *address, void *out) override {
    host::TensorMap map{};
    map.base = static_cast<uint8_t *>(const_cast<void *>(address));
    map.rank = static_cast<uint8_t>(shape.extents.size());
    map.element = shape.tf32                   ? host::Element::tf32
                  : shape.dtype == DType::f16  ? host::Element::f16
                  : shape.dtype == DType::bf16 ? host::Element::bf16
                  : shape.dtype == DType::f32  ? host::Element::f32
                                               : host::Element::u8;
    map.swizzle = static_cast<uint8_t>(shape.swizzleBytes);
    for (size_t dim = 0; dim < shape.extents.size(); ++dim) {
      map.dims[dim] = shape.extents[dim];
      map.box[dim] = static_cast<uint16_t>(shape.box[dim]);
      map.elementStrides[dim] = 1;
    }
    std::copy(shape.strideBytes.begin(), shape.strideBytes.end(), map.strides);
    std::memcpy(out, &map, sizeof map);
    return {};
  }

  /// Launches of a thread follow one another.
  Result<void *> counters(void *) override {
    launchCounters[0] = launchCounters[1] = 0;
    return static_cast<void *>(launchCounters);
  }

  bool isCapturing(void *) override { return false; }

  Result<double> time(const std::function<Status(void *)> &work) override {
    return timeCalls(nullptr, [&] { return work(nullptr); });
  }

  Result<double> timeCalls(void *, const std::function<Status()> &work) override {
    constexpr int kRuns = 5; // after one to warm up
    std::vector<double> times;
    for (int i = 0; i <= kRuns; ++i) {
      auto begin = std::chrono::steady_clock::now();
      if (Status status = work(); !status) {
        return status.error();
      }
      times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::nth_element(times.begin() + 1, times.begin() + 1 + kRuns / 2, times.end());
    return times[1 + kRuns / 2];
  }

  Status synchronize() override { return {}; }

  Result<std::vector<void *>> save(const std::vector<MemoryRange> &ranges) override {
    std::vector<void *> copies;
    for (const MemoryRange &range : ranges) {
      copies.push_back(range.bytes ? ::operator new(range.bytes) : nullptr);
      std::memcpy(copies.back(), range.address, range.bytes);
    }
    return copies;
  }
  Status restore(const std::vector<MemoryRange> &ranges, const std::vector<void *> &copies) override {
    for (size_t i = 0; i < ranges.size(); ++i) {
      std::memcpy(ranges[i].address, copies[i], ranges[i].bytes);
    }
    return {};
  }
  void release(const std::vector<void *> &copies) override {
    for (void *copy : copies) {
      ::operator delete(copy);
    }
  }
  Status read(void *to, const void *from, size_t bytes) override {
    std::memcpy(to, from, bytes);
    return {};
  }
};

} // namespace

Device &hostDevice() {
  static HostDevice device;
  return device;
}

Result<Device *> targetDevice(int ordinal) {
  auto target = currentTarget();
  if (!target) {
    return target.error();
  }
  return *target == Target::Host ? Result<Device *>(&hostDevice()) : cudaDevice(ordinal);
}

} // namespace phobos::runtime
