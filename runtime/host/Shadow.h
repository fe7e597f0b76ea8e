// What is known of each byte of shared memory: who wrote it last, and who has read it since. Kept for blocks of 16
// bytes while they are accessed whole, for words or bytes once somebody accesses less.
#pragma once

#include "Clocks.h"

#include <array>
#include <cstring>

namespace phobos::host {

struct Cell {
  static constexpr int kReaders = 6;
  Epoch write;
  Epoch reads[kReaders];
  uint16_t writeSite, readSite;
};
static_assert(sizeof(Cell) == 32);

class Shadow {
public:
  static constexpr uint32_t kBlockBytes = 16;

  Shadow();
  ~Shadow();
  Shadow(const Shadow &) = delete;
  Shadow &operator=(const Shadow &) = delete;

  /// Forgets the first `bytes`.
  void clear(uint32_t bytes);
  /// What was written stays written, but before everything that comes; for when clocks start again.
  void age(uint32_t bytes);

  /// Calls `visit(cell, offset, bytes)` for the cells of a range. A write of a whole block joins its cells afterwards.
  template <typename Visit> void access(uint32_t offset, uint32_t bytes, bool write, Visit visit) {
    uint32_t end = offset + bytes;
    while (offset < end) {
      uint32_t block = offset / kBlockBytes, first = offset % kBlockBytes;
      uint32_t count = std::min(kBlockBytes - first, end - offset);
      bool whole = count == kBlockBytes;
      if (!whole) [[unlikely]] {
        split(block, (first | count) % 4 == 0 ? Words : Bytes);
      }
      if (levels[block] == Whole) [[likely]] {
        visit(wholes[block], offset, kBlockBytes);
      } else if (levels[block] == Words) {
        for (uint32_t i = first / 4; i < (first + count) / 4; ++i) {
          visit(words[block * 4 + i], block * kBlockBytes + i * 4, 4u);
        }
      } else {
        for (uint32_t i = first; i < first + count; ++i) {
          visit(bytes_[block * kBlockBytes + i], block * kBlockBytes + i, 1u);
        }
      }
      if (whole && write && levels[block] != Whole) {
        wholes[block] = levels[block] == Words ? words[block * 4] : bytes_[block * kBlockBytes];
        levels[block] = Whole;
      }
      offset += count;
    }
  }

private:
  enum Level : uint8_t { Whole, Words, Bytes };
  void split(uint32_t block, Level level);

  Level *levels;
  Cell *wholes, *words, *bytes_;
};

} // namespace phobos::host
