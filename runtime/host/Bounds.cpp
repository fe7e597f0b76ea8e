// Bounds of global memory, told by tensor, index and extents.
#include "Global.h"
#include "Memory.h"

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
    Tensor tensor{&range, reinterpret_cast<uintptr_t>(range.base), 0, 0, {}, true, {}};
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
    if (request.checks.race && !request.loop) {
      tensor.shadow = shadow.make(tensor.begin, tensor.end);
    }
    tensors.push_back(tensor);
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

std::string GlobalChecker::place(const Tensor &tensor, uintptr_t address) const {
  int64_t index[5];
  indexAt(tensor, static_cast<int64_t>(address - tensor.begin) / tensor.range->elementBytes, index);
  return list(index, tensor.range->rank);
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

void GlobalChecker::outside(Lane &lane, uintptr_t address, uint32_t bytes, Access kind, uint32_t site) {
  Report found{Report::Kind::Bounds, "", site, {{describe(lane)}}};
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

void GlobalChecker::access(Lane &lane, const void *pointer, const void *value, uint32_t bytes, Access kind,
                           uint32_t site) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  if (const Tensor *tensor = find(address, bytes)) {
    if (tensor->shadow.wholes && lane.cta->checker) {
      if (kind == Access::atomic) {
        fence(lane);
      }
      races(lane, *tensor, address, static_cast<const uint8_t *>(value), bytes, kind, site);
    }
    return;
  }
  if (!request.checks.bounds) {
    return;
  }
  // A generic pointer may also mean the thread's own stack or shared memory.
  const Cta &cta = *lane.cta;
  auto within = [&](const uint8_t *begin, uint64_t size) {
    uint64_t offset = address - reinterpret_cast<uintptr_t>(begin);
    return offset < size && offset + bytes <= size;
  };
  auto window = reinterpret_cast<uint8_t *>(reinterpret_cast<uintptr_t>(cta.arena) & ~(kWindowBytes - 1));
  if (within(window, kWindowBytes) || within(cta.stacks, uint64_t(cta.stackStride) * kMaxCtaThreads)) {
    return;
  }
  outside(lane, address, bytes, kind, site);
}

namespace calls {
namespace {

void check(ThreadContext *thread, const void *address, const void *value, uint32_t bytes, Access kind, uint32_t site) {
  Lane &lane = laneOf(thread);
  if (GlobalChecker *checker = lane.cta->worker->launch->global.get()) {
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
void checkGlobalAtomic(ThreadContext *thread, const void *address, uint32_t bytes, uint32_t site) {
  check(thread, address, nullptr, bytes, Access::atomic, site);
}

} // namespace calls
} // namespace phobos::host
