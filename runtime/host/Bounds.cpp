// Bounds of global memory, told by tensor, index and extents.
#include "Global.h"
#include "Memory.h"
#include "Races.h"

#include <algorithm>

namespace phobos::host {
namespace {

std::string list(const int64_t *values, uint32_t count) {
  std::string text = "[";
  for (uint32_t i = 0; i < count; ++i) {
    text += (i ? ", " : "") + std::to_string(values[i]);
  }
  return text + "]";
}

const char *nameOf(Access kind) {
  return kind == Access::load ? "load from" : kind == Access::store ? "store to" : "atomic on";
}

} // namespace

GlobalChecker::GlobalChecker(const LaunchRequest &request) : request(request) {
  for (const TensorRange &range : request.tensors) {
    Tensor tensor{&range, reinterpret_cast<uintptr_t>(range.base), 0, 0, {}, true};
    int64_t last = 0;
    bool empty = false;
    for (uint32_t dim = 0; dim < range.rank; ++dim) {
      empty |= range.extents[dim] == 0;
      if (range.extents[dim] > 1) {
        last += (range.extents[dim] - 1) * range.strides[dim];
        tensor.dims[tensor.rank++] = static_cast<uint8_t>(dim);
      }
    }
    if (empty) {
      continue;
    }
    tensor.end = tensor.begin + static_cast<uintptr_t>(last + 1) * range.elementBytes;
    std::sort(tensor.dims, tensor.dims + tensor.rank,
              [&](uint8_t a, uint8_t b) { return range.strides[a] > range.strides[b]; });
    int64_t compact = 1;
    for (uint32_t i = tensor.rank; i-- > 0;) {
      int64_t stride = range.strides[tensor.dims[i]];
      tensor.dense &= stride <= compact; // a smaller one: elements share memory
      compact = std::max(compact, (range.extents[tensor.dims[i]] - 1) * stride + compact);
    }
    tensors.push_back(tensor);
  }
  if (request.checks.race) {
    shadow = std::make_unique<GlobalShadow>(request.tensors);
  }
}

bool GlobalChecker::indexAt(const Tensor &tensor, int64_t offset, int64_t (&index)[5]) {
  const TensorRange &range = *tensor.range;
  std::fill_n(index, 5, 0);
  bool inside = offset >= 0;
  // Below the base the slowest dimension takes all of it, so that the index shows how far.
  for (uint32_t i = 0; i < tensor.rank; ++i) {
    uint8_t dim = tensor.dims[i];
    int64_t stride = range.strides[dim];
    if (stride == 0) {
      continue;
    }
    bool last = i + 1 == tensor.rank || range.strides[tensor.dims[i + 1]] == 0;
    int64_t at = offset / stride;
    if (offset < 0 && offset % stride != 0) {
      --at;
    }
    if (!last && i > 0) {
      at = std::min(at, range.extents[dim] - 1);
    }
    index[dim] = at;
    inside &= at >= 0 && at < range.extents[dim];
    offset -= at * stride;
  }
  return inside && offset == 0;
}

const GlobalChecker::Tensor *GlobalChecker::nearest(uintptr_t address) const {
  const Tensor *best = nullptr;
  uintptr_t distance = ~uintptr_t(0);
  for (const Tensor &tensor : tensors) {
    uintptr_t away = address < tensor.begin ? tensor.begin - address : address >= tensor.end ? address - tensor.end : 0;
    if (away < distance) {
      distance = away;
      best = &tensor;
    }
  }
  return best;
}

void GlobalChecker::outside(Lane &lane, uint32_t thread, uintptr_t address, uint32_t bytes, Access kind,
                            uint32_t site) const {
  Report found{Report::Kind::Bounds, "", site, {{describe(*lane.cta, thread)}}};
  const Tensor *tensor = nearest(address);
  if (!tensor) {
    found.message = std::string(nameOf(kind)) + " global memory, but no tensor of the launch has an element";
    fail(lane, std::move(found));
  }
  const TensorRange &range = *tensor->range;
  int64_t away = static_cast<int64_t>(address - tensor->begin), index[5];
  int64_t offset = away >= 0 ? away / range.elementBytes : -((-away + range.elementBytes - 1) / range.elementBytes);
  bool first = indexAt(*tensor, offset, index);
  if (first) { // a vector whose later elements are outside
    for (uint32_t i = range.elementBytes; first && i < bytes; i += range.elementBytes) {
      first = indexAt(*tensor, ++offset, index) && address + i + range.elementBytes <= tensor->end;
    }
  }
  found.message = std::string(nameOf(kind)) + " `" + range.name + "` out of bounds: index " + list(index, range.rank) +
                  ", extents " + list(range.extents.data(), range.rank);
  fail(lane, std::move(found));
}

const GlobalChecker::Tensor *GlobalChecker::find(uintptr_t address, uint32_t bytes) const {
  for (const Tensor &tensor : tensors) {
    if (address < tensor.begin || address + bytes > tensor.end) {
      continue;
    }
    int64_t index[5];
    bool inside = true;
    for (uint32_t i = 0; !tensor.dense && i < bytes; i += tensor.range->elementBytes) {
      inside &= indexAt(tensor, static_cast<int64_t>(address + i - tensor.begin) / tensor.range->elementBytes, index);
    }
    if (inside) {
      return &tensor;
    }
  }
  return nullptr;
}

GlobalChecker::Around GlobalChecker::run(const Tensor &tensor, uintptr_t address, uint32_t bytes) {
  const TensorRange &range = *tensor.range;
  if (tensor.dense) {
    return {tensor.begin, tensor.end - tensor.begin - bytes};
  }
  int64_t index[5], compact = 1, before = 0; // elements that lie together, and those before this one
  indexAt(tensor, static_cast<int64_t>(address - tensor.begin) / range.elementBytes, index);
  for (uint32_t i = tensor.rank; i-- > 0 && range.strides[tensor.dims[i]] == compact;) {
    uint8_t dim = tensor.dims[i];
    before += index[dim] * compact;
    compact *= range.extents[dim];
  }
  uintptr_t within = (address - tensor.begin) % range.elementBytes;
  return {address - within - static_cast<uintptr_t>(before) * range.elementBytes,
          static_cast<uintptr_t>(compact) * range.elementBytes - bytes};
}

bool GlobalChecker::isTheBlocks(const Cta &cta, uintptr_t address, uint32_t bytes) {
  auto within = [&](const uint8_t *begin, uint64_t size) {
    uint64_t offset = address - reinterpret_cast<uintptr_t>(begin);
    return offset < size && offset + bytes <= size;
  };
  auto window = reinterpret_cast<uint8_t *>(reinterpret_cast<uintptr_t>(cta.arena) & ~(kWindowBytes - 1));
  return within(window, kWindowBytes) || within(cta.stacks, uint64_t(cta.stackStride) * kMaxCtaThreads);
}

void GlobalChecker::access(Lane &lane, const void *pointer, const void *value, uint32_t bytes, Access kind,
                           uint32_t atomicFlags, uint32_t site) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  if (request.checks.bounds && !find(address, bytes)) {
    if (!isTheBlocks(*lane.cta, address, bytes)) {
      outside(lane, lane.index, address, bytes, kind, site);
    }
    return;
  }
  note(lane, pointer, value, bytes, kind, atomicFlags, site);
}

void GlobalChecker::note(const Lane &lane, const void *pointer, const void *value, uint32_t bytes, Access kind,
                         uint32_t atomicFlags, uint32_t site) {
  if (!shadow || !lane.cta->checker || bytes == 0) {
    return;
  }
  auto address = reinterpret_cast<uintptr_t>(pointer);
  if (request.dependent && !lane.cta->checker->isAfterPrevious(lane)) {
    tooEarly(lane, address, kind, site);
  }
  Epoch epoch = lane.cta->checker->now(lane);
  GlobalAccess now;
  GlobalRecord &record = now.record;
  record.setThread(lane.index, static_cast<uint32_t>(address), bytes);
  record.clock = epoch.clock();
  record.write = kind == Access::store || (atomicFlags & kAtomicWrites);
  record.atomic = kind == Access::atomic;
  record.local = (atomicFlags & kAtomicOfCta) != 0;
  now.values = static_cast<const uint8_t *>(value);
  now.lane = &lane;
  accesses(*lane.cta, now, address, bytes, site);
}

std::optional<GlobalChecker::Around> GlobalChecker::inside(Lane &lane, uint32_t index, uintptr_t address,
                                                           const HostAccess &access) {
  if (const Tensor *tensor = find(address, access.bytes)) {
    return run(*tensor, address, access.bytes);
  }
  if (!isTheBlocks(*lane.cta, address, access.bytes)) {
    Access kind = access.kind == HostAccess::Kind::Load    ? Access::load
                  : access.kind == HostAccess::Kind::Store ? Access::store
                                                           : Access::atomic;
    outside(lane, index, address, access.bytes, kind, access.site);
  }
  return {};
}

template <typename Extent>
void GlobalChecker::tell(const Cta &cta, GlobalAccess &now, uintptr_t address, Extent extent, uint32_t site) {
  constexpr bool kSideBySide = std::is_same_v<Extent, size_t>;
  SharedReads *reads = kSideBySide && !request.ordersBlocks && !now.record.write && !now.record.atomic
                           ? cta.worker->sharedReads.get()
                           : nullptr;
  if constexpr (kSideBySide) {
    if (reads && reads->has(address, extent)) {
      return;
    }
  }
  GlobalArea *area = shadow->find(address);
  if (!area) {
    return;
  }
  now.record.block = static_cast<uint32_t>(cta.linear + 1);
  now.record.site = site <= UINT16_MAX ? static_cast<uint16_t>(site) : uint16_t(0);
  now.ordersBlocks = request.ordersBlocks;
  GlobalWalk walk(*shadow, now);
  if constexpr (kSideBySide) {
    extent = std::min<size_t>(extent, area->end - address);
  }
  walk.walk(*area, address, extent);
  if constexpr (kSideBySide) {
    if (reads && walk.wasRead()) {
      reads->add(address, extent);
    }
  }
  if (walk.found().what) [[unlikely]] {
    race(cta, walk.found(), site);
  }
}
template void GlobalChecker::tell(const Cta &, GlobalAccess &, uintptr_t, size_t, uint32_t);
template void GlobalChecker::tell(const Cta &, GlobalAccess &, uintptr_t, GlobalWalk::Apart, uint32_t);

void GlobalChecker::race(const Cta &cta, const GlobalWalk::Conflict &conflict, uint32_t site) const {
  auto address = static_cast<uint32_t>(conflict.address);
  const GlobalRecord &now = conflict.now, &other = conflict.other;
  uint32_t thread = now.thread(address), otherThread = other.thread(address);
  std::string whose = other.block == GlobalRecord::kSeveralBlocks ? "several blocks of the grid"
                      : other.block != now.block ? "block number " + std::to_string(other.block - 1) + " of the grid"
                      : otherThread >= GlobalRecord::kLanesOfWarp
                          ? "several threads of the same block"
                          : "thread " + std::to_string(otherThread) + " of the same block";
  std::string here = thread >= GlobalRecord::kLanesOfWarp ? describe(cta) : describe(cta, thread);
  auto [name, index] = place(conflict.address);
  report(*cta.worker, {Report::Kind::Race,
                       "data race in " + name + ": " + conflict.what + " with nothing that orders them",
                       site,
                       {{"this is " + here + index}, {"the other is " + whose, other.site}}});
}

std::pair<std::string, std::string> GlobalChecker::place(uintptr_t address) const {
  const Tensor *tensor = find(address, 1);
  if (!tensor) {
    return {"memory", ""};
  }
  const TensorRange &range = *tensor->range;
  int64_t at[5];
  indexAt(*tensor, static_cast<int64_t>(address - tensor->begin) / range.elementBytes, at);
  return {"`" + range.name + "`",
          ", at index " + list(at, range.rank) + " of " + list(range.extents.data(), range.rank)};
}

void GlobalChecker::tooEarly(const Lane &lane, uintptr_t address, Access kind, uint32_t site) const {
  auto [name, index] = place(address);
  report(*lane.cta->worker,
         {Report::Kind::Race,
          std::string(nameOf(kind)) + " " + name +
              " before griddepcontrol.wait: the kernel before this one in the stream may not be complete",
          site,
          {{"this is " + describe(lane) + index}}});
}

namespace calls {
namespace {

void check(ThreadContext *thread, const void *address, const void *value, uint32_t bytes, Access kind, uint32_t site) {
  Lane &lane = laneOf(thread);
  if (GlobalChecker *checker = bytes ? lane.cta->worker->launch->global.get() : nullptr) {
    checker->access(lane, address, value, bytes, kind, site);
  }
}

} // namespace

void checkGlobalLoad(ThreadContext *thread, const void *address, uint32_t bytes, uint32_t site) {
  check(thread, address, nullptr, bytes, Access::load, site);
}
void checkGlobalStore(ThreadContext *thread, const void *address, const void *value, uint32_t bytes, uint32_t site) {
  check(thread, address, value, bytes, Access::store, site);
}

} // namespace calls
} // namespace phobos::host
