// The warm path's key: all that a plan depends on, as a flat run of 64-bit words made on the stack and hashed once. Two
// launches with equal keys take the same code, the same parameters but for addresses and scalars, and, for the same
// grid rule, the same grid.
#pragma once

#include "phobos/runtime/Arguments.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace phobos::runtime {

class Plan;

/// What one launch passes.
struct Call {
  const Argument *arguments = nullptr; // one a parameter
  uint32_t captures = 0;               // from Kernel::captureSet
  uint32_t overrides = 0;              // from Kernel::overrideSet; 0: none
};

/// What of a kernel's signature a key is made from, worked out once.
struct KeyLayout {
  explicit KeyLayout(const KernelInfo &info);

  const KernelInfo *info;
  std::vector<uint8_t>
      keyedScalars; // by parameter: a scalar that `@ph.kernel(key=…)` names, so its value selects the plan
  size_t mostWords;
};

class LaunchKey {
public:
  /// `epoch` changes whenever something outside the call does (the chip compiled for); `device` matters only to a
  /// kernel without tensors.
  LaunchKey(const KeyLayout &layout, const Call &call, uint32_t epoch, int device);
  LaunchKey(const LaunchKey &) = delete;
  LaunchKey &operator=(const LaunchKey &) = delete;

  /// False if some argument is of the wrong kind, so that no plan can exist.
  bool valid() const { return valid_; }
  const uint64_t *words() const { return words_; }
  size_t size() const { return size_; }
  uint64_t hash() const { return hash_; }

private:
  static constexpr size_t kInlineWords = 192; // a dozen matrices; more go to the heap
  uint64_t inline_[kInlineWords];
  std::unique_ptr<uint64_t[]> heap_;
  uint64_t *words_ = inline_;
  size_t size_ = 0;
  uint64_t hash_ = 0;
  bool valid_ = true;
};

uint64_t hashWords(const uint64_t *words, size_t count);

/// Open addressing from key to plan. Not locked: the kernel does that. Plans are shared, so that one in use survives
/// clear().
class LaunchTable {
public:
  /// Past this many the table starts again: shapes that never repeat must not fill memory.
  static constexpr size_t kMaxPlans = 8192;

  std::shared_ptr<const Plan> find(const LaunchKey &key) const;
  void insert(const LaunchKey &key, std::shared_ptr<const Plan> plan);
  void clear();
  size_t size() const { return count_; }

private:
  struct Slot {
    uint64_t hash = 0;
    std::unique_ptr<uint64_t[]> words;
    size_t size = 0;
    std::shared_ptr<const Plan> plan; // null: free
  };
  size_t probe(uint64_t hash, const uint64_t *words, size_t size) const;
  void grow();

  std::vector<Slot> slots_;
  size_t count_ = 0;
};

} // namespace phobos::runtime
