// Memory for the shadow of global memory. Address space is reserved once for the process; the system gives pages when
// they are touched, and they stay: touching costs more than checking.
#include "GlobalShadow.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace phobos::host {

/// Extent of a tensor in memory, from its first byte to behind its last; nothing if it has no element.
static std::pair<uintptr_t, uintptr_t> extentOf(const TensorRange &range) {
  int64_t last = 0;
  for (uint32_t dim = 0; dim < range.rank; ++dim) {
    if (range.extents[dim] == 0) {
      return {0, 0};
    }
    last += (range.extents[dim] - 1) * range.strides[dim];
  }
  auto begin = reinterpret_cast<uintptr_t>(range.base);
  return {begin, begin + static_cast<uintptr_t>(last + 1) * range.elementBytes};
}

GlobalShadow::GlobalShadow(std::span<const TensorRange> tensors) {
  static std::atomic<uint32_t> launches{0};
  launch = (launches.fetch_add(1, std::memory_order_relaxed) + 1) * 2;
  std::vector<std::pair<uintptr_t, uintptr_t>> extents;
  for (const TensorRange &tensor : tensors) {
    extents.push_back(extentOf(tensor));
  }
  std::sort(extents.begin(), extents.end());
  for (size_t i = 0; i < extents.size();) {
    auto [begin, end] = extents[i];
    for (++i; i < extents.size() && extents[i].first < end; ++i) {
      end = std::max(end, extents[i].second);
    }
    if (begin < end) {
      add(begin, end);
    }
  }
}

GlobalShadow::~GlobalShadow() = default;

void GlobalShadow::add(uintptr_t begin, uintptr_t end) {
  GlobalArea area;
  area.begin = begin & ~uintptr_t(GlobalArea::kGranuleBytes - 1);
  area.end = end;
  size_t pageCount = (end - area.begin + GlobalArea::kPageBytes - 1) / GlobalArea::kPageBytes;
  size_t bytes = pageCount * GlobalArea::kPageBytes;
  area.pages = pages.take(pageCount);
  area.units = units.take(bytes / GlobalArea::kUnitBytes);
  area.granules = granules.take(bytes / GlobalArea::kGranuleBytes);
  area.states = states.take(bytes / GlobalArea::kUnitBytes);
  area.values = values.take(bytes);
  if (area.pages && area.units && area.granules && area.states && area.values) {
    areas.push_back(area); // else races there go unseen
  }
}

GlobalArea *GlobalShadow::find(uintptr_t address) {
  for (GlobalArea &area : areas) {
    if (address >= area.begin && address < area.end) {
      return &area;
    }
  }
  return nullptr;
}

std::vector<GlobalRecord> &GlobalShadow::more(uintptr_t granule) {
  Overflow &part = overflow[granule / GlobalArea::kPageBytes % overflow.size()];
  std::lock_guard lock(part.mutex);
  return part.granules[granule]; // stays where it is
}

GlobalShadow::Page::Page(const GlobalShadow &shadow, GlobalArea &area, size_t number)
    : word(area.pages[number]), launch(shadow.launch) {
  uint32_t last = word.load(std::memory_order_relaxed);
  do {
    last &= ~1u;
  } while (!word.compare_exchange_weak(last, launch | 1, std::memory_order_acquire, std::memory_order_relaxed));
  if (last != launch) {
    constexpr size_t kUnits = GlobalArea::kPageBytes / GlobalArea::kUnitBytes;
    std::fill_n(area.units + number * kUnits, kUnits, GlobalUnit());
    std::fill_n(area.states + number * kUnits, kUnits, uint8_t(0));
  }
}

template <typename T, GlobalShadow::Kind kind> T *GlobalShadow::Arena<T, kind>::take(size_t count) {
  constexpr size_t kBytes = size_t(1) << 39;
  static void *const all =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED || taken + count > kBytes / sizeof(T)) {
    return nullptr;
  }
  memory = static_cast<T *>(all);
  taken += count;
  return memory + taken - count;
}

template <typename T, GlobalShadow::Kind kind> GlobalShadow::Arena<T, kind>::~Arena() {
  constexpr size_t kKeptBytes = size_t(1) << 29;
  if (taken * sizeof(T) > kKeptBytes) { // of a large launch the memory goes back
    madvise(memory, taken * sizeof(T), MADV_DONTNEED);
  }
}

} // namespace phobos::host
