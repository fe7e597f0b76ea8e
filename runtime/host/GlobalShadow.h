// What is known of global memory: who wrote each byte last and what, and who has read it since.
//
// Memory is divided into units of 256 bytes, in which pieces of 16 bytes are told apart, and a unit that needs more
// into granules of 16 bytes, in which single bytes are. Threads that access memory side by side are one record: a line
// says which byte was whose. Workers share all of this, a page of 4 KiB at a time.
#pragma once

#include "phobos/host/Simulator.h"

#include <array>
#include <atomic>
#include <bit>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace phobos::host {

/// An access to the pieces in `mask`, or several that only differ in the thread.
struct GlobalRecord {
  /// `block` of reads by several: whoever writes does so against some of them.
  static constexpr uint32_t kSeveralBlocks = ~0u;
  /// `origin` where there is no line: several threads of a thread loop, or several lanes of a warp, whose number is
  /// added.
  static constexpr uint32_t kSeveralThreads = ~0u, kLanesOfWarp = 1u << 16;

  uint32_t block = 0;  // number in the grid, plus 1; 0: no record
  uint32_t origin = 0; // line: address at which thread 0 would have been; else the thread
  uint16_t mask = 0;
  uint16_t site = 0;
  uint32_t clock : 17 = 0; // of the thread's warp
  uint32_t line : 5 = 0;   // threads side by side: 1 + log2 of the bytes from one to the next; else 0
  uint32_t write : 1 = 0;
  uint32_t atomic : 1 = 0;
  uint32_t local : 1 = 0; // atomic for threads of its block only

  /// The thread that touched the byte at an address (its low 32 bits), or one of the values above.
  uint32_t thread(uint32_t address) const { return line ? (address - origin) >> (line - 1) : origin; }
  /// The access of a thread to so many bytes at an address: on a line with its neighbours', if they have one.
  void setThread(uint32_t thread, uint32_t address, uint32_t bytes) {
    bool power = std::has_single_bit(bytes);
    line = power ? static_cast<uint32_t>(std::bit_width(bytes)) : 0;
    origin = power ? address - thread * bytes : thread;
  }
  bool ofOneThread() const { return line || origin < kLanesOfWarp; }
  bool sameThreads(const GlobalRecord &other) const { return origin == other.origin && line == other.line; }
  /// Can the other be one record with this?
  bool joins(const GlobalRecord &other) const {
    return block == other.block && sameThreads(other) && site == other.site && clock == other.clock &&
           write == other.write && atomic == other.atomic && local == other.local;
  }
};
static_assert(sizeof(GlobalRecord) == 16);

/// Records of the same pieces; those in use come first.
using GlobalUnit = std::array<GlobalRecord, 2>;
using GlobalGranule = std::array<GlobalRecord, 4>;

/// Memory of one tensor, or of several that overlap.
struct GlobalArea {
  static constexpr uint32_t kPageBytes = 4096, kUnitBytes = 256, kGranuleBytes = 16;
  enum State : uint8_t { Split = 1, More = 2 }; // of a unit: its granules count; some has records elsewhere
  uintptr_t begin, end;
  std::atomic<uint32_t> *pages; // twice the launch that used it last, plus 1 while somebody does
  GlobalUnit *units;
  GlobalGranule *granules;
  uint8_t *states;
  uint8_t *values; // as they were written
};

class GlobalShadow {
public:
  explicit GlobalShadow(std::span<const TensorRange> tensors);
  ~GlobalShadow();
  GlobalShadow(const GlobalShadow &) = delete;
  GlobalShadow &operator=(const GlobalShadow &) = delete;

  /// The area of an address, or null.
  GlobalArea *find(uintptr_t address);
  /// Records of a granule beyond its cell's, to be used while its page is held.
  std::vector<GlobalRecord> &more(uintptr_t granule);

  /// Holds a page; one that an earlier launch used is as new.
  class Page {
  public:
    Page(const GlobalShadow &shadow, GlobalArea &area, size_t number);
    ~Page() { word.store(launch, std::memory_order_release); }

  private:
    std::atomic<uint32_t> &word;
    uint32_t launch;
  };

private:
  /// Memory for one kind of thing that launches share, one after the other.
  enum class Kind { Pages, Units, Granules, States, Values };
  template <typename T, Kind> struct Arena {
    T *memory = nullptr;
    size_t taken = 0;
    T *take(size_t count);
    ~Arena();
  };
  struct Overflow {
    std::mutex mutex;
    std::unordered_map<uintptr_t, std::vector<GlobalRecord>> granules;
  };
  void add(uintptr_t begin, uintptr_t end);

  std::vector<GlobalArea> areas;
  Arena<std::atomic<uint32_t>, Kind::Pages> pages;
  Arena<GlobalUnit, Kind::Units> units;
  Arena<GlobalGranule, Kind::Granules> granules;
  Arena<uint8_t, Kind::States> states;
  Arena<uint8_t, Kind::Values> values;
  std::array<Overflow, 64> overflow;
  uint32_t launch;
};

} // namespace phobos::host
