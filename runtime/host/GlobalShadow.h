// What is known of global memory: the last write, and reads of up to two blocks since. For 16 bytes at a time while
// they are accessed whole, for words once somebody accesses less; what several threads did to one such piece is not
// told apart within a block.
//
// Within a block its clocks tell what is ordered. Between blocks nothing is, but through a fence of device scope or an
// atomic: an access counts as ordered before another block's if its block fenced after it, and the other fenced later
// still. That forgives too much rather than too little: whether the two ever met at one flag is not followed.
#pragma once

#include "Clocks.h"

#include <array>
#include <atomic>
#include <memory>
#include <vector>

namespace phobos::host {

/// One access to a cell. `time` is that of the launch's fences.
struct GlobalAccess {
  uint32_t block = 0; // number in the grid, plus 1; 0: none
  Epoch epoch;        // within the block
  uint32_t time = 0;
  uint16_t mask = 0; // bytes of the cell
  uint16_t site = 0;
};

struct GlobalCell {
  GlobalAccess write, reads[2];
};
static_assert(sizeof(GlobalCell) == 48);

/// The cells of one tensor.
struct TensorShadow {
  static constexpr uint32_t kBlockBytes = 16, kWordBytes = 4;
  uintptr_t origin = 0;
  GlobalCell *wholes = nullptr; // null: none, races go unseen
  GlobalCell *words = nullptr;
  bool *split = nullptr; // by 16 bytes: the words count
};

class GlobalShadow {
public:
  GlobalShadow();
  ~GlobalShadow();
  GlobalShadow(const GlobalShadow &) = delete;
  GlobalShadow &operator=(const GlobalShadow &) = delete;

  /// Cells for the bytes from `begin` to `end`; memory comes when they are touched.
  TensorShadow make(uintptr_t begin, uintptr_t end);
  void fence(uint64_t block) {
    fences[block % kBlocks].store(time.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  uint32_t now() const { return time.load(std::memory_order_relaxed); }
  /// Is it of this launch? Cells keep what an earlier one left in them.
  bool isCurrent(const GlobalAccess &access) const { return access.block && access.time >= begin; }
  uint32_t lastFence(uint64_t block) const { return fences[block % kBlocks].load(std::memory_order_relaxed); }

  /// The cells of 16 bytes are locked at a time: workers share them.
  class Lock {
  public:
    Lock(GlobalShadow &shadow, uintptr_t address) : flag(shadow.locks[address / TensorShadow::kBlockBytes % kLocks]) {
      while (flag.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~Lock() { flag.clear(std::memory_order_release); }

  private:
    std::atomic_flag &flag;
  };

private:
  static constexpr size_t kBlocks = 1 << 16; // that share a time after that many: more is forgiven
  static constexpr size_t kLocks = 1 << 12;
  /// Memory for one kind of thing that launches share, one after the other: what an earlier one left is of that kind
  /// too.
  template <typename T> struct Arena {
    T *memory = nullptr;
    size_t taken = 0;
    T *take(size_t count);
    ~Arena();
  };
  Arena<GlobalCell> cells;
  Arena<bool> flags;
  std::unique_ptr<std::atomic<uint32_t>[]> fences;
  std::unique_ptr<std::atomic_flag[]> locks;
  static std::atomic<uint32_t> time; // goes on from launch to launch
  const uint32_t begin;
};

} // namespace phobos::host
