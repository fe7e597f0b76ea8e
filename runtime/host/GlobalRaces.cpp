// Races in global memory, between blocks and within one.
#include "Global.h"
#include "Races.h"

#include <bit>
#include <cstring>
#include <sys/mman.h>

namespace phobos::host {
namespace {

struct Conflict {
  const char *what = nullptr;
  GlobalAccess other;
  uintptr_t address = 0;
};

} // namespace

std::atomic<uint32_t> GlobalShadow::time{0};

GlobalShadow::GlobalShadow()
    : fences(std::make_unique<std::atomic<uint32_t>[]>(kBlocks)), locks(std::make_unique<std::atomic_flag[]>(kLocks)),
      begin(time.fetch_add(1, std::memory_order_relaxed) + 1) {}

GlobalShadow::~GlobalShadow() = default;

template <typename T> T *GlobalShadow::Arena<T>::take(size_t count) {
  // Address space once for the process; pages come when they are touched, and stay: touching costs more than checking.
  constexpr size_t kBytes = size_t(1) << 38;
  static void *const all =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED || taken + count > kBytes / sizeof(T)) {
    return nullptr; // races in this tensor go unseen
  }
  memory = static_cast<T *>(all);
  taken += count;
  return memory + taken - count;
}

template <typename T> GlobalShadow::Arena<T>::~Arena() {
  constexpr size_t kKeptBytes = size_t(1) << 29;
  if (taken * sizeof(T) > kKeptBytes) { // of a large launch the memory goes back
    madvise(memory, taken * sizeof(T), MADV_DONTNEED);
  }
}

TensorShadow GlobalShadow::make(uintptr_t begin, uintptr_t end) {
  TensorShadow made;
  made.origin = begin & ~uintptr_t(TensorShadow::kBlockBytes - 1);
  size_t blocks = (end - made.origin + TensorShadow::kBlockBytes - 1) / TensorShadow::kBlockBytes;
  made.wholes = cells.take(blocks);
  made.words = cells.take(blocks * (TensorShadow::kBlockBytes / TensorShadow::kWordBytes));
  made.split = flags.take(blocks);
  return made.words && made.split ? made : TensorShadow();
}

namespace {

/// One access on its way into the cells.
class Walker {
public:
  Walker(Lane &lane, GlobalShadow &shadow, const GlobalAccess &now, const uint8_t *value, Access kind)
      : lane(lane), clocks(*lane.cta->checker), shadow(shadow), now(now), value(value), kind(kind),
        fenced(shadow.lastFence(now.block - 1)) {}

  void walk(const TensorShadow &cells, uintptr_t address, uint32_t bytes) {
    constexpr uint32_t kBlock = TensorShadow::kBlockBytes, kWord = TensorShadow::kWordBytes;
    begin = address;
    for (uintptr_t at = address, last = address + bytes; at < last;) {
      uintptr_t block = at & ~uintptr_t(kBlock - 1), end = std::min(last, block + kBlock);
      size_t index = (block - cells.origin) / kBlock;
      GlobalShadow::Lock lock(shadow, block);
      if (end - at == kBlock && !cells.split[index]) {
        enter(cells.wholes[index], block, at, end);
      } else {
        if (!cells.split[index]) {
          split(cells, index);
        }
        for (uintptr_t word = at & ~uintptr_t(kWord - 1); word < end; word += kWord) {
          enter(cells.words[(word - cells.origin) / kWord], word, std::max(at, word), std::min(end, word + kWord));
        }
      }
      at = end;
    }
  }
  const Conflict &found() const { return conflict; }

private:
  static void split(const TensorShadow &cells, size_t index) {
    constexpr uint32_t kWords = TensorShadow::kBlockBytes / TensorShadow::kWordBytes;
    for (uint32_t word = 0; word < kWords; ++word) {
      GlobalCell &cell = cells.words[index * kWords + word] = cells.wholes[index];
      for (GlobalAccess *access : {&cell.write, &cell.reads[0], &cell.reads[1]}) {
        access->mask = access->mask >> (word * TensorShadow::kWordBytes) & 0xf;
        access->block = access->mask ? access->block : 0;
      }
    }
    cells.split[index] = true;
  }

  bool conflicts(const GlobalAccess &other) const {
    if (!shadow.isCurrent(other) || !(other.mask & now.mask) || (now.epoch.atomic() && other.epoch.atomic())) {
      return false;
    }
    if (other.block == now.block) {
      return !clocks.ordered(other.epoch, lane);
    }
    return shadow.lastFence(other.block - 1) <= other.time || fenced <= other.time;
  }

  /// This access in place of an earlier one of its block, for whose bytes it speaks too. Of two threads neither can:
  /// nothing within the block is taken for unordered with them.
  GlobalAccess together(const GlobalAccess &earlier) const {
    GlobalAccess both = now;
    if (earlier.block == now.block && shadow.isCurrent(earlier) && (earlier.mask & ~now.mask)) {
      both.mask |= earlier.mask;
      bool oneThread = earlier.epoch.agent() == now.epoch.agent() && earlier.epoch.lane() == now.epoch.lane();
      both.epoch = oneThread ? now.epoch : Epoch::ancient();
    }
    return both;
  }

  /// The bytes from `at` to `end` in the cell that begins at `first`.
  void enter(GlobalCell &cell, uintptr_t first, uintptr_t at, uintptr_t end) {
    now.mask = static_cast<uint16_t>(((1u << (end - at)) - 1) << (at - first));
    auto note = [&](const char *what, const GlobalAccess &other) {
      if (!conflict.what) {
        conflict = {what, other, first + std::countr_zero(uint32_t(other.mask & now.mask))};
      }
    };
    bool writes = kind != Access::load;
    if (conflicts(cell.write)) {
      bool same = value && std::memcmp(reinterpret_cast<void *>(at), value + (at - begin), end - at) == 0;
      if (!same) {
        note(writes ? "a write and an earlier write" : "a read and an earlier write", cell.write);
      }
    }
    if (!writes) {
      bool first = cell.reads[0].block == now.block || !shadow.isCurrent(cell.reads[0]);
      GlobalAccess &read = cell.reads[first ? 0 : 1];
      read = together(read);
      return;
    }
    for (GlobalAccess &read : cell.reads) {
      if (conflicts(read)) {
        note("a write and an earlier read", read);
      }
      read = {};
    }
    cell.write = together(cell.write);
  }

  Lane &lane;
  SharedChecker &clocks;
  GlobalShadow &shadow;
  GlobalAccess now;
  const uint8_t *value;
  const Access kind;
  const uint32_t fenced;
  uintptr_t begin = 0;
  Conflict conflict;
};

} // namespace

void GlobalChecker::races(Lane &lane, const Tensor &tensor, uintptr_t address, const uint8_t *value, uint32_t bytes,
                          Access kind, uint32_t site) {
  auto block = static_cast<uint32_t>(lane.cta->linear + 1);
  GlobalAccess now{block, lane.cta->checker->now(lane, kind == Access::atomic), shadow.now(), 0,
                   site <= UINT16_MAX ? static_cast<uint16_t>(site) : uint16_t(0)};
  Walker walker(lane, shadow, now, value, kind);
  walker.walk(tensor.shadow, address, bytes);
  const Conflict &conflict = walker.found();
  if (!conflict.what) {
    return;
  }
  std::string whose = conflict.other.block == block
                          ? "another thread of the same block"
                          : "block number " + std::to_string(conflict.other.block - 1) + " of the grid";
  report(*lane.cta->worker,
         {Report::Kind::Race,
          "data race in `" + tensor.range->name + "`: " + conflict.what + " with nothing that orders them",
          site,
          {{"this is " + describe(lane) + ", at index " + place(tensor, conflict.address)},
           {"the other is " + whose, conflict.other.site}}});
}

} // namespace phobos::host
