// What the threads of a thread loop accessed, place by place, until it is told to the race checker: in runs of threads
// that access memory side by side.
#pragma once

#include "Global.h"

#include <memory>

namespace phobos::host {

class AccessLog {
public:
  explicit AccessLog(const LaunchRequest &request);
  AccessSlot *slots() { return slots_.data(); }
  /// A block begins.
  void clear();
  /// Everything written down is told.
  void flush(const Cta &cta);
  /// AccessSlot's place was left: is the new address inside a tensor?
  void place(Lane &lane, uint32_t slot, uint32_t index, uintptr_t address);

private:
  static constexpr size_t kWords = kAccessLogBytes / sizeof(uint64_t);
  void flush(const Cta &cta, size_t slot);
  uint64_t *words(size_t slot) const { return words_ + slot * kWords; }

  std::vector<HostAccess> accesses;
  std::vector<AccessSlot> slots_;
  std::unique_ptr<uint8_t[]> memory;
  uint64_t *words_ = nullptr;
  bool races;
};

} // namespace phobos::host
