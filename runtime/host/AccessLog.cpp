// The log of a thread loop, read in runs: most places are accessed by one thread after the other, each a step further.
#include "AccessLog.h"

#include <bit>
#include <cstring>

namespace phobos::host {
namespace {

constexpr uint64_t kAddressBits = (uint64_t(1) << kAccessThreadShift) - 1;

/// Words from the first on between which the difference is the same.
size_t runLength(const uint64_t *words, size_t count) {
  constexpr size_t kStride = 16;
  if (count < 3) {
    return count;
  }
  uint64_t step = words[1] - words[0];
  size_t at = 1;
  for (; at + kStride < count; at += kStride) {
    uint64_t differ = 0;
    for (size_t i = 0; i < kStride; ++i) {
      differ |= (words[at + i + 1] - words[at + i]) ^ step;
    }
    if (differ) {
      break;
    }
  }
  while (at + 1 < count && words[at + 1] - words[at] == step) {
    ++at;
  }
  return at + 1;
}

} // namespace

AccessLog::AccessLog(const LaunchRequest &request)
    : accesses(request.accesses.begin(), request.accesses.end()), races(request.checks.race) {
  size_t bytes = accesses.size() * kAccessLogBytes, values = 0;
  for (const HostAccess &access : accesses) {
    values += access.kind == HostAccess::Kind::Store ? access.bytes * kWords : 0;
  }
  memory = std::make_unique_for_overwrite<uint8_t[]>(bytes + values + kAccessLogBytes);
  auto aligned = (reinterpret_cast<uintptr_t>(memory.get()) + kAccessLogBytes - 1) & ~uintptr_t(kAccessLogBytes - 1);
  words_ = reinterpret_cast<uint64_t *>(aligned);
  auto *value = reinterpret_cast<uint8_t *>(aligned) + bytes;
  slots_.assign(accesses.size(), AccessSlot());
  for (size_t i = 0; i < accesses.size(); ++i) {
    AccessSlot &slot = slots_[i];
    // Every address is inside, or none yet.
    (request.checks.bounds ? slot.begin : slot.room) = ~uintptr_t(0);
    if (accesses[i].kind == HostAccess::Kind::Store) {
      slot.values = value;
      value += accesses[i].bytes * kWords;
    }
  }
  clear();
}

void AccessLog::clear() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].next = words(i);
  }
}

void AccessLog::flush(const Cta &cta) {
  // Stores first: loads are then checked one by one, before they may become loads of several.
  for (bool writes : {true, false}) {
    for (size_t i = 0; races && i < slots_.size(); ++i) {
      HostAccess::Kind kind = accesses[i].kind;
      if (writes == (kind == HostAccess::Kind::Store || kind == HostAccess::Kind::Atomic)) {
        flush(cta, i);
      }
    }
  }
  clear();
}

void AccessLog::flush(const Cta &cta, size_t slot) {
  const HostAccess &access = accesses[slot];
  GlobalChecker &checker = *cta.worker->launch->global;
  const uint64_t *word = words(slot), *end = slots_[slot].next;
  bool store = access.kind == HostAccess::Kind::Store, atomic = access.kind >= HostAccess::Kind::AtomicLoad;
  while (word < end) {
    size_t count = runLength(word, static_cast<size_t>(end - word));
    uint64_t step = count > 1 ? word[1] - word[0] : 0;
    int64_t bytes = static_cast<int64_t>(step << (64 - kAccessThreadShift)) >> (64 - kAccessThreadShift);
    int64_t threads = static_cast<int64_t>(step - static_cast<uint64_t>(bytes)) >> kAccessThreadShift;
    uintptr_t address = *word & kAddressBits;
    auto thread = static_cast<uint32_t>(*word >> kAccessThreadShift);
    GlobalAccess now;
    now.record.write = store || access.kind == HostAccess::Kind::Atomic;
    now.record.atomic = atomic;
    now.record.local = access.local;
    if (store) {
      now.values = slots_[slot].values + static_cast<size_t>(word - words(slot)) * access.bytes;
    }
    bool sideBySide = bytes == access.bytes && (threads == 0 || (threads == 1 && std::has_single_bit(access.bytes)));
    bool onePlace = bytes == 0 && !store;
    if (count > 1 && (sideBySide || onePlace)) {
      if (threads == 0) {
        now.record.origin = thread;
      } else if (onePlace) {
        now.record.origin = GlobalRecord::kSeveralThreads;
      } else {
        now.record.setThread(thread, static_cast<uint32_t>(address), access.bytes);
      }
      checker.accesses(cta, now, address, sideBySide ? count * access.bytes : size_t(access.bytes), access.site);
    } else {
      checker.accesses(cta, now, address,
                       GlobalWalk::Apart{bytes, count, access.bytes, thread, static_cast<int32_t>(threads)},
                       access.site);
    }
    word += count;
  }
}

void AccessLog::place(Lane &lane, uint32_t slot, uint32_t index, uintptr_t address) {
  if (auto around = lane.cta->worker->launch->global->inside(lane, index, address, accesses[slot])) {
    slots_[slot].begin = around->begin;
    slots_[slot].room = around->room;
  }
}

namespace calls {

void checkPlace(ThreadContext *thread, const void *address, uint32_t slot, uint32_t index) {
  Lane &lane = laneOf(thread);
  lane.cta->worker->log->place(lane, slot, index, reinterpret_cast<uintptr_t>(address));
}

void accessesFull(ThreadContext *thread) {
  Lane &lane = laneOf(thread);
  lane.cta->worker->log->flush(*lane.cta);
}

} // namespace calls
} // namespace phobos::host
