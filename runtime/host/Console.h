// What the blocks of a launch print, kept until it is shown. Blocks come in the order of their numbers; within a block
// prints come as the program makes them, and the lines of one print, whose threads come in any order, by index.
#pragma once

#include "phobos/host/Abi.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace phobos::host {

class Console {
public:
  struct Line {
    uint32_t thread = 0, site = 0;
    bool ordered = false; // `index` says where it belongs; else it stays where it came
    std::array<int32_t, 5> index{};
    std::string text;
  };
  void add(uint64_t block, Line line);
  /// So much is kept that it should be shown, whatever comes later; or that nobody should add to it before that.
  bool isFull() { return bytes.load(std::memory_order_relaxed) >= kFullBytes; }
  bool isOverfull() { return bytes.load(std::memory_order_relaxed) >= kMostBytes; }
  /// All that is kept, in order; it is gone then.
  std::string take();

private:
  static constexpr size_t kFullBytes = 4 << 20, kMostBytes = 64 << 20;

  std::mutex mutex;
  std::map<uint64_t, std::vector<Line>> blocks;
  std::atomic<size_t> bytes{0};
};

} // namespace phobos::host
